"""Identity: valid for every service it is given to, the same for the same, else different."""

import re
from datetime import UTC, datetime

from botocore.session import get_session
from hypothesis import given
from hypothesis import strategies as st

from mailroom.document import (
    Work,
    all_shards,
    bounded,
    document_id,
    execution_name,
    job_tag,
    parse_job_tag,
    shard,
    timestamp,
)

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
triples = st.tuples(names, names, names)


@given(triples, triples)
def test_document_id_differs_exactly_where_the_triple_does(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    assert (document_id(*one) == document_id(*other)) == (one == other)


def test_document_id_parts_cannot_run_into_each_other() -> None:
    assert document_id("a", "bc", "d") != document_id("ab", "c", "d")
    assert document_id("a", "1:b", "") != document_id("a1", "b", "")


@given(triples, st.integers(1, 999_999))
def test_names_fit_the_services_that_take_them(triple: tuple[str, str, str], attempt: int) -> None:
    identity = document_id(*triple)
    textract = get_session().get_service_model("textract").shape_for("JobTag")
    tag = job_tag(identity, attempt)

    assert len(tag) <= textract.metadata["max"]
    assert re.fullmatch(textract.metadata["pattern"], tag)
    # Step Functions, StartExecution: at most 80, none of the characters it lists.
    assert re.fullmatch(r"[0-9a-f-]{1,80}", execution_name(identity, attempt))
    assert parse_job_tag(tag) == (identity, attempt)
    assert shard(identity) in all_shards()


def test_parse_job_tag_of_another_application_is_none() -> None:
    for tag in ("", "invoice-17", "a" * 40, f"{'a' * 40}.", f"{'g' * 40}.1", f"{'a' * 40}.1\n"):
        assert parse_job_tag(tag) is None


def test_work_goes_through_the_state_and_back() -> None:
    work = Work("d" * 40, 2, "b", "incoming/é +%.pdf", "job", "SUCCEEDED")

    assert Work.from_state({**work.to_state(), "extracted": {"words": 3}}) == work


def test_bounded_keeps_all_where_it_fits_and_drops_lists_where_not() -> None:
    fields = {"total": "1.00", "line_items": [{"description": "é" * 100}] * 50}

    assert bounded(fields, 1_000_000) == fields
    assert bounded(fields, 1_000) == {"total": "1.00"}


def test_timestamp_is_utc_with_milliseconds() -> None:
    assert timestamp(datetime(2026, 11, 30, 9, 5, tzinfo=UTC)) == "2026-11-30T09:05:00.000Z"
