"""What ships: only the allowed imports, nothing done at import, the versions of the lock file."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from stack import ROOT, functions

SOURCE = ROOT / "src"
MODULES = sorted((SOURCE / "mailroom").rglob("*.py"))
IDS = [str(path.relative_to(SOURCE)) for path in MODULES]
# What is installed beside the package, and the name under which it is imported.
SHIPPED = {
    "aws-lambda-powertools": "aws_lambda_powertools",
    "fastjsonschema": "fastjsonschema",
    "msgspec": "msgspec",
    "python-stdnum": "stdnum",
}
EVERYWHERE = {*SHIPPED.values(), "mailroom"}
UNDER_AWS = {"boto3", "botocore"}


def imports(path: Path) -> Iterator[str]:
    """The top-level names that a file imports, at its top or further in."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]
            case ast.ImportFrom():
                pytest.fail(f"{path.name}: a relative import")


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_module_imports_only_what_is_allowed(path: Path) -> None:
    allowed = set(sys.stdlib_module_names) | EVERYWHERE
    if path.parent.name == "aws":
        allowed |= UNDER_AWS
    assert set(imports(path)) - allowed == set()


def test_nothing_happens_at_import() -> None:
    """With an empty environment, no client, no file and no socket."""
    names = [".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in MODULES]
    names = [name.removesuffix(".__init__") for name in names]
    program = f"""
import sys
import boto3, botocore.client, socket
def refuse(*_, **__):
    raise SystemExit("a client or a socket was made at import")
boto3.client = boto3.resource = botocore.client.ClientCreator.create_client = refuse
socket.socket.connect = refuse
import os
class Environment(dict):
    def get(self, name, default=None):
        return self[name] if name in self else default
    def __contains__(self, name):
        frame = sys._getframe(1)
        while frame:
            seen = frame.f_code.co_filename
            if seen.startswith("<frozen importlib"):
                return super().__contains__(name)  # another module's import is its own affair
            if "/src/mailroom/" in seen:
                raise SystemExit(f"{{seen}} read {{name}} at import")
            frame = frame.f_back
        return super().__contains__(name)
    def __getitem__(self, name):
        name in self
        return super().__getitem__(name)
os.environ = Environment(os.environ)
import importlib
for name in {names!r}:
    importlib.import_module(name)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_no_handler_loads_what_belongs_to_the_desk() -> None:
    handlers = [function["Handler"].rpartition(".")[0] for function in functions().values()]
    program = f"""
import importlib, sys
for name in {handlers!r}:
    importlib.import_module(name)
print(*sorted(name for name in sys.modules if "." not in name))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=True,
    )
    heavy = {
        "mailroom_desk",
        "ministack",
        "onnxruntime",
        "numpy",
        "PIL",
        "aws_xray_sdk",
        "pydantic",
    }
    assert heavy & set(done.stdout.split()) == set()


def test_shipped_versions_are_the_locked_ones() -> None:
    lines = (SOURCE / "requirements.txt").read_text("utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    lock = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))
    locked = {package["name"]: package["version"] for package in lock["package"]}
    assert {name: locked[name] for name in pinned} == pinned
    assert set(pinned) == set(SHIPPED)


def test_every_shipped_package_is_a_dependency_at_the_desk_too() -> None:
    """In a range that holds the pinned version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ranges = {each.name: each.specifier for each in map(Requirement, project["dependencies"])}
    for line in (SOURCE / "requirements.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, version = line.partition("==")
            assert ranges[name].contains(version), line
