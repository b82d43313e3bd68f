"""The template and the state machine as data, for the suites that look at them."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from samtranslator.yaml_helper import yaml_parse

ROOT = Path(__file__).parents[1]
ASL = ROOT / "statemachine" / "document.asl.json"
ACCOUNT, REGION = "123456789012", "us-east-1"

PSEUDO = {
    "AWS::Partition": "aws",
    "AWS::AccountId": ACCOUNT,
    "AWS::Region": REGION,
    "AWS::StackName": "mailroom",
    "AWS::NoValue": None,
}


@cache
def template() -> dict[str, Any]:
    """The template, intrinsic functions in their long form."""
    return dict(yaml_parse((ROOT / "template.yaml").read_text("utf-8")))


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """The properties of all resources of a type, by logical id."""
    return {
        name: resource.get("Properties", {})
        for name, resource in template()["Resources"].items()
        if resource["Type"] == kind
    }


def functions() -> dict[str, dict[str, Any]]:
    """The functions by logical id, the globals filled in."""
    shared = template()["Globals"]["Function"]
    found = {}
    for name, own in resources("AWS::Serverless::Function").items():
        variables = {
            **shared["Environment"]["Variables"],
            **own.get("Environment", {}).get("Variables", {}),
        }
        found[name] = {**shared, **own, "Environment": {"Variables": variables}}
    return found


def states() -> dict[str, dict[str, Any]]:
    """The states of the document's machine, placeholders as they are."""
    return dict(json.loads(ASL.read_text("utf-8"))["States"])


def known_names(**more: Any) -> dict[str, Any]:
    """What Ref gives: pseudo parameters, the parameters' defaults, and `more`."""
    # CloudFormation hands every parameter over as text.
    defaults = {name: str(each["Default"]) for name, each in template()["Parameters"].items()}
    return {**PSEUDO, **defaults, **more}


def resolve(value: Any, names: Mapping[str, Any]) -> Any:
    """Resolve the intrinsic functions that the template uses.

    What `names` lacks becomes a text that tells it: "<OcrRole.Arn>".
    """
    match value:
        case {"Ref": str(name)}:
            return names.get(name, f"<{name}>")
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return names.get(f"{name}.{attribute}", f"<{name}.{attribute}>")
        case {"Fn::Sub": str(text)}:
            return _substituted(text, names)
        case {"Fn::Sub": [str(text), dict(more)]}:
            return _substituted(text, {**names, **resolve(more, names)})
        case {"Fn::Select": [int(index), choices]}:
            return resolve(choices, names)[index]
        case {"Fn::Split": [str(mark), text]}:
            return resolve(text, names).split(mark)
        case dict():
            return {key: resolve(inner, names) for key, inner in value.items()}
        case list():
            return [resolve(inner, names) for inner in value]
    return value


def referenced(value: Any) -> Iterator[str]:
    """The names that a value's intrinsic functions mention."""
    match value:
        case {"Ref": str(name)} | {"Fn::GetAtt": [str(name), *_]}:
            yield name
        case {"Fn::Sub": str(text)} | {"Fn::Sub": [str(text), *_]}:
            yield from (name.partition(".")[0] for name in re.findall(r"\$\{([^!}]+)\}", text))
        case {"Fn::GetAtt": str(path)}:
            yield path.partition(".")[0]
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from referenced(inner)


def _substituted(text: str, names: Mapping[str, Any]) -> str:
    return re.sub(r"\$\{([^}]+)\}", lambda m: str(names.get(m[1], f"<{m[1]}>")), text)
