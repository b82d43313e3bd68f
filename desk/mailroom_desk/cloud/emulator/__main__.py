"""Run the emulator: `python -m mailroom_desk.cloud.emulator --folder DIR --port P ...`.

State, bundles and temporary files are kept in the folder. AWS_ENDPOINT_URL and the endpoints of
Textract and Bedrock must be set: functions and integrations take them from this environment.
SIGTERM saves the state and ends everything; the process also ends when its parent does.
"""

import argparse
import os
import sys
from pathlib import Path

from mailroom_desk.cloud.processes import die_with_parent
from mailroom_desk.cloud.settings import ACCOUNT, HOST, REGION


def main() -> None:
    die_with_parent()
    arguments = _arguments()
    folder: Path = arguments.folder.resolve()
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    # ministack reads its settings when it is imported.
    os.environ |= _ministack_settings(folder, arguments)

    from ministack import app

    from mailroom_desk.cloud.emulator import (
        alarms,
        archives,
        budgets,
        checkpoint,
        executions,
        integrations,
        maps,
        ministack_internals,
        object_events,
        pipes,
        restart,
        rule_targets,
        sandboxes,
        ticks,
        topics,
    )

    ministack_internals.check()
    sandboxes.install(folder, sandboxes.Places(arguments.sandboxes, arguments.cold_starts))
    executions.install()
    integrations.install()
    maps.install()
    topics.install()
    object_events.install()
    rule_targets.install()
    pipes.install()
    budgets.install()
    alarms.install()
    archives.install()
    restart.install(arguments.port)
    checkpoint.install()
    ticks.install(arguments.sweep_seconds)
    sys.argv[1:] = []  # ministack reads the command line as well
    app.main()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mailroom_desk.cloud.emulator")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--sandboxes", type=int, required=True)
    parser.add_argument("--cold-starts", type=int, required=True)
    parser.add_argument("--wait-scale", type=float, default=1.0)
    parser.add_argument("--async-retry-seconds", type=float, default=60.0)
    parser.add_argument("--sweep-seconds", type=float, default=300.0)
    return parser.parse_args()


def _ministack_settings(folder: Path, arguments: argparse.Namespace) -> dict[str, str]:
    return {
        "GATEWAY_PORT": str(arguments.port),
        "BIND_HOST": HOST,
        "MINISTACK_HOST": HOST,
        "MINISTACK_REGION": REGION,
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "PERSIST_STATE": "1",
        "STATE_DIR": str(folder / "state"),
        "S3_PERSIST": "1",
        "S3_DATA_DIR": str(folder / "s3"),
        "TMPDIR": str(folder / "tmp"),
        "LAMBDA_EXECUTOR": "local",
        "LAMBDA_ASYNC_RETRY_BASE_SECONDS": str(arguments.async_retry_seconds),
        "SFN_WAIT_SCALE": str(arguments.wait_scale),
        # Calls that wait for a sandbox would count, and an asynchronous one above the bound would
        # be dropped, where AWS keeps it for six hours. Places bounds what really runs.
        "LAMBDA_ACCOUNT_CONCURRENCY": "0",
        # A call that waits for a sandbox keeps one of these threads.
        "MINISTACK_WORKER_THREADS": "256",
        # Listeners that nothing of Mailroom's uses, on ports of their own.
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
    }


if __name__ == "__main__":
    main()
