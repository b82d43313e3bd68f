"""The faults of calls, as both servers carry them out; the option and the route for the plan."""

import argparse
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.faults import Plan, PlanError, Rule, load_plan, parse_plan
from mailroom_desk.cloud.serving import Stopping, cut

type Answer = Callable[[], Awaitable[Response]]


async def answer_with(
    fault: Rule | None,
    request: Request,
    stopping: Stopping,
    answer: Answer,
    refuse: Callable[[Rule], Awaitable[Response]],
    note: Callable[[str], Awaitable[None]],
) -> Response:
    """Answer one call, with its fault.

    `answer` carries the call out, `refuse` answers with the rule's error, and `note` writes a
    call that got neither into the ledger.
    """
    if fault is None:
        return await answer()
    match fault.fault:
        case "error":
            return await refuse(fault)
        case "slow":
            await stopping.pause(fault.parameters["seconds"])
            return await answer()
    if fault.parameters["after"]:
        await answer()
    else:
        await note(fault.fault)
    if fault.fault == "no_answer":
        await stopping.hold(request, fault.parameters["seconds"])
    else:
        await cut(request)
    return Response()  # goes nowhere: the connection is closed


def add_faults_option(parser: argparse.ArgumentParser) -> None:
    """Add `--faults FILE`, whose value is the plan in it."""
    parser.add_argument(
        "--faults",
        type=_plan_of,
        default=Plan(),
        metavar="FILE",
        help="fault plan in force from the start",
    )


def _plan_of(path: str) -> Plan:
    try:
        return load_plan(Path(path))
    except PlanError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def fault_route(faults: Faults) -> Route:
    """`/faults`: GET shows the plan and each rule's hits, PUT replaces it, DELETE clears it."""

    async def plan(request: Request) -> Response:
        if request.method == "PUT":
            try:
                faults.replace(parse_plan(await request.body()))
            except PlanError as error:
                return JSONResponse({"message": str(error)}, 400)
        elif request.method == "DELETE":
            faults.replace(Plan())
        answer: dict[str, Any] = {"plan": faults.plan.source, "hits": faults.hits()}
        return JSONResponse(answer)

    return Route("/faults", plan, methods=["GET", "PUT", "DELETE"])
