"""Start the server: `python -m mailroom_desk.cloud.claude --port P --ledger FILE`.

Runs until SIGTERM or SIGINT and then ends with exit code 0.
"""

import argparse
from pathlib import Path

from mailroom_desk.cloud.claude.backends import make_backend
from mailroom_desk.cloud.claude.server import create_app
from mailroom_desk.cloud.fault_calls import add_faults_option
from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.faults import CLAUDE
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.serving import Stopping, serve


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m mailroom_desk.cloud.claude")
    parser.add_argument("--port", type=int, required=True, help="port on 127.0.0.1")
    parser.add_argument("--ledger", type=Path, required=True, help="the ledger's SQLite file")
    parser.add_argument("--backend", choices=["offline"], default="offline", help="who answers")
    add_faults_option(parser)
    arguments = parser.parse_args()
    faults = Faults(CLAUDE, arguments.faults)
    backend, stopping = make_backend(arguments.backend), Stopping()
    app = create_app(backend, Ledger(arguments.ledger), faults=faults, stopping=stopping)
    serve(app, arguments.port, stopping)


if __name__ == "__main__":
    main()
