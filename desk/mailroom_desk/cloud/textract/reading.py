"""A reading process from the server's side: asked, watched, and replaced when it has died."""

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

READER_MODULE = "mailroom_desk.cloud.textract.reader"
# A reading that takes longer is stopped: the largest scans take minutes, none takes an hour.
LONGEST_READING_SECONDS = 3600.0
CRASHED = "The document could not be read: the reader stopped unexpectedly"
TOO_LONG = "The document could not be read in time"


class Reader:
    """One reading process, started at the first document and again after a crash."""

    def __init__(
        self,
        longest_reading: float = LONGEST_READING_SECONDS,
        command: Sequence[str] = (sys.executable, "-m", READER_MODULE),
    ) -> None:
        self._command = command
        self._longest = longest_reading
        self._process: subprocess.Popen[str] | None = None
        self._closed = False

    def read(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Read one document; a crash or an endless reading is a failed one. None while stopping."""
        process = self._running()
        assert process.stdin and process.stdout
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._longest, stop)
        timer.start()
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            timer.cancel()
        if answer:
            outcome: dict[str, Any] = json.loads(answer)
            return outcome
        self._drop()
        if self._closed:
            return None
        return {"failed": TOO_LONG if late.is_set() else CRASHED}

    def close(self) -> None:
        """End the process."""
        self._closed = True
        self._drop()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        return self._process

    def _drop(self) -> None:
        """End the process and close its pipes; what it has not taken from them is lost."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(BrokenPipeError), process:
                pass
            process.wait()
