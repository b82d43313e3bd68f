"""The local cloud of this suite: started once, in a folder of its own, and ended with the tests.

Under pytest-xdist, `--dist loadgroup` keeps the suite in one worker. Without it, each worker has
a cloud of its own, on ports of its own; they share what `sam build` made.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mailroom_desk.cloud.settings import Settings
from mailroom_desk.cloud.state import Cloud
from mailroom_desk.cloud.up import PROJECT, down, up

SETTINGS = Settings(emulator_port=0, sandboxes=8)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("cloud"))


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """The deployed template."""
    folder = tmp_path_factory.mktemp("cloud")
    build = PROJECT / ".mailroom" / "build"
    try:
        yield up(folder, build=build, settings=SETTINGS, detach=False)
    finally:
        down(folder)
