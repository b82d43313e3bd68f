"""The stack as data: the state machines, the functions, and what each stage can raise."""

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import mailroom.aws
from mailroom import errors

PROJECT = Path(__file__).resolve().parents[3]
# Lambda's defaults for asynchronous invocations: developer guide, "Asynchronous invocation".
_ASYNC_RETRIES, _ASYNC_AGE_SECONDS = 2, 6 * 3600
_FUNCTION, _MACHINE = "AWS::Serverless::Function", "AWS::Serverless::StateMachine"
DOCUMENT = "document"
"""The name of the documents' machine: that of its definition's file."""


@dataclass(frozen=True)
class Function:
    """A function of the template.

    `retries` and `age_seconds` are Lambda's, for invocations that nobody waits for. `is_heard` says
    that such invocations are expected, `is_kept` that an event is kept after the last try.
    """

    handler: str
    timeout: int
    is_heard: bool
    is_kept: bool
    retries: int
    age_seconds: int

    @property
    def stage(self) -> str:
        """The module that holds the stage."""
        return self.handler.rpartition(".")[0]


@dataclass(frozen=True)
class Stack:
    """The machines by their definition's name, the functions by logical id, and which one a task's
    resource means."""

    machines: dict[str, dict[str, Any]]
    functions: dict[str, Function]
    by_placeholder: dict[str, str]
    model_id: str

    @property
    def machine(self) -> dict[str, Any]:
        """The documents' state machine."""
        return self.machines[DOCUMENT]

    def function_of(self, task: dict[str, Any]) -> Function | None:
        """The function that a task calls, or None where it calls another service."""
        name = self.by_placeholder.get(str(task["Resource"]).removeprefix("${").removesuffix("}"))
        return self.functions.get(name) if name else None


def read_stack(project: Path = PROJECT) -> Stack:
    """Read the project's template and state machines."""
    from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

    template = yaml_parse((project / "template.yaml").read_text("utf-8"))
    parameters, resources = template["Parameters"], template["Resources"]
    files = [
        project / resource["Properties"]["DefinitionUri"]
        for resource in resources.values()
        if resource["Type"] == _MACHINE
    ]
    machines = {
        file.name.removesuffix(".asl.json"): json.loads(file.read_text("utf-8")) for file in files
    }
    functions = {
        name: _function({**template["Globals"]["Function"], **resource["Properties"]}, parameters)
        for name, resource in resources.items()
        if resource["Type"] == _FUNCTION
    }
    by_placeholder = {
        placeholder: value["Fn::GetAtt"][0]
        for resource in resources.values()
        for placeholder, value in _substitutions(resource).items()
        if isinstance(value, dict) and "Fn::GetAtt" in value
    }
    return Stack(machines, functions, by_placeholder, str(parameters["ModelId"]["Default"]))


def all_states(machine: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every state with its name and its siblings, those inside of maps and branches included."""
    states = machine["States"]
    for name, state in states.items():
        yield name, state, states
        inner = [state.get("ItemProcessor"), state.get("Iterator"), *state.get("Branches", ())]
        for part in inner:
            if part:
                yield from all_states(part)


def leaves(family: type[errors.MailroomError]) -> dict[str, type[errors.MailroomError]]:
    """The errors of a family by name, in the order of `errors.py`."""
    return {each.__name__: each for each in family.__subclasses__()}


def meaning(error: type[errors.MailroomError]) -> str:
    """What an error's docstring says, on one line."""
    return " ".join(inspect.cleandoc(error.__doc__ or "").split())


def raised_by(stage: str) -> set[str]:
    """The leaves that a stage's modules name: all that it can raise, and what it makes of some."""
    known = {**leaves(errors.TransientError), **leaves(errors.PermanentError)}
    return {name for module in modules_of(stage) for name in vars(module) if name in known}


def modules_of(stage: str) -> list[ModuleType]:
    """A stage's module and those of Mailroom's that it uses, without the errors themselves."""
    found: dict[str, ModuleType] = {}
    ahead = [stage]
    while ahead:
        name = ahead.pop()
        if name not in found and name != errors.__name__ and name.startswith("mailroom."):
            found[name] = importlib.import_module(name)
            ahead += [str(getattr(v, "__module__", "")) for v in vars(found[name]).values()]
    return list(found.values())


def service_codes() -> Iterator[tuple[str, str, str]]:
    """(error, adapter, the service's code) for every line of the adapters' tables."""
    for adapter in pkgutil.iter_modules(mailroom.aws.__path__):
        module = importlib.import_module(f"{mailroom.aws.__name__}.{adapter.name}")
        for code, error in vars(module).get("_ERRORS", {}).items():
            yield error.__name__, adapter.name, code


def _function(properties: dict[str, Any], parameters: dict[str, Any]) -> Function:
    asked = properties.get("EventInvokeConfig", {})

    def number(value: Any) -> int:
        chosen = parameters[value["Ref"]]["Default"] if isinstance(value, dict) else value
        return int(chosen)

    return Function(
        handler=properties["Handler"],
        timeout=number(properties["Timeout"]),
        is_heard=bool(asked or properties.get("Events")),
        is_kept="OnFailure" in asked.get("DestinationConfig", {}),
        retries=number(asked.get("MaximumRetryAttempts", _ASYNC_RETRIES)),
        age_seconds=number(asked.get("MaximumEventAgeInSeconds", _ASYNC_AGE_SECONDS)),
    )


def _substitutions(resource: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = resource.get("Properties", {}).get("DefinitionSubstitutions", {})
    return found
