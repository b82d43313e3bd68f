"""The local cloud of this suite: started once, in a folder of its own, and ended with the tests.

Each worker of pytest-xdist has a cloud of its own, on ports of its own; they share what `sam build`
made. Much of what the suite does is waiting, so two clouds share two cores well.
"""

from collections.abc import Iterator

import pytest

from mailroom_desk.cloud.settings import Settings
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.cloud.up import PROJECT, down, up

SETTINGS = Settings(emulator_port=0, sandboxes=8)


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """The deployed template."""
    folder = tmp_path_factory.mktemp("cloud")
    build = PROJECT / ".mailroom" / "build"
    try:
        yield up(folder, build=build, settings=SETTINGS, detach=False)
    finally:
        down(folder)
