"""The environment of each function, as one frozen dataclass. Nobody else reads `os.environ`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

from mailroom.errors import ServiceMisconfigured


@dataclass(frozen=True)
class Settings:
    """Base: each field is read from the variable of its name in capitals."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Read the environment.

        Raises ServiceMisconfigured, naming the variables that are missing.
        """
        environ = os.environ if environ is None else environ
        names = {field.name: field.name.upper() for field in fields(cls)}
        missing = [name for name in names.values() if environ.get(name, "") == ""]
        if missing:
            raise ServiceMisconfigured(f"The environment lacks {', '.join(missing)}.")
        return cls(**{field: environ[name] for field, name in names.items()})


@dataclass(frozen=True)
class IntakeSettings(Settings):
    """`intake`: where documents come from, where Textract answers, what it is asked for, and where
    ends are announced.
    """

    bucket: str
    table: str
    ocr_topic_arn: str
    ocr_role_arn: str
    ocr_features: str
    dead_letter_queue_url: str
    max_in_flight: str
    duplicate_policy: str
    bus: str


@dataclass(frozen=True)
class OcrDoneSettings(Settings):
    """`ocr_done`: the rows, the state machine to start, and who takes held documents in."""

    table: str
    state_machine_arn: str
    intake_function: str


@dataclass(frozen=True)
class ExtractSettings(Settings):
    """`extract`: the bucket that holds the job's files and takes the text."""

    bucket: str


@dataclass(frozen=True)
class ClassifySettings(Settings):
    """`classify`: the bucket, the model, what Textract is asked for, which sets its price, and what
    the model's reading of one document may cost in USD.
    """

    bucket: str
    model_id: str
    ocr_features: str
    max_document_usd: str


@dataclass(frozen=True)
class StoreSettings(Settings):
    """`store`: the bucket that holds the results, and the rows."""

    bucket: str
    table: str


@dataclass(frozen=True)
class CloserSettings(Settings):
    """`closer`: the rows, the queue of dead letters, and where ends are announced."""

    table: str
    dead_letter_queue_url: str
    bus: str


@dataclass(frozen=True)
class SweeperSettings(Settings):
    """`sweeper`: all that a row can wait for, and how long it may."""

    table: str
    state_machine_arn: str
    bus: str
    dead_letter_queue_url: str
    intake_function: str
    ocr_done_function: str
    received_limit_minutes: str
    reading_limit_minutes: str
    working_limit_minutes: str
    announce_limit_minutes: str
    give_up_minutes: str
    held_per_sweep: str


@dataclass(frozen=True)
class DigestSettings(Settings):
    """`digest`: the bucket whose versions are accounted for, and the rows."""

    bucket: str
    table: str
