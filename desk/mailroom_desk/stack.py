"""A deployed Mailroom: its resources by name, and clients for it.

`local_stack` finds the local cloud of a folder, `aws_stack` one that was deployed to AWS. Both give
the same `Stack`, so that every command works on either.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from mailroom_desk.errors import NoLocalCloud, StackNotFound

HOME = Path(".mailroom")
"""The folder of the local cloud, in the current folder."""


@dataclass(frozen=True)
class Stack:
    """Where documents are sent, where their rows are, and how they are reached."""

    name: str
    region: str
    bucket: str
    table: str
    state_machine_arn: str
    is_local: bool
    client: Callable[[str], Any]
    """A boto3 client by the service's name; the same one each time."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """All that the stack tells about itself, by the names in the template."""

    @property
    def intake_function(self) -> str:
        return self._output("IntakeFunction")

    @property
    def summaries_table(self) -> str:
        return self._output("SummariesTable")

    @property
    def summary_state_machine_arn(self) -> str:
        return self._output("SummaryStateMachineArn")

    @property
    def sweeper_function(self) -> str:
        return self._output("SweeperFunction")

    @property
    def event_bus(self) -> str:
        return self._output("EventBus")

    @property
    def backfill_state_machine_arn(self) -> str:
        return self._output("BackfillStateMachineArn")

    @property
    def digest_state_machine_arn(self) -> str:
        return self._output("DigestStateMachineArn")

    @property
    def undelivered_queue_url(self) -> str:
        return self._output("UndeliveredQueueUrl")

    @property
    def dead_letter_queue_url(self) -> str:
        return self._output("DeadLetterQueueUrl")

    def _output(self, name: str) -> str:
        """What only some commands need. Raises StackNotFound where an older Mailroom runs."""
        try:
            return self.outputs[name]
        except KeyError:
            raise StackNotFound(
                f"The stack {self.name} has no output {name}: an older Mailroom was deployed. "
                "Deploy it again: mailroom up, or sam deploy."
            ) from None

    def console_url(self, execution_arn: str) -> str | None:
        """The execution's page in AWS's console; None for the local cloud, which has none."""
        if self.is_local:
            return None
        domain = _CONSOLES.get(execution_arn.split(":")[1], "aws.amazon.com")
        return (
            f"https://{self.region}.console.{domain}/states/home?region={self.region}"
            f"#/v2/executions/details/{execution_arn}"
        )


# Consoles of the other partitions. Source: AWS China and AWS GovCloud (US) user guides.
_CONSOLES = {"aws-cn": "amazonaws.cn", "aws-us-gov": "amazonaws-us-gov.com"}


def local_stack(home: Path = HOME) -> Stack:
    """The stack in the local cloud of this folder. Raises NoLocalCloud."""
    from mailroom_desk.cloud.state import find_cloud

    cloud = find_cloud(home)
    if cloud is None:
        raise NoLocalCloud("No local cloud is running here. Start one with: mailroom up")
    return _stack(
        cloud.stack_name, cloud.region, cloud.outputs, is_local=True, client=cache(cloud.client)
    )


def aws_stack(name: str, profile: str | None = None, region: str | None = None) -> Stack:
    """The stack of this name, by the outputs that CloudFormation gives. Raises StackNotFound."""
    import boto3
    from botocore.exceptions import ClientError

    session: Any = boto3.Session(profile_name=profile, region_name=region)
    cloudformation = session.client("cloudformation")
    found_region = cloudformation.meta.region_name
    try:
        stack = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
    except ClientError as error:
        if "does not exist" not in str(error):
            raise
        raise StackNotFound(
            f"There is no stack {name} in {found_region}. Check --stack, --region and --profile, "
            "or deploy it with: sam deploy"
        ) from error
    outputs = {found["OutputKey"]: found["OutputValue"] for found in stack.get("Outputs", [])}
    return _stack(name, found_region, outputs, is_local=False, client=cache(session.client))


def _stack(
    name: str,
    region: str,
    outputs: Mapping[str, str],
    *,
    is_local: bool,
    client: Callable[[str], Any],
) -> Stack:
    try:
        return Stack(
            name=name,
            region=region,
            bucket=outputs["DocumentsBucket"],
            table=outputs["DocumentsTable"],
            state_machine_arn=outputs["StateMachineArn"],
            is_local=is_local,
            client=client,
            outputs=outputs,
        )
    except KeyError as missing:
        raise StackNotFound(
            f"The stack {name} has no output {missing.args[0]}: it is not Mailroom's, or its "
            "deployment has not ended. Name another one with --stack, or deploy it again."
        ) from None
