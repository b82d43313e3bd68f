"""What is built again, and under which name it is deployed."""

import platform
from pathlib import Path

import pytest

from mailroom_desk.cloud.deploy import digest_of, overrides_of, reactions, stack_name
from mailroom_desk.cloud.launch import CloudError
from mailroom_desk.cloud.up import up

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src" / "__pycache__").mkdir(parents=True)
    (tmp_path / "src" / "app.py").write_text("x = 1\n")
    (tmp_path / "template.yaml").write_text("Resources: {}\n")
    (tmp_path / "samconfig.toml").write_text('[local.global.parameters]\nstack_name = "mine"\n')
    return tmp_path


def test_digest_changes_with_a_source_file_and_with_its_name(project: Path) -> None:
    digests = [digest_of(project)]
    (project / "src" / "app.py").write_text("x = 2\n")
    digests.append(digest_of(project))
    (project / "src" / "app.py").rename(project / "src" / "other.py")
    digests.append(digest_of(project))
    (project / "statemachine").mkdir()
    (project / "statemachine" / "document.asl.json").write_text("{}")
    digests.append(digest_of(project))
    assert len(set(digests)) == 4


def test_digest_ignores_compiled_modules_and_what_is_not_deployed(project: Path) -> None:
    before = digest_of(project)
    (project / "src" / "__pycache__" / "app.pyc").write_bytes(b"")
    (project / "README.md").write_text("hello")
    assert digest_of(project) == before


def test_stack_name_of_the_command_wins_over_the_global_one(project: Path) -> None:
    assert stack_name(project) == "mine"
    with (project / "samconfig.toml").open("a") as config:
        config.write('[local.deploy.parameters]\nstack_name = "other"\n')
    assert stack_name(project) == "other"


def test_stack_name_that_is_nowhere_is_an_error_that_says_where(project: Path) -> None:
    (project / "samconfig.toml").write_text("[local.deploy.parameters]\n")
    with pytest.raises(LookupError, match=r"samconfig\.toml has no stack_name"):
        stack_name(project)


@pytest.mark.parametrize(
    ("machine", "kind"),
    [("x86_64", "x86_64"), ("AMD64", "x86_64"), ("aarch64", "arm64"), ("arm64", "arm64")],
)
def test_functions_are_built_for_the_processor_that_they_run_on(
    project: Path, monkeypatch: pytest.MonkeyPatch, machine: str, kind: str
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with (project / "samconfig.toml").open("a") as config:
        config.write("[local.deploy.parameters]\n")
        config.write('parameter_overrides = "A=0.5 ProcessorKind=x86_64 B=2"\n')

    expected = ["--parameter-overrides", "A=0.5", f"ProcessorKind={kind}", "B=2"]
    assert overrides_of(project, "deploy") == expected
    assert overrides_of(project, "build") == []


def test_local_build_and_deployment_name_the_processor() -> None:
    """Without it the build is for the template's default, which is not this machine's."""
    for command in ("build", "deploy"):
        assert any(each.startswith("ProcessorKind=") for each in overrides_of(PROJECT, command))


def test_reaction_has_a_stack_of_its_own_that_is_built_for_this_machine() -> None:
    names = reactions(PROJECT)
    assert "orders" in names
    stacks = {stack_name(PROJECT / "reactions" / name) for name in names}
    assert len(stacks | {stack_name(PROJECT)}) == len(names) + 1
    for name in names:
        for command in ("build", "deploy"):
            overrides = overrides_of(PROJECT / "reactions" / name, command)
            assert any(each.startswith("ProcessorKind=") for each in overrides)


def test_unknown_reaction_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(CloudError, match=r"'pizza'.*orders"):
        up(tmp_path / "cloud", beside=["orders", "pizza"])
    assert not (tmp_path / "cloud").exists()
