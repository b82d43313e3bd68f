"""Archives of event buses that a template names.

Gap of ministack 1.5.33 that is closed here: it keeps and replays archives by the API, and has no
`AWS::Events::Archive`, so that a stack with an archive is refused as a whole.
"""

import json
from typing import Any

from ministack.services import eventbridge
from ministack.services.cloudformation import provisioners

_RESOURCE = "AWS::Events::Archive"


def install() -> None:
    """Let CloudFormation make, change and delete archives."""
    provisioners._RESOURCE_HANDLERS[_RESOURCE] = {
        "create": _create,
        "update": _update,
        "delete": _delete,
    }


def _create(logical_id: str, properties: dict[str, Any], stack_name: str) -> tuple[str, Any]:
    name = properties.get("ArchiveName") or f"{stack_name}-{logical_id}"
    given = _given(name, properties) | {"EventSourceArn": properties["SourceArn"]}
    return name, {"Arn": _answer(eventbridge._create_archive(given))["ArchiveArn"]}


def _update(
    physical_id: str, old: Any, new: dict[str, Any], stack_name: str
) -> tuple[str, dict[str, Any]]:
    changed = _answer(eventbridge._update_archive(_given(physical_id, new)))
    return physical_id, {"Arn": changed["ArchiveArn"]}


def _delete(physical_id: str, properties: Any) -> None:
    eventbridge._delete_archive({"ArchiveName": physical_id})


def _given(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    """A template's archive as the API takes it: the pattern as text, the days as a number."""
    pattern = properties.get("EventPattern")
    return {
        "ArchiveName": name,
        "Description": properties.get("Description", ""),
        "EventPattern": json.dumps(pattern) if pattern else "",
        "RetentionDays": int(properties.get("RetentionDays", 0)),
    }


def _answer(response: tuple[int, Any, bytes | str]) -> dict[str, Any]:
    status, _, body = response
    if status >= 400:
        raise ValueError(f"{_RESOURCE}: {body!r}")
    answer: dict[str, Any] = json.loads(body)
    return answer
