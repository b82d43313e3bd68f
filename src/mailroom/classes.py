"""The classes a document can have: each one a tool that the model can pick.

The file beside this module is the packaged default. Each class has a name, a description, a JSON
Schema of its fields, and the fields without which a person must look (`needed`).
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True)
class DocumentClass:
    """One class: `schema` describes its fields; formats `date` and `decimal` say how to compare."""

    name: str
    description: str
    schema: Schema
    needed: tuple[str, ...]


@dataclass(frozen=True)
class Classes:
    """All classes of one version of the file, by name."""

    version: str
    by_name: dict[str, DocumentClass]

    def tools(self) -> list[dict[str, Any]]:
        """One tool a class, in the order of the file, with a cache point behind them.

        The tools are the same in every call, so the model's provider can keep them.
        """
        tools: list[dict[str, Any]] = [
            {
                "toolSpec": {
                    "name": each.name,
                    "description": each.description,
                    "inputSchema": {"json": each.schema},
                }
            }
            for each in self.by_name.values()
        ]
        return [*tools, {"cachePoint": {"type": "default"}}]


@cache
def packaged_classes() -> Classes:
    """The classes that ship with Mailroom."""
    content = json.loads(files("mailroom").joinpath("classes.json").read_text("utf-8"))
    return Classes(
        version=content["version"],
        by_name={
            entry["name"]: DocumentClass(
                entry["name"], entry["description"], entry["schema"], tuple(entry["needed"])
            )
            for entry in content["classes"]
        },
    )
