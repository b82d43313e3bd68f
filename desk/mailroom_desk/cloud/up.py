"""Start and stop a local cloud.

`up` starts the three servers, builds and deploys the template, and leaves the cloud running in the
background; a second `up` finds it, and only deploys what has changed. `down` ends it and keeps
its documents for the next `up`. When `up` fails or is interrupted, whatever it started is ended.
"""

import dataclasses
from collections.abc import Callable, Collection
from pathlib import Path

from mailroom_desk.cloud.claude.choice import ClaudeChoice, ClaudeUnusable
from mailroom_desk.cloud.deploy import deploy, deploy_reaction, reactions
from mailroom_desk.cloud.folder import Folder, locked, read_json
from mailroom_desk.cloud.launch import CloudError, Launched, answers, launch
from mailroom_desk.cloud.processes import ProcessId, end_processes
from mailroom_desk.cloud.servers import HEALTH_PATH, check_claude
from mailroom_desk.cloud.settings import Settings
from mailroom_desk.cloud.state import Cloud, find_cloud

# The project that this package belongs to: the template lies at its root.
PROJECT = Path(__file__).resolve().parents[3]
# The clouds of `detach=False`: their lifelines stay open as long as this process lives.
_attached: dict[Path, Launched] = {}


def up(
    folder: Path,
    *,
    project: Path = PROJECT,
    build: Path | None = None,
    settings: Settings | None = None,
    beside: Collection[str] = (),
    detach: bool = True,
    progress: Callable[[str], None] = lambda message: None,
) -> Cloud:
    """Start the cloud of `folder` (`.mailroom`), or find it, with the project deployed in it.

    A Claude that cannot be asked is refused before anything is started, and another one than the
    running cloud's as well. `build` is where `sam build` keeps its results, when clouds are to
    share them. `beside` names the applications of `reactions/` that are deployed as well; those of
    an earlier `up` stay where they are. With `detach=False` the cloud ends when this process ends.
    Raises `CloudError`, `SamError` and `ClaudeUnusable`.
    """
    settings = settings or Settings()
    known = reactions(project)
    for name in beside:
        if name not in known:
            names = ", ".join(known)
            raise CloudError(f"reactions/ has no application {name!r}. Name one of: {names}")
    home = Folder(folder.resolve())
    with locked(home.path):
        home.create()
        running = find_cloud(folder)
        if running is not None and answers(f"{running.endpoint}{HEALTH_PATH}"):
            if settings.claude not in (None, running.claude):
                raise ClaudeUnusable(
                    f"The local cloud is up, and {running.claude.name} answers. For another Claude "
                    "stop it first: mailroom down"
                )
            return _deployed(running, build, project, beside, progress)
        claude = settings.claude or ClaudeChoice()
        if claude != ClaudeChoice():
            progress(f"Asking whether {claude.name} can be asked")
            check_claude(claude)
        _end_remains(home, Settings().stop_seconds)
        progress("Starting the local cloud")
        launched = launch(home, settings)
        try:
            cloud = Cloud(home.path, launched.ports, launched.identity, "", {}, claude)
            cloud = _deployed(cloud, build, project, beside, progress)
            if detach:
                launched.detach()
        except BaseException:
            launched.end()
            home.cloud_file.unlink(missing_ok=True)
            raise
        if not detach:
            _attached[home.path] = launched
        return cloud


def down(folder: Path, *, grace: float = Settings().stop_seconds) -> bool:
    """End the cloud of `folder` and wait until it has ended; false when none was running."""
    home = Folder(folder.resolve())
    with locked(home.path):
        running = find_cloud(folder)
        if running is not None:
            # The supervisor gives its servers the grace first.
            end_processes([running.supervisor], grace + 5)
        _end_remains(home, grace)
        if launched := _attached.pop(home.path, None):
            launched.end()
        return running is not None


def _deployed(
    cloud: Cloud,
    build: Path | None,
    project: Path,
    beside: Collection[str],
    progress: Callable[[str], None],
) -> Cloud:
    """Deploy what has changed, and write down what there is."""
    home = Folder(cloud.folder)
    stack = deploy(home, build or home.build, project, cloud.environment, progress)
    outputs = {found["OutputKey"]: found["OutputValue"] for found in stack.get("Outputs", [])}
    cloud = dataclasses.replace(cloud, stack_name=stack["StackName"], outputs=outputs)
    cloud.save()
    for name in beside:
        deploy_reaction(name, home, build or home.build, project, cloud.environment, progress)
    return cloud


def _end_remains(home: Folder, grace: float) -> None:
    """End what a crashed supervisor may have left, and forget it."""
    known = read_json(home.processes_file) or {}
    end_processes([ProcessId(**process) for process in known.values()], grace)
    home.processes_file.unlink(missing_ok=True)
    home.cloud_file.unlink(missing_ok=True)
