"""A run through a stack that is not there: what is sent, what is paid for again, what is judged."""

from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from mailroom.classes import packaged_classes
from mailroom_desk.evaluate.manifest import Case
from mailroom_desk.evaluate.results import Outcome, Run
from mailroom_desk.evaluate.run import PREFIX, evaluate, key_of
from mailroom_desk.upload import Sent, Source

TIMES = [
    {"status": "RECEIVED", "at": "2026-11-30T12:00:00.000Z"},
    {"status": "STORED", "at": "2026-11-30T12:00:04.000Z"},
]


class FakeDocuments:
    """A stack that reads a document once it has been looked at `looks` times."""

    def __init__(self, looks: int = 1, **results: Mapping[str, Any]) -> None:
        self.rows = self
        self.sent: list[str] = []
        self.there: dict[str, Sent] = {}
        self.looks = looks
        self.results = results
        self.interrupt_after: int | None = None
        self.asked = 0

    def known(self, key: str) -> Sent | None:
        return self.there.get(key)

    def send(self, source: Source, key: str) -> Sent:
        self.sent.append(source.name)
        self.there[key] = Sent(f"{source.name}#{len(self.sent)}", key)
        return self.there[key]

    def result(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        return self.results.get(str(row["name"]), {})

    def get_many(self, document_ids: Collection[str]) -> dict[str, dict[str, Any]]:
        self.asked += 1
        if self.asked == self.interrupt_after:
            raise KeyboardInterrupt
        return {each: self._row(each) for each in document_ids}

    def _row(self, document_id: str) -> dict[str, Any]:
        name = document_id.split(".")[0]
        row: dict[str, Any] = {"name": name, "status": "WORKING", "timeline": TIMES[:1]}
        if self.asked >= self.looks:
            row |= {"status": "STORED", "timeline": TIMES, "document_class": "invoice"}
            row |= {"confidence": Decimal("0.9"), "price_usd": Decimal("0.07"), "pages": 1}
            row |= {"answered_by": "a stand-in", **self.results.get(name, {}).get("row", {})}
        return row


@pytest.fixture
def case(tmp_path: Path) -> Callable[..., Case]:
    def case(name: str, content: str = "", **others: Any) -> Case:
        path = tmp_path / f"{name}.pdf"
        path.write_text(content or name)
        return Case(f"{name}.pdf", path, "invoice", **others)

    return case


def run(documents: FakeDocuments, *cases: Case, timeout: float = 60, **options: Any) -> Run:
    return evaluate(
        documents,
        cases,
        packaged_classes(),
        manifest="m.csv",
        timeout=timeout,
        clock=lambda: float(documents.asked),
        pause=lambda _: None,
        **options,
    )


def test_run_judges_what_was_read_with_its_evidence(case: Callable[..., Case]) -> None:
    result = {
        "fields": {"total": "5.00", "vendor_name": "Akme", "po_number": "7"},
        "evidence": {"total": [{"page": 1, "confidence": 0.97}, {"page": 2, "confidence": 0.6}]},
    }
    fields = {"total": "5", "vendor_name": "Acme", "tax": "1", "shoe_size": "43"}

    (document,) = run(FakeDocuments(a=result), case("a", fields=fields)).documents

    found = {value.field: value for value in document.values}
    assert {name: value.outcome for name, value in found.items()} == {
        "total": Outcome.RIGHT, "vendor_name": Outcome.WRONG, "tax": Outcome.MISSING,
    }  # fmt: skip
    assert (found["total"].grounded, found["total"].confidence) == (True, 0.6)
    assert (found["vendor_name"].grounded, found["vendor_name"].confidence) == (False, 0.0)
    assert found["tax"].grounded is None
    assert (document.unasked, document.unchecked) == (["shoe_size"], 1)
    assert (document.status, document.seconds, document.price_usd) == ("STORED", 4.0, 0.07)


def test_value_without_evidence_is_as_sure_as_its_document(case: Callable[..., Case]) -> None:
    documents = FakeDocuments(a={"fields": {"total": "5"}})

    (document,) = run(documents, case("a", fields={"total": "5"})).documents

    (value,) = document.values
    assert (value.grounded, value.confidence) == (None, 0.9)


def test_second_run_sends_nothing_that_is_there_already(case: Callable[..., Case]) -> None:
    documents = FakeDocuments()
    first = run(documents, case("a"), case("b"))
    second = run(documents, case("a"), case("b"))

    assert documents.sent == ["a.pdf", "b.pdf"]
    assert (first.reused, second.reused) == (0, 2)
    assert [d.document_id for d in second.documents] == [d.document_id for d in first.documents]


def test_changed_content_is_sent_and_again_sends_everything(case: Callable[..., Case]) -> None:
    documents = FakeDocuments()
    run(documents, case("a"), case("b"))
    run(documents, case("a", "changed"), case("b"))
    run(documents, case("b"), again=True)

    assert documents.sent == ["a.pdf", "b.pdf", "a.pdf", "b.pdf"]


def test_file_that_is_named_twice_is_sent_once(case: Callable[..., Case]) -> None:
    documents = FakeDocuments()

    found = run(documents, case("a"), case("a"), again=True)

    assert documents.sent == ["a.pdf"]
    assert len(found.documents) == 2


def test_key_holds_the_digest_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "a b.pdf").write_bytes(b"abc")

    # SHA-256 of "abc" begins so: FIPS 180-4, appendix
    assert key_of(tmp_path / "a b.pdf") == f"{PREFIX}ba7816bf8f01cfea/a b.pdf"


