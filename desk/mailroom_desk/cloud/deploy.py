"""Build and deploy the template to a running local cloud, when there is something new.

`sam build` runs when a file of the application has changed, `sam deploy` when the stack is not
the one of that build. The record of what was deployed names the stack and the time of its last
change, so that a stack which was deployed by hand, or lost, is noticed.
"""

import hashlib
import platform
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mailroom_desk.cloud.clients import local_client
from mailroom_desk.cloud.folder import Folder, locked, read_json, write_json
from mailroom_desk.cloud.sam import run_sam

TEMPLATE = "template.yaml"
CONFIG = "samconfig.toml"
REACTIONS = "reactions"
CONFIG_ENVIRONMENT = "local"
_SOURCES = ("src", "statemachine", TEMPLATE)
_HEALTHY = {"CREATE_COMPLETE", "UPDATE_COMPLETE"}


def deploy(
    folder: Folder,
    build: Path,
    project: Path,
    environment: Mapping[str, str],
    progress: Callable[[str], None],
    *,
    record: Path | None = None,
) -> dict[str, Any]:
    """Bring the stack up to date and return its description, as DescribeStacks has it.

    `build` is the folder for `sam build`; clouds of one project may share it. `record` is where
    the deployment is written down, when it is not Mailroom's own. Raises `SamError`.
    """
    record = record or folder.deployed_file
    name = stack_name(project)
    digest = digest_of(project)
    stack = find_stack(name, environment)
    if stack is not None and read_json(record) == _record(stack, digest):
        return stack
    log = folder.log("sam")
    with locked(build):
        _build(build, project, digest, environment, log, progress)
    progress("Deploying the stack")
    config = project / CONFIG
    run_sam(
        [
            "deploy",
            *("--template-file", str(build / "sam" / TEMPLATE)),
            *("--config-file", str(config), "--config-env", CONFIG_ENVIRONMENT),
            *overrides_of(project, "deploy"),
            "--no-progressbar",
        ],
        project=project,
        environment=environment,
        log=log,
    )
    deployed = find_stack(name, environment)
    if deployed is None:
        raise LookupError(f"the stack {name} is not there after its deployment ({log})")
    write_json(record, _record(deployed, digest))
    return deployed


def deploy_reaction(
    name: str,
    folder: Folder,
    build: Path,
    project: Path,
    environment: Mapping[str, str],
    progress: Callable[[str], None],
) -> dict[str, Any]:
    """Bring the stack of one of `reactions` up to date, as `deploy` does Mailroom's."""
    return deploy(
        folder,
        build / name,
        project / REACTIONS / name,
        environment,
        lambda message: progress(f"{name}: {message}"),
        record=folder.path / f"deployed-{name}.json",
    )


def reactions(project: Path) -> list[str]:
    """The applications beside Mailroom that can be deployed with it."""
    return sorted(path.parent.name for path in (project / REACTIONS).glob(f"*/{TEMPLATE}"))


def stack_name(project: Path) -> str:
    """The stack's name in samconfig.toml, where every SAM command finds it as well."""
    config = tomllib.loads((project / CONFIG).read_text(encoding="utf-8"))[CONFIG_ENVIRONMENT]
    for command in ("deploy", "global"):
        parameters = config.get(command, {}).get("parameters", {})
        if "stack_name" in parameters:
            return str(parameters["stack_name"])
    raise LookupError(f"{CONFIG} has no stack_name for the environment {CONFIG_ENVIRONMENT}")


def overrides_of(project: Path, command: str) -> list[str]:
    """The command's parameters in samconfig.toml, with the processor that this machine has.

    The functions run here, and some of what is installed beside them is compiled.
    """
    config = tomllib.loads((project / CONFIG).read_text(encoding="utf-8"))[CONFIG_ENVIRONMENT]
    given = str(config.get(command, {}).get("parameters", {}).get("parameter_overrides", ""))
    kind = "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64"
    ours = re.sub(r"ProcessorKind=\S+", f"ProcessorKind={kind}", given)
    return ["--parameter-overrides", *shlex.split(ours)] if ours else []


def find_stack(name: str, environment: Mapping[str, str]) -> dict[str, Any] | None:
    """The stack's description, or `None` when there is no such stack."""
    from botocore.exceptions import ClientError

    client = local_client("cloudformation", environment["AWS_ENDPOINT_URL"])
    try:
        return dict(client.describe_stacks(StackName=name)["Stacks"][0])
    except ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError":
            return None
        raise
    finally:
        client.close()


def _record(stack: Mapping[str, Any], digest: str) -> dict[str, str]:
    changed = stack.get("LastUpdatedTime", stack["CreationTime"])
    healthy = stack["StackStatus"] in _HEALTHY
    # An unhealthy stack is never the one on record.
    return {"stack": stack["StackId"], "changed": str(changed), "build": digest if healthy else ""}


def _build(
    build: Path,
    project: Path,
    digest: str,
    environment: Mapping[str, str],
    log: Path,
    progress: Callable[[str], None],
) -> None:
    stamp = build / "built"
    if stamp.exists() and stamp.read_text() == digest:
        return
    progress("Building the functions")
    stamp.unlink(missing_ok=True)
    run_sam(
        [
            "build",
            *("--template-file", str(project / TEMPLATE), "--base-dir", str(project)),
            *("--config-file", str(project / CONFIG), "--config-env", CONFIG_ENVIRONMENT),
            *overrides_of(project, "build"),
            *("--build-dir", str(build / "sam")),
            *("--cached", "--cache-dir", str(build / "cache")),
        ],
        project=project,
        environment=environment,
        log=log,
    )
    stamp.write_text(digest)


def digest_of(project: Path) -> str:
    """A digest of everything that `sam build` and `sam deploy` read, and of their version."""
    digest = hashlib.sha256(version("aws-sam-cli").encode())
    for path in (project / CONFIG, *_source_files(project)):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(project)}\0{content}\n".encode())
    return digest.hexdigest()


def _source_files(project: Path) -> Iterator[Path]:
    for source in (project / name for name in _SOURCES):
        if source.is_file():
            yield source
        elif source.is_dir():
            found = (path for path in source.rglob("*") if path.is_file())
            yield from sorted(path for path in found if "__pycache__" not in path.parts)
