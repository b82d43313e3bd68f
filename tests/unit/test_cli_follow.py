"""Following documents, with a clock that moves only when the code pauses."""

from collections.abc import Collection
from typing import Any

from mailroom_desk.follow import Followed, follow


class Time:
    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def clock(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class Script:
    """Rows as they are at each look; the last look goes on for ever."""

    def __init__(self, *looks: dict[str, str]) -> None:
        self._looks = list(looks)
        self.asked: list[set[str]] = []

    def get_many(self, document_ids: Collection[str]) -> dict[str, dict[str, Any]]:
        self.asked.append(set(document_ids))
        look = self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]
        return {
            name: {"document_id": name, "status": status}
            for name, status in look.items()
            if name in document_ids
        }


def _documents(*names: str) -> list[Followed]:
    return [Followed(name, f"incoming/{name}", 0.0) for name in names]


def _changes(
    documents: list[Followed], rows: Script, time: Time, timeout: float = 60
) -> list[list[str]]:
    looks = follow(documents, rows, timeout, clock=time.clock, pause=time.pause)
    return [[f"{d.document_id} {(d.row or {}).get('status')}" for d in look] for look in looks]


def test_follow_reports_each_change_once_until_all_have_ended() -> None:
    rows = Script(
        {},
        {"a": "RECEIVED"},
        {"a": "RECEIVED", "b": "REJECTED"},
        {"a": "STORED"},
    )

    changes = _changes(_documents("a", "b"), rows, Time())

    assert changes == [[], ["a RECEIVED"], ["b REJECTED"], ["a STORED"]]


def test_follow_asks_no_more_for_a_document_that_has_ended() -> None:
    rows = Script({"a": "STORED"}, {"b": "DEAD_LETTERED"})

    _changes(_documents("a", "b"), rows, Time())

    assert rows.asked == [{"a", "b"}, {"b"}]


def test_follow_ends_after_the_timeout_with_the_document_still_open() -> None:
    documents, time = _documents("a"), Time()

    _changes(documents, Script({"a": "WORKING"}), time, timeout=10)

    assert time.now == 10
    assert documents[0].ended is None


def test_follow_looks_once_where_there_is_no_time() -> None:
    documents, rows = _documents("a"), Script({"a": "STORED"})

    _changes(documents, rows, Time(), timeout=0)

    assert documents[0].ended == 0


def test_follow_asks_less_often_while_nothing_happens_and_soon_again_after_a_change() -> None:
    waiting: list[dict[str, str]] = [{}] * 20
    time = Time()

    _changes(_documents("a"), Script(*waiting, {"a": "READING"}, {"a": "STORED"}), time)

    assert time.pauses[1] < time.pauses[10] <= 3
    assert time.pauses[-1] <= time.pauses[0]


def test_follow_counts_review_as_an_end() -> None:
    documents = _documents("a")

    assert _changes(documents, Script({"a": "IN_REVIEW"}), Time()) == [["a IN_REVIEW"]]