@pytest.mark.parametrize("at", [1, 2], ids=["at the first look", "while it waits"])
def test_interrupted_run_judges_what_has_ended(case: Callable[..., Case], at: int) -> None:
    documents = FakeDocuments(looks=at + 1, a={"fields": {"total": "5"}})
    documents.interrupt_after = at
    told: list[str] = []

    found = run(documents, case("a", fields={"total": "5"}), progress=told.append)

    assert found.interrupted
    assert found.documents[0].values[0].outcome == Outcome.RIGHT
    assert "Interrupted" in told[-1]


def test_run_that_is_interrupted_while_it_sends_names_what_was_not_sent(
    case: Callable[..., Case],
) -> None:
    class Interrupted(FakeDocuments):
        def send(self, source: Source, key: str) -> Sent:
            if self.sent:
                raise KeyboardInterrupt
            return super().send(source, key)

    found = run(Interrupted(), case("a"), case("b"))

    assert [(each.name, each.status) for each in found.documents] == [
        ("a.pdf", "STORED"),
        ("b.pdf", None),
    ]


def test_document_that_has_not_ended_in_time_is_not_judged(case: Callable[..., Case]) -> None:
    (document,) = run(
        FakeDocuments(looks=99), case("a", fields={"total": "5"}), timeout=3
    ).documents

    assert (document.has_ended, document.values) == (False, [])


def test_duplicate_is_judged_by_its_original(case: Callable[..., Case]) -> None:
    copy = {"row": {"status": "DUPLICATE", "original": "b.pdf#0", "document_class": None}}
    documents = FakeDocuments(a=copy, b={"fields": {"total": "5"}})

    (document,) = run(documents, case("a", fields={"total": "5"})).documents

    assert (document.status, document.values[0].outcome) == ("STORED", Outcome.RIGHT)


def test_damaged_file_is_compared_by_its_end(case: Callable[..., Case]) -> None:
    documents = FakeDocuments(a={"row": {"status": "REJECTED"}}, b={})
    damaged: dict[str, Any] = {"ends": ("REJECTED",), "is_scored": False}

    found = run(documents, case("a", **damaged), case("b", **damaged)).documents

    assert [each.ends_as_expected for each in found] == [True, False]


def test_progress_tells_how_many_have_ended(case: Callable[..., Case]) -> None:
    told: list[str] = []

    run(FakeDocuments(looks=2), case("a"), case("b"), progress=told.append)

    assert told[-1] == "2 of 2 ended: 2 STORED"
