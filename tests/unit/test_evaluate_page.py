"""The report: whole HTML, with the figures in it."""

from html.parser import HTMLParser

from mailroom_desk.evaluate.changes import changes
from mailroom_desk.evaluate.page import page
from mailroom_desk.evaluate.results import Document, Outcome, Run, Value

_VOID = {"meta", "rect", "line"}


class Elements(HTMLParser):
    """Checks that elements close in order, and keeps the text and the links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.links: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [str(value) for name, value in attrs if name in ("src", "href")]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def _document(
    name: str, *values: Value, status: str = "STORED", found: str = "invoice"
) -> Document:
    return Document(
        name=name,
        document_id=name,
        status=status,
        is_scored=True,
        expected_class="invoice",
        found_class=found,
        seconds=4.0,
        price_usd=0.07,
        traits={"scanned": "no"},
        values=list(values),
    )


RUN = Run(
    manifest="m.csv",
    began="2026-11-30T12:00:00Z",
    took_s=9,
    answered_by=["a stand-in"],
    documents=[
        _document(
            "a.pdf",
            Value("total", Outcome.RIGHT, "5.00", "5.00", True, 0.99),
            Value("vendor_name", Outcome.WRONG, "<b>Acme</b>", "Akme & Co", True, 0.95),
        ),
        _document(
            "b.pdf", Value("total", Outcome.WRONG, None, "7", False, 0.0), status="IN_REVIEW"
        ),
        _document("c.pdf", found="receipt"),
    ],
)


def test_page_is_whole_and_needs_nothing_from_elsewhere() -> None:
    text = page(RUN)
    elements = Elements(text)

    assert elements.open == []
    assert elements.links == []
    assert "http" not in text and "@import" not in text and "url(" not in text


def test_page_holds_the_figures() -> None:
    text = Elements(page(RUN)).text

    assert "Class right: 66.7 % (2/3, 20.8–93.9)." in text
    assert "Fields right: 33.3 % (1/3, 6.1–79.2)." in text
    assert "Wrong values stored without a reason: 50.0 % (1/2, 9.5–90.5)" in text
    assert "Time to the end: p50 4.0 s, p95 4.0 s. At AWS's prices: 0.21 USD" in text
    assert "invoice, text layer" in text
    # distances of the three given values: 0.01, 0.95 and 0
    assert "Expected calibration error: 0.320" in text


def test_page_lists_wrong_values_as_text_those_without_a_reason_first() -> None:
    text = page(RUN)

    assert "&lt;b&gt;Acme&lt;/b&gt;" in text and "<b>Acme" not in text
    assert text.index("NO REASON") < text.index("(not on the document)")


def test_page_draws_a_point_for_each_bin_and_the_confusions() -> None:
    text = page(RUN)

    assert text.count("<circle") == 3
    assert Elements(text).text.count("receipt") >= 2


def test_page_compares_with_an_earlier_run() -> None:
    earlier = Run(
        manifest="m.csv",
        began="2026-11-29T12:00:00Z",
        took_s=9,
        documents=[_document("c.pdf")],
    )

    elements = Elements(page(RUN, changes(earlier, RUN)))

    assert elements.open == []
    assert "Against the earlier run" in elements.text
    assert "1: c.pdf" in elements.text


def test_page_of_a_run_without_results_is_whole() -> None:
    empty = Run(manifest="m.csv", began="2026-11-30T12:00:00Z", took_s=0, documents=[])

    assert Elements(page(empty)).open == []
