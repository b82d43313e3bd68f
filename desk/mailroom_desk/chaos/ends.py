"""When a document has come to its end, how long that may take, and how long it took."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from mailroom.document import ENDS
from mailroom_desk.chaos.invariants import Evidence
from mailroom_desk.documents import Row
from mailroom_desk.stack import Stack

GIVE_UP = timedelta(minutes=3)
"""24 minutes in the local settings: too long to wait for a job that never ends."""
_SLACK = timedelta(seconds=75)  # some sweeps, on a machine that is busy


def has_ended(row: Row) -> bool:
    """In a final status, and announced."""
    return row["status"] in ENDS and "announced_at" in row


def shorten_give_up(stack: Stack) -> None:
    """Let the sweeper give up after minutes."""
    functions = stack.client("lambda")
    found = functions.get_function_configuration(FunctionName=stack.sweeper_function)
    variables = found["Environment"]["Variables"]
    minutes = str(GIVE_UP.total_seconds() / 60)
    functions.update_function_configuration(
        FunctionName=stack.sweeper_function,
        Environment={"Variables": {**variables, "GIVE_UP_MINUTES": minutes}},
    )


def limits() -> dict[str, timedelta]:
    """RECEIVED and READING end when the sweeper gives up; HELD has no limit: waiting is allowed.

    WORKING is bounded by the retries of its states, with the local cloud's waits; an end by the
    sweep that makes up for its announcement.
    """
    return {
        "RECEIVED": GIVE_UP + _SLACK,
        "READING": GIVE_UP + _SLACK,
        "WORKING": timedelta(minutes=10),
        **dict.fromkeys(map(str, ENDS), _SLACK),
    }


def times(evidence: Evidence) -> Mapping[str, float]:
    """Seconds from each upload to the final status."""
    sent = {each.document_id: each.sent_at for each in evidence.uploaded}
    found = {}
    for name, row in evidence.rows.items():
        ends = [e["at"] for e in row["timeline"] if e["status"] == row["status"]]
        if row["status"] in ENDS and ends:
            found[name] = datetime.fromisoformat(ends[-1]).timestamp() - sent[name]
    return found
