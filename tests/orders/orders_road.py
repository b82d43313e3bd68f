"""The order saga in one process: its real state machines on moto, its real functions behind them.

What moto lacks is added here: a lock around its tables, because it undoes a cancelled transaction
by putting back all of them as they were, without what others have written since.
"""

import copy
import json
import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from machines_on_moto import (
    Execution,
    answer_invocations,
    answer_waits,
    call_handler,
    create_machine,
    create_table,
    failure,
    follow_execution,
    hooks,
    name_functions,
    open_moto,
    rows_of,
    start_execution,
    take_messages,
)
from machines_on_moto import definition as filled
from moto.core.models import botocore_stubber
from moto.dynamodb.models import DynamoDBBackend
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_sfn,
)
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.utils import json_path
from orders import payments
from samtranslator.yaml_helper import yaml_parse
from services import refusal
from stack import PSEUDO, resolve

APPLICATION = Path(__file__).parents[2] / "reactions" / "orders"
PATIENCE_SECONDS = 600  # a bound for a test that would otherwise hang
HOLD_SECONDS = 86_400


@cache
def template() -> dict[str, Any]:
    """The application's template, intrinsic functions in their long form."""
    return dict(yaml_parse((APPLICATION / "template.yaml").read_text("utf-8")))


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """The properties of all resources of a type, by logical id."""
    return {
        name: each["Properties"]
        for name, each in template()["Resources"].items()
        if each["Type"] == kind
    }


def known_names() -> dict[str, Any]:
    """What Ref gives before anything is made."""
    defaults = {name: str(each["Default"]) for name, each in template()["Parameters"].items()}
    return {**PSEUDO, **defaults}


def definition(machine: str) -> dict[str, Any]:
    """A state machine's definition, placeholders as they are."""
    path = resources("AWS::Serverless::StateMachine")[machine]["DefinitionUri"]
    return dict(json.loads((APPLICATION / path).read_text("utf-8")))


@dataclass
class Trouble:
    """Every call fails with a probability: before it acts or after it, for now or for good."""

    chance: float
    dice: random.Random
    # Of those that fail, how many do so for good.
    for_good: float = 0.5
    failed: Counter[str] = field(default_factory=Counter)

    def strikes(self, what: str) -> "Strike | None":
        """Whether the call fails this time, and how."""
        if self.dice.random() >= self.chance:
            return None
        strike = Strike(self.dice.random() < 0.5, self.dice.random() < self.for_good)
        self.failed[what] += 1
        return strike


@dataclass(frozen=True)
class Strike:
    """A call that fails: does it act all the same, and is another try of any use?"""

    acts: bool
    for_good: bool = False

    def response(self) -> AWSResponse:
        """The refusal of a service."""
        return refusal("ValidationException") if self.for_good else refusal("InternalServerError")

    def error(self) -> Exception:
        """The error of a function."""
        return failure("ZeroDivisionError" if self.for_good else "Sandbox.Timedout")


