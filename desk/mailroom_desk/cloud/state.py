"""A running local cloud, as `up` returns it and `cloud.json` keeps it."""

import contextlib
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.claude.choice import ClaudeChoice
from mailroom_desk.cloud.clients import local_client
from mailroom_desk.cloud.folder import Folder, read_json, write_json
from mailroom_desk.cloud.processes import ProcessId
from mailroom_desk.cloud.settings import REGION, Ports, aws_environment


@dataclass(frozen=True)
class Cloud:
    """Where the cloud is reached, and what is deployed in it."""

    folder: Path
    ports: Ports
    supervisor: ProcessId
    stack_name: str
    # The stack's outputs, by their names in the template.
    outputs: Mapping[str, str]
    # Who answers as Claude.
    claude: ClaudeChoice = field(default_factory=ClaudeChoice)

    @property
    def endpoint(self) -> str:
        return self.ports.url(self.ports.emulator)

    @property
    def region(self) -> str:
        return REGION

    @property
    def environment(self) -> dict[str, str]:
        """This process's environment, with every AWS tool pointed at the cloud."""
        return aws_environment(self.ports)

    @property
    def bucket(self) -> str:
        return self.outputs["DocumentsBucket"]

    @property
    def table(self) -> str:
        return self.outputs["DocumentsTable"]

    @property
    def bus(self) -> str:
        return self.outputs["EventBus"]

    @property
    def dead_letter_queue_url(self) -> str:
        return self.outputs["DeadLetterQueueUrl"]

    @property
    def undelivered_queue_url(self) -> str:
        return self.outputs["UndeliveredQueueUrl"]

    @property
    def state_machine_arn(self) -> str:
        return self.outputs["StateMachineArn"]

    @property
    def pids(self) -> dict[str, int]:
        """The processes by name, as the supervisor last started them."""
        known = read_json(Folder(self.folder).processes_file) or {}
        return {name: process["pid"] for name, process in known.items()}

    def client(self, service: str) -> Any:
        """A boto3 client of the cloud."""
        own = {"textract": self.ports.textract, "bedrock-runtime": self.ports.claude}
        return local_client(service, self.ports.url(own.get(service, self.ports.emulator)))

    def save(self) -> None:
        write_json(
            Folder(self.folder).cloud_file, dataclasses.asdict(self) | {"folder": str(self.folder)}
        )


def find_cloud(folder: Path) -> Cloud | None:
    """The cloud that runs from this folder; `None` when none does."""
    saved = read_json(Folder(folder.resolve()).cloud_file)
    with contextlib.suppress(KeyError, TypeError):
        cloud = Cloud(
            folder=folder.resolve(),
            ports=Ports(**saved["ports"]),
            supervisor=ProcessId(**saved["supervisor"]),
            stack_name=saved["stack_name"],
            outputs=saved["outputs"],
            claude=ClaudeChoice(**saved.get("claude", {})),
        )
        return cloud if cloud.supervisor.find() else None
    return None
