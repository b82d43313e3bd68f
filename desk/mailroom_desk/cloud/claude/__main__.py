"""Start the server: `python -m mailroom_desk.cloud.claude --port P --ledger FILE`.

Runs until SIGTERM or SIGINT and then ends with exit code 0. With `--check` it only finds out
whether the chosen Claude can be asked. What is wrong is a line on standard error and exit code 1.
"""

import argparse
import os
import sys
from pathlib import Path

from mailroom_desk.cloud.claude.backends import Backend, make_backend
from mailroom_desk.cloud.claude.choice import BACKENDS, OFFLINE, ClaudeUnusable, choose
from mailroom_desk.cloud.claude.errors import BedrockError
from mailroom_desk.cloud.claude.server import create_app
from mailroom_desk.cloud.fault_calls import add_faults_option
from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.faults import CLAUDE
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.serving import Stopping, serve


def main() -> None:
    """Read the command line and serve, or check."""
    parser = argparse.ArgumentParser(prog="python -m mailroom_desk.cloud.claude")
    parser.add_argument("--port", type=int, help="port on 127.0.0.1")
    parser.add_argument("--ledger", type=Path, help="the ledger's SQLite file")
    parser.add_argument("--backend", choices=BACKENDS, default=OFFLINE, help="who answers")
    for option in ("model", "url", "profile", "region"):
        parser.add_argument(f"--{option}", help=f"as `mailroom up --claude-{option}` has it")
    parser.add_argument("--check", action="store_true", help="find out whether it can be asked")
    add_faults_option(parser)
    arguments = parser.parse_args()
    if not arguments.check and (arguments.port is None or arguments.ledger is None):
        parser.error("--port and --ledger are needed to serve")
    try:
        backend = _backend(arguments)
        if arguments.check:
            return backend.check()
    except (ClaudeUnusable, BedrockError) as error:
        sys.exit(str(error))
    faults, stopping = Faults(CLAUDE, arguments.faults), Stopping()
    app = create_app(backend, Ledger(arguments.ledger), faults=faults, stopping=stopping)
    serve(app, arguments.port, stopping)


def _backend(arguments: argparse.Namespace) -> Backend:
    choice = choose(
        arguments.backend,
        model=arguments.model,
        url=arguments.url,
        profile=arguments.profile,
        region=arguments.region,
    )
    return make_backend(choice, os.environ)


if __name__ == "__main__":
    main()
