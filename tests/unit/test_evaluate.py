"""What counts as right, and what is counted: manifests, comparison, statistics, figures."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom_desk.errors import UnusableManifest
from mailroom_desk.evaluate import figures
from mailroom_desk.evaluate.changes import changes
from mailroom_desk.evaluate.manifest import expected_ends, read_manifest
from mailroom_desk.evaluate.matching import compare, same
from mailroom_desk.evaluate.results import Document, Outcome, Run, Value, as_plain, load_run
from mailroom_desk.evaluate.shares import Share, mcnemar

DECIMAL, DATE, TEXT = {"format": "decimal"}, {"format": "date"}, {"type": "string"}
RIGHT, WRONG, MISSING = Outcome.RIGHT, Outcome.WRONG, Outcome.MISSING


def outcomes(expected: Any, got: Any, schema: dict[str, Any], printed: Any = None) -> list[Outcome]:
    forms = {} if printed is None else {"x": printed}
    found = {} if got is None else {"x": got}
    return [match.outcome for match in compare({"x": expected}, forms, found, {"x": schema})]


def document(name: str, *values: Value, **others: Any) -> Document:
    known = {"status": "STORED", "expected_class": "invoice", "found_class": "invoice"}
    return Document(
        name=name, document_id=name, is_scored=True, values=list(values), **(known | others)
    )


def run_of(*documents: Document) -> Run:
    return Run(manifest="m.csv", began="2026-11-30T12:00:00Z", took_s=1, documents=list(documents))


@pytest.mark.parametrize(
    ("expected", "got", "schema", "is_same"),
    [
        ("1234.50", "1234.5", DECIMAL, True),
        ("1234.50", "12345.0", DECIMAL, False),
        ("12.00", "-12.00", DECIMAL, False),
        ("$1,234.50", "1234.50", DECIMAL, True),
        ("1234.50", "much", DECIMAL, False),
        ("2026-03-04", "2026-03-04", DATE, True),
        ("2026-03-04", "2026-04-03", DATE, False),
        ("03/04/2026", "2026-04-03", DATE, True),  # ambiguous where it was checked: both are right
        ("03/04/2026", "2026-05-03", DATE, False),
        ("ACME Inc.", "Acme, Inc", TEXT, True),
        ("März & Söhne GmbH", "MÄRZ&SÖHNE GMBH", TEXT, True),
        ("Ｗｅｂ ２", "web 2", TEXT, True),
        ("Acme Inc.", "Acme", TEXT, False),
        ("€", "£", TEXT, False),
        (
            {"amount": "5.00"},
            {"amount": "5", "sku": "7"},
            {"properties": {"amount": DECIMAL}},
            True,
        ),
        ({"amount": "5.00"}, {"amount": "6"}, {"properties": {"amount": DECIMAL}}, False),
    ],
)
def test_values_are_the_same_by_what_they_are(
    expected: Any, got: Any, schema: dict[str, Any], is_same: bool
) -> None:
    assert same(expected, got, schema) is is_same


@pytest.mark.parametrize(
    ("expected", "got", "schema", "printed", "outcome"),
    [
        ("5.00", None, DECIMAL, None, MISSING),
        (None, None, DECIMAL, None, RIGHT),
        (None, "5.00", DECIMAL, None, WRONG),
        ("W-2", "Form W2 2025", TEXT, "Form W-2 2025", RIGHT),
        # what is printed must not make a number right that only looks like it
        ("127.50", "1275.0", DECIMAL, "$127.50", WRONG),
        ("2026-03-04", "2026-04-03", DATE, "03/04/2026", WRONG),
        ("2026-03-04", "03/04/2026", DATE, "03/04/2026", RIGHT),
    ],
)
def test_value_is_right_wrong_or_missing(
    expected: Any, got: Any, schema: dict[str, Any], printed: Any, outcome: Outcome
) -> None:
    assert outcomes(expected, got, schema, printed) == [outcome]


@pytest.mark.parametrize(
    ("expected", "got", "found"),
    [
        (["a", "b"], ["B", "A"], [RIGHT, RIGHT]),
        (["a", "b"], ["b"], [RIGHT, MISSING]),
        (["a", "b"], ["b", "c"], [RIGHT, WRONG]),
        (["a"], ["a", "c"], [RIGHT, WRONG]),
        (["a", "a"], ["a"], [RIGHT, MISSING]),
        (["a", "b"], None, [MISSING, MISSING]),
        (["Ohm College", "Volt School"], "Volt School; Ohm College (1999)", [RIGHT, RIGHT]),
        (["Ohm College", "Volt School"], "Volt School", [MISSING, RIGHT]),
        (["Ohm College", "Volt School"], "Watt", [WRONG, MISSING]),
    ],
)
def test_list_is_compared_item_by_item_in_any_order(
    expected: list[str], got: Any, found: list[Outcome]
) -> None:
    assert outcomes(expected, got, {"type": "array", "items": TEXT}) == found


@pytest.mark.parametrize(
    ("words", "ends"),
    [
        ("rejected: empty file", {"REJECTED", "DEAD_LETTERED"}),
        ("error or partial; must not crash", {"REJECTED", "DEAD_LETTERED", "IN_REVIEW"}),
        ("no text found", {"IN_REVIEW"}),
        ("rejected or resized", {"REJECTED", "DEAD_LETTERED", "STORED", "IN_REVIEW"}),
        ("DEAD_LETTERED", {"DEAD_LETTERED"}),
        ("something sensible", set()),
        ("", set()),
    ],
)
def test_expected_end_is_read_from_its_words(words: str, ends: set[str]) -> None:
    assert set(expected_ends(words)) == ends


def test_manifest_of_three_kinds_gives_the_same_case(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").touch()
    fields = {"total": "5.00", "printed": {"total": "$5"}}
    files = {
        "m.csv": "path,class,scanned,expected_fields,notes\na.pdf,invoice,no,"
        '"{""total"": ""5.00"", ""printed"": {""total"": ""$5""}}",x\n',
        "m.jsonl": json.dumps(
            {"path": "a.pdf", "class": "invoice", "scanned": "no", "fields": fields}
        ),
        "m.json": json.dumps({"a.pdf": {"class": "invoice", "scanned": "no", "fields": fields}}),
    }
    cases = []
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        cases += read_manifest(tmp_path / name)

    assert cases[0] == cases[1] == cases[2]
    assert (cases[0].fields, cases[0].printed) == ({"total": "5.00"}, {"total": "$5"})
    assert (cases[0].file, cases[0].traits) == (tmp_path / "a.pdf", {"scanned": "no"})


def test_manifest_of_the_samples_tells_class_and_end() -> None:
    cases = {c.name: c for c in read_manifest(Path(__file__).parents[2] / "samples/expected.json")}

    assert cases["INV-20931.pdf"].is_scored
    assert not cases["empty.pdf"].is_scored
    assert cases["empty.pdf"].ends == ("REJECTED",)


def test_damaged_file_counts_by_its_end_alone(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").touch()
    fields = {"expect": "rejected: password required", "total": "1"}
    line = json.dumps({"path": "a.pdf", "class": "invoice", "fields": fields})
    (tmp_path / "m.jsonl").write_text(line)

    (case,) = read_manifest(tmp_path / "m.jsonl")

    assert (case.is_scored, case.ends) == (False, ("REJECTED", "DEAD_LETTERED"))


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("m.txt", "", "neither"),
        ("m.csv", "file,class\n", "no column path"),
        ("m.csv", "path,class\n", "no documents"),
        ("m.csv", "path,class\nb.pdf,letter\n", "b.pdf"),
        ("m.csv", "path,class,expected_fields\na.pdf,letter,{\n", "line 2"),
        ("m.jsonl", "\n[1]\n", "line 2"),
        ("m.jsonl", '{"class": "letter"}', "no path"),
        ("m.json", '{"a.pdf": 1}', "a.pdf"),
    ],
)
def test_manifest_that_cannot_be_read_says_where(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    (tmp_path / "a.pdf").touch()
    (tmp_path / name).write_text(text)

    with pytest.raises(UnusableManifest, match=told):
        read_manifest(tmp_path / name)


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [  # scipy 1.x: binomtest(count, of).proportion_ci(0.95, method="wilson")
        (0, 10, 0.0, 0.277533),
        (8, 10, 0.490162, 0.943318),
        (10, 10, 0.722467, 1.0),
        (90, 100, 0.825634, 0.944771),
        (1, 1, 0.206549, 1.0),
    ],
)
def test_interval_of_a_share_is_wilsons(count: int, of: int, low: float, high: float) -> None:
    assert Share(count, of).interval == pytest.approx((low, high), abs=1e-6)


def test_share_of_nothing_is_not_a_figure() -> None:
    assert (Share(0, 0).value, Share(0, 0).interval) == (None, None)


@given(st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_interval_holds_its_share_and_stays_within_bounds(counted: tuple[int, int]) -> None:
    share = Share(*counted)
    assert share.interval is not None and share.value is not None
    low, high = share.interval

    assert 0 <= low <= share.value + 1e-12 and share.value - 1e-12 <= high <= 1


@pytest.mark.parametrize(
    ("better", "worse", "p_value"),
    [  # scipy 1.x: binomtest(better, better + worse).pvalue
        (0, 0, 1.0),
        (5, 0, 0.0625),
        (6, 0, 0.03125),
        (10, 2, 0.03857421875),
        (3, 3, 1.0),
        (121, 59, 4.4344492637551645e-06),
    ],
)
def test_mcnemar_is_the_exact_test(better: int, worse: int, p_value: float) -> None:
    assert mcnemar(better, worse) == pytest.approx(p_value, rel=1e-9)
    assert mcnemar(worse, better) == mcnemar(better, worse)


def test_wrong_values_count_apart_by_whether_a_reason_stands_beside_them() -> None:
    wrong = Value("total", WRONG, "1", "2", grounded=True, confidence=0.9)
    absent = Value("tax", RIGHT)  # rightly not given: nothing was stored
    documents = [
        document("a", wrong, absent, Value("vendor_name", RIGHT, "x", "x", grounded=True)),
        document("b", wrong, status="IN_REVIEW"),
        document("c", Value("total", MISSING, "1"), status="DEAD_LETTERED", found_class=None),
    ]

    found = figures.counts(figures.values_of(documents))

    assert (found.right, found.wrong, found.missing) == (2, 2, 1)
    assert (found.given, found.grounded, found.in_review) == (3, 3, 1)
    assert found.share_stored_wrong == Share(1, 2)
    assert found.review_wrong == 1
    assert figures.classes_right(documents) == Share(2, 3)


def test_only_documents_that_ended_and_have_a_class_are_scored() -> None:
    ended, late = document("a"), document("b", status=None)
    damaged = Document(name="c", document_id="c", status="REJECTED", is_scored=False)

    assert figures.scored([ended, late, damaged]) == [ended]


def test_confusion_names_the_status_where_no_class_was_found() -> None:
    documents = [
        document("a"),
        document("b", found_class="receipt"),
        document("c", found_class=None, status="DEAD_LETTERED"),
    ]

    assert figures.confusion(documents) == {
        "invoice": {"invoice": 1, "receipt": 1, "dead lettered": 1}
    }


def test_calibration_bins_given_values_by_their_confidence() -> None:
    values = [
        Value("a", RIGHT, "1", "1", confidence=1.0),
        Value("b", RIGHT, "1", "1", confidence=0.98),
        Value("c", WRONG, "1", "2", confidence=0.99),
        Value("d", WRONG, "1", "2", confidence=0.0),
        Value("e", MISSING, "1"),
        Value("f", RIGHT, "1", "1", confidence=0.5),
    ]

    bins = figures.calibration([document("a", *values)])

    assert [(b.low, b.high, b.right) for b in bins] == [
        (0.0, 0.5, Share(0, 1)),
        (0.5, 0.7, Share(1, 1)),
        (0.98, 1.0, Share(2, 3)),
    ]
    assert bins[-1].mean == pytest.approx(0.99)
    # distances: 0 of one value, 0.5 of one, 0.99 - 2/3 of three
    assert figures.calibration_error(bins) == pytest.approx((0.5 + 3 * 0.99 - 2) / 5)


def test_calibration_without_values_has_no_error() -> None:
    assert figures.calibration_error(figures.calibration([document("a")])) is None


def test_figures_by_source_need_to_know_the_source() -> None:
    documents = [document("a", traits={"scanned": "yes"}), document("b")]

    assert figures.by_source(documents) == {"invoice, scan": [documents[0]]}


def test_changes_name_the_documents_and_the_fields_that_both_runs_have() -> None:
    good, bad = Value("total", RIGHT, "1", "1"), Value("total", WRONG, "1", "2")
    before = run_of(
        document("a", bad), document("b", good), document("c", good, found_class="letter"),
        document("gone", good),
    )  # fmt: skip
    after = run_of(
        document("a", good), document("b", bad, status="IN_REVIEW"), document("c", good),
        document("new", bad),
    )  # fmt: skip

    classes, fields, stored = changes(before, after)

    assert (classes.before, classes.after) == (Share(2, 3), Share(3, 3))
    assert (classes.better, classes.worse) == (("c",), ())
    assert (fields.better, fields.worse) == (("a: total",), ("b: total",))
    assert fields.p_value == 1.0 and not fields.is_significant
    # what b says wrong waits for a person; what a said wrong was stored
    assert (stored.better, stored.worse) == (("a: total",), ())


def test_changes_of_many_documents_are_significant() -> None:
    before = run_of(*(document(f"{n}", found_class="letter") for n in range(6)))
    after = run_of(*(document(f"{n}") for n in range(6)))

    assert changes(before, after)[0].is_significant


def test_changes_pair_the_items_of_a_list_by_what_is_expected() -> None:
    one, two = Value("e", RIGHT, "one", "one"), Value("e", MISSING, "two")
    before = run_of(document("a", one, two))
    after = run_of(document("a", Value("e", RIGHT, "two", "two"), one))

    assert changes(before, after)[1].better == ("a: e 2",)


def test_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    run = run_of(document("a", Value("total", WRONG, "1", "2", True, 0.5), traits={"x": "y"}))
    path = tmp_path / "run.json"
    path.write_text(json.dumps(as_plain(run) | {"summary": {}}))

    assert load_run(path) == run


def test_file_that_is_no_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"documents": 3}')

    with pytest.raises(UnusableManifest, match="not the result"):
        load_run(path)
