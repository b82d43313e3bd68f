"""The classes a document can have: each one a tool that the model can pick.

The file beside this module is the packaged default; `classes_file` finds the one that is in force
and holds the rules of such a file. Each class has a name, a description and a JSON Schema of its
fields, which the model sees. The rest it does not see:

    needed   the fields without which a person must look
    labels   what is printed before a field's value, to find contradictions
    signs    words that documents of the class show
    checks   what must hold between fields, see `checks`
    merge    how the windows of a long document become one, see `merge`
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

Schema = dict[str, Any]

_DIGEST_LENGTH = 12


@dataclass(frozen=True)
class DocumentClass:
    """One class: `schema` describes its fields; formats `date` and `decimal` say how to compare."""

    name: str
    description: str
    schema: Schema
    needed: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    signs: tuple[str, ...] = ()
    checks: tuple[Mapping[str, Any], ...] = ()
    merge: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Classes:
    """All classes of one version of the file, by name.

    `version` is the file's own version and the beginning of its SHA-256, such as
    `2+0a1b2c3d4e5f`: two files that call themselves alike are told apart on the row.
    """

    version: str
    by_name: dict[str, DocumentClass]

    def tools(self) -> list[dict[str, Any]]:
        """One tool a class, in the order of the file, with a cache point behind them.

        The tools are the same in every call, so the model's provider can keep them: where they have
        the model's least length, 1,024 tokens for Claude Sonnet 4.5 and 4,096 for Haiku 4.5, which
        the packaged ones do not quite reach (Bedrock user guide, "Prompt caching").
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


def parse(content: bytes) -> Classes:
    """Read a file of classes that keeps the rules of `classes_file`."""
    file = json.loads(content)
    digest = hashlib.sha256(content).hexdigest()[:_DIGEST_LENGTH]
    return Classes(
        version=f"{file['version']}+{digest}",
        by_name={entry["name"]: _class(entry) for entry in file["classes"]},
    )


def _class(entry: dict[str, Any]) -> DocumentClass:
    return DocumentClass(
        entry["name"],
        entry["description"],
        entry["schema"],
        tuple(entry["needed"]),
        labels={name: tuple(texts) for name, texts in entry.get("labels", {}).items()},
        signs=tuple(entry.get("signs", ())),
        checks=tuple(entry.get("checks", ())),
        merge=entry.get("merge", {}),
    )


@cache
def packaged_classes() -> Classes:
    """The classes that ship with Mailroom."""
    return parse(packaged_file())


def packaged_file() -> bytes:
    """The file that ships with Mailroom, as it is."""
    return files("mailroom").joinpath("classes.json").read_bytes()
