"""Start the server: `python -m mailroom_desk.cloud.claude --port P --ledger FILE`.

Runs until SIGTERM or SIGINT and then ends with exit code 0.
"""

import argparse
import signal
import sys
from pathlib import Path

import uvicorn

from mailroom_desk.cloud.claude.backends import make_backend
from mailroom_desk.cloud.claude.server import create_app
from mailroom_desk.cloud.ledger import Ledger


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m mailroom_desk.cloud.claude")
    parser.add_argument("--port", type=int, required=True, help="port on 127.0.0.1")
    parser.add_argument("--ledger", type=Path, required=True, help="the ledger's SQLite file")
    parser.add_argument("--backend", choices=["offline"], default="offline", help="who answers")
    arguments = parser.parse_args()
    app = create_app(make_backend(arguments.backend), Ledger(arguments.ledger))
    config = uvicorn.Config(
        app, host="127.0.0.1", port=arguments.port, log_level="warning", access_log=False
    )
    # uvicorn shuts down and then raises the signal again: these handlers end it with exit code 0.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    uvicorn.Server(config).run()


if __name__ == "__main__":
    main()
