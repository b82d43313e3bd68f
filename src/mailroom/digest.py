"""Beside the road. Tell people about a day: the numbers, and how Claude is asked to say them.

Comes in: the digest's execution: what it was asked (`{"date": "2026-11-30"}`, or nothing for the
last whole day) and when it started. Days are UTC's.
Goes out: the numbers; the same as facts for people; and the request that lets Claude say them in
three sentences. It holds the facts and nothing else: no name and no text of a document.
Raises: StorageUnavailable for another try; UnknownEvent for a day that is none or has not begun.
Next: `Summarise`.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from mailroom.aws.bucket import Bucket
from mailroom.aws.days import DocumentDays
from mailroom.day import Numbers, Waiting, count_day
from mailroom.document import INCOMING
from mailroom.errors import UnknownEvent
from mailroom.observability import count, logger, observed
from mailroom.settings import DigestSettings

PREFIX = "digests/"
"""Where the digests lie in the bucket."""

_INSTRUCTION = (
    "You write for the people who look after a document pipeline. You get the facts of one day. "
    "Answer with exactly three plain sentences: what came in and what became of it, what went "
    "wrong, and what waits for a person. Use the numbers that are given and no others. "
    "No greeting, no advice, no list, no heading."
)
_MAX_TOKENS = 400


def facts(told: Numbers) -> list[str]:
    """The numbers as sentences, one a line of the digest."""
    day = date.fromisoformat(told.date)
    fates = [f"{number} {fate.replace('_', ' ')}" for fate, number in told.fates.items()]
    landed = f"{_documents(told.landed)} landed on {day.day} {day:%B} {day.year} (UTC)"
    return [
        f"{landed}: {', '.join(fates)}." if fates else f"{landed}.",
        f"Unaccounted for: {told.unaccounted}."
        + (" Take them in with: mailroom reconcile." if told.unaccounted else ""),
        f"Stored by class: {_list(told.stored)}.",
        f"Dead by cause: {_list(told.dead)}.",
        f"Waiting now: {_list_waiting(told.waiting)}.",
        f"Spent: {Decimal(told.spent_usd):.2f} USD at list prices, Textract and Claude together.",
    ]


def digest(told: Numbers) -> dict[str, Any]:
    """What the state machine needs to write the digest and to tell people."""
    lines = "\n".join(facts(told))
    dead = sum(told.dead.values())
    return {
        "date": told.date,
        "numbers": asdict(told),
        "key": f"{PREFIX}{told.date}.json",
        # SNS: ASCII without line breaks, fewer than 100 characters.
        "subject": f"Mailroom {told.date}: {told.landed} landed, {dead} dead, "
        f"{told.unaccounted} unaccounted for",
        "facts": lines,
        "beneath": f"\n\n{lines}",
        "request": {
            "anthropic_version": "bedrock-2023-05-31",
            "max_tokens": _MAX_TOKENS,
            "temperature": 0,
            "system": _INSTRUCTION,
            "messages": [{"role": "user", "content": [{"type": "text", "text": lines}]}],
        },
    }


def asked_day(event: Mapping[str, Any], today: date) -> date:
    """The day that an event means. Raises UnknownEvent."""
    match event:
        case {"asked": {"date": asked}}:
            try:
                day = date.fromisoformat(str(asked))
            except ValueError:
                raise UnknownEvent("The date is none. Write it as 2026-11-30.") from None
            if day > today:
                raise UnknownEvent(f"{day.isoformat()} has not begun: days are UTC's.")
            return day
        case {"started_at": str(started)}:
            return datetime.fromisoformat(started).astimezone(UTC).date() - timedelta(days=1)
    raise UnknownEvent("The event says neither which day is meant nor when it was started.")


def _documents(number: int) -> str:
    return "1 document" if number == 1 else f"{number} documents"


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items()) or "none"


def _list_waiting(waiting: Mapping[str, Waiting]) -> str:
    told = []
    for status, each in waiting.items():
        words = status.lower().replace("_", " ")
        told.append(f"{each.documents} {words} (the longest for {each.longest_hours} hours)")
    return ", ".join(told) or "none"


@observed
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Count the day that was asked for."""
    settings = DigestSettings.from_env()
    now = datetime.now(UTC)
    day = asked_day(event, now.date())
    versions = Bucket(settings.bucket).versions(INCOMING)
    told = count_day(day, versions, DocumentDays(settings.table), now)
    count("DocumentsUnaccounted", told.unaccounted)
    logger().info("Counted", day=told.date, landed=told.landed, unaccounted=told.unaccounted)
    return digest(told)