@dataclass
class OrdersRoad:
    """Sends events to the saga, and looks at stock, ledger and rows."""

    names: dict[str, Any]
    dynamodb: Any
    waits: list[float]
    held: list[float] = field(default_factory=list)
    invoked: list[str] = field(default_factory=list)
    confirmed: list[dict[str, Any]] = field(default_factory=list)
    # By function, or by operation and then the name of its table: what its next calls fail with.
    failures: dict[str, list[str]] = field(default_factory=dict)
    # By the same: how many of its next calls act, and their answers are lost.
    lost: Counter[str] = field(default_factory=Counter)
    trouble: Trouble | None = None

    # -- what happens -----------------------------------------------------------------------------

    def stock(self, **items: int) -> None:
        """Put items in stock; underscores stand for the dashes of a key."""
        for sku, amount in items.items():
            item = {"sku": {"S": sku.replace("_", "-")}, "stock": {"N": str(amount)}}
            self.dynamodb.put_item(TableName=self.names["Inventory"], Item=item)

    def start(self, event: Any, name: str, machine: str = "FulfilOrder") -> None:
        """Start an execution, as a rule or a pipe does, but with a name."""
        start_execution(self.names[machine], name, event)

    def run(self, event: Any, name: str = "first", machine: str = "FulfilOrder") -> Execution:
        """Start an execution and follow it to its end."""
        self.start(event, name, machine)
        return self.finished(name, machine)

    def finished(self, name: str, machine: str = "FulfilOrder") -> Execution:
        """Wait for an execution's end."""
        return follow_execution(self.names[machine], name, PATIENCE_SECONDS)

    # -- what came of it --------------------------------------------------------------------------

    def rows(self, table: str) -> list[dict[str, Any]]:
        """All items of a table, by its name in the template."""
        return rows_of(self.names[table])

    def status(self, order_id: str = "po-1") -> str:
        """An order's status; empty where it has no row."""
        statuses = {row["order_id"]: row["status"] for row in self.rows("Orders")}
        return str(statuses.get(order_id, ""))

    def in_stock(self) -> dict[str, int]:
        """What there is of each item."""
        return {row["sku"]: int(row["stock"]) for row in self.rows("Inventory")}

    def reserved(self) -> dict[str, int]:
        """What is reserved of each item."""
        sums: Counter[str] = Counter()
        for row in self.rows("Reservations"):
            if row["state"] == "RESERVED":
                sums[row["sku"]] += int(row["quantity"])
        return dict(sums)

    def balances(self) -> dict[str, Decimal]:
        """What each order has paid, what it was given back taken off; settled ones left out."""
        sums: dict[str, Decimal] = {}
        for row in self.rows("Ledger"):
            sign = 1 if row["kind"] == "charge" else -1
            sums[row["order_id"]] = sums.get(row["order_id"], Decimal()) + sign * row["amount"]
        return {order: balance for order, balance in sums.items() if balance}

    def stuck(self) -> list[dict[str, Any]]:
        """The messages in the queue of stuck orders, taken out."""
        return take_messages(self.names["Stuck"])

    # -- how calls are answered -------------------------------------------------------------------

    def answer(self, event_name: str, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        """Refuse a call to DynamoDB, or lose its answer, where a test wants it."""
        operation = event_name.rpartition(".")[2]
        body = json.loads(request.body)  # type: ignore[arg-type]
        what = f"{operation} {_first_table(body)}"
        if wanted := self.failures.get(what):
            return refusal(wanted.pop(0))
        strike = self._strike(what)
        if strike is None:
            return None
        if strike.acts:
            botocore_stubber(event_name, request)
        return strike.response()

    def hear(self, event_name: str, request: AWSPreparedRequest, **_: Any) -> AWSResponse | None:
        """Write down what is put on the bus, or refuse it."""
        wanted = self.failures.get("PutEvents")
        if wanted:
            return refusal(wanted.pop(0))
        if strike := self._strike("PutEvents"):
            return strike.response()
        for entry in json.loads(request.body)["Entries"]:  # type: ignore[arg-type]
            self.confirmed.append(entry)
        return None

    def refuse_message(self, **_: Any) -> AWSResponse | None:
        """Refuse a message to the queue of stuck orders, where a test wants it."""
        if wanted := self.failures.get("SendMessage"):
            return refusal(wanted.pop(0))
        strike = self._strike("SendMessage")
        return strike.response() if strike else None

    def invoke(self, logical_id: str, event: Any) -> Any:
        """Call a function, fail it, or lose its answer, where a test wants it."""
        self.invoked.append(logical_id)
        if wanted := self.failures.get(logical_id):
            raise failure(wanted.pop(0))
        strike = self._strike(logical_id)
        if strike and not strike.acts:
            raise strike.error()
        result = call_handler(resources("AWS::Serverless::Function")[logical_id]["Handler"], event)
        if strike:
            raise strike.error()
        return result

    def _strike(self, what: str) -> Strike | None:
        """Whether and how a call is to fail."""
        if self.lost[what]:
            self.lost[what] -= 1
            return Strike(acts=True)
        return self.trouble.strikes(what) if self.trouble else None


def _first_table(body: dict[str, Any]) -> str:
    """The table of a call, or of the first item of a transaction, without the stack's name."""
    if "TransactItems" in body:
        (body,) = body["TransactItems"][0].values()
    return str(body.get("TableName", "")).rpartition("-")[2]


def order(
    order_id: str = "po-1", total: Any = "300.00", *lines: tuple[str, Any], **detail: Any
) -> dict[str, Any]:
    """The event about a stored purchase order; without lines, two bolts and three nuts."""
    event = json.loads((APPLICATION / "events" / "purchase-order-stored.json").read_text("utf-8"))
    items = [
        {"description": what, "quantity": quantity, "unit_price": "1.00", "amount": "1.00"}
        for what, quantity in lines or (("Hex bolt", "2"), ("Hex nut", "3"))
    ]
    fields = {**event["detail"]["fields"], "total": total, "line_items": items}
    event["detail"] |= {"document_id": order_id, "fields": fields, **detail}
    return dict(event)


@contextmanager
def open_orders(monkeypatch: pytest.MonkeyPatch) -> Iterator[OrdersRoad]:
    """The application on moto, and everything put back afterwards."""
    with open_moto(monkeypatch, payments._dynamodb) as waits:
        orders = _deploy(monkeypatch, waits)
        hooks.update(
            {
                "dynamodb": orders.answer,
                "eventbridge.PutEvents": orders.hear,
                "sqs.SendMessage": orders.refuse_message,
            }
        )
        answer_invocations(monkeypatch, orders.names, orders.invoke)
        answer_waits(monkeypatch, orders.held.append)
        monkeypatch.setattr(
            state_task_service_sfn.StateTaskServiceSfn, "_normalise_parameters", _as_botocore
        )
        monkeypatch.setattr(AmazonStateLanguageParser, "parse", staticmethod(_parse_once))
        monkeypatch.setattr(json_path, "parse", _path)
        _lock_tables(monkeypatch)
        yield orders


_parse = AmazonStateLanguageParser.parse
_path = cache(json_path.parse)
_parsed: dict[str, Any] = {}


def _parse_once(definition: str) -> Any:
    """moto parses a definition for each execution, which takes longer than to run it."""
    if definition not in _parsed:
        _parsed[definition] = _parse(definition)
    program, tree = _parsed[definition]
    return copy.deepcopy(program), tree


def _as_botocore(_: Any, parameters: dict[str, Any], *__: Any, **___: Any) -> None:
    """Step Functions' own parameters in the case that its API has; moto leaves them as they are."""
    parameters["Input"] = json.dumps(parameters["Input"])
    for name in list(parameters):
        parameters[name[0].lower() + name[1:]] = parameters.pop(name)


def _lock_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = threading.RLock()

    def locked(method: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            with lock:
                return method(*arguments, **named)

        return call

    for name in ("get_item", "put_item", "update_item", "transact_write_items"):
        monkeypatch.setattr(DynamoDBBackend, name, locked(getattr(DynamoDBBackend, name)))


def _deploy(monkeypatch: pytest.MonkeyPatch, waits: list[float]) -> OrdersRoad:
    names = known_names()
    for name, table in resources("AWS::DynamoDB::Table").items():
        names[name] = create_table(table, names)
    stuck = resolve(resources("AWS::SQS::Queue")["Stuck"]["QueueName"], names)
    names["Stuck"] = boto3.client("sqs").create_queue(QueueName=stuck)["QueueUrl"]
    boto3.client("events").create_event_bus(Name=names["BusName"])
    functions = resources("AWS::Serverless::Function")
    name_functions(functions, names)
    for function in functions.values():
        variables = function.get("Environment", {}).get("Variables", {})
        for variable, value in resolve(variables, names).items():
            monkeypatch.setenv(variable, value)
    for name in ("FulfilOrder", "OrderBatch"):
        machine = resources("AWS::Serverless::StateMachine")[name]
        names[name] = create_machine(machine, names, filled(machine, names, APPLICATION))
    assert os.environ["LEDGER_TABLE"] == names["Ledger"]
    return OrdersRoad(names, boto3.client("dynamodb"), waits)
