"""Lambda functions in Python, run as AWS runs them and no more of them than the machine can hold.

Gaps of ministack 1.5.33 that are closed here:

* Its executor for `python3.*` reports every error of a handler as `Runtime.HandlerError`, so that
  no `Retry` by class name would match. Its executor for `provided.*` speaks the Lambda Runtime
  API, so Python functions are run by that one, with AWS's own runtime client.
* That executor reports an error at start-up as `Runtime.Unknown`; the runtime client's own error
  name is restored.
* It starts a process for every call that comes while the others are busy: 100 uploads at once were
  100 interpreters on 2 cores, and all of them failed. Here calls wait for a place, and cold starts
  take turns. On AWS functions do not stand in each other's way: one that does not run at all goes
  first here.
"""

import contextlib
import contextvars
import json
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import lambda_svc

from mailroom_desk.cloud.emulator.runtime import link_runtime, unpack_bundle

# A call that has found no sandbox for this long is throttled, as AWS does at once.
_WAIT_SECONDS = 300.0


class Places:
    """The bounds: how many sandboxes there are, and how many of them start at a time."""

    def __init__(self, sandboxes: int, cold_starts: int) -> None:
        self._sandboxes = sandboxes
        self._cold_starts = cold_starts
        self._changed = threading.Condition()
        self._starting: set[Sandbox] = set()
        self._waiting: Counter[str] = Counter()  # calls without a sandbox yet, by pool
        # A sandbox ends with the thread that started it, so these threads are never ended.
        self._starters = ThreadPoolExecutor(cold_starts, thread_name_prefix="cold-start")

    def lease(self, pool: str, take: Callable[[], tuple[Any, str]]) -> tuple[Any, str]:
        """Wait until a call of this pool may run, then `take` its sandbox.

        A sandbox that comes free is better than a new one: a cold start costs as much as some
        ten calls. The answer without a sandbox is ministack's own word for a throttled call.
        """
        with self._changed:
            self._waiting[pool] += 1
            may_run = self._changed.wait_for(lambda: self._may_run(pool), _WAIT_SECONDS)
            self._waiting[pool] -= 1
            self._changed.notify_all()
            if not may_run:
                return None, "func_cap"
            sandbox, reason = take()
            if reason == "spawn":
                self._starting.add(sandbox)
            return sandbox, reason

    def freed(self) -> None:
        """Let the waiting calls look again."""
        with self._changed:
            self._changed.notify_all()

    def _may_run(self, pool: str) -> bool:
        if lambda_runtime.workers_in_use() >= self._sandboxes or not self._could_run(pool):
            return False
        return not _runs(pool) or not any(
            calls and not _runs(other) and self._could_run(other)
            for other, calls in self._waiting.items()
        )

    def _could_run(self, pool: str) -> bool:
        idle = any(not worker.in_use for worker in _workers(pool))
        return idle or len(self._starting) < self._cold_starts

    def start(self, sandbox: "Sandbox", init_timeout: float | None) -> None:
        """Start the sandbox's process when its turn comes, in the caller's account and region."""
        context = contextvars.copy_context()
        try:
            self._starters.submit(context.run, self._start, sandbox, init_timeout).result()
        finally:
            with self._changed:
                self._starting.discard(sandbox)
                self._changed.notify_all()

    def _start(self, sandbox: "Sandbox", init_timeout: float | None) -> None:
        self._make_room(sandbox)
        sandbox.start_process(init_timeout)

    def _make_room(self, starting: "Sandbox") -> None:
        """End the sandboxes idle for longest, until one more process is within the bound."""
        with self._changed, lambda_runtime._lock:
            # One that is about to start counts already: two at once would both find room.
            others = [
                worker
                for pool in lambda_runtime._workers.values()
                for worker in pool
                if worker is not starting and (worker._proc is not None or worker in self._starting)
            ]
            idle = sorted((w for w in others if not w.in_use), key=lambda w: w.last_used)
            ended = idle[: max(0, len(others) + 1 - self._sandboxes)]
            for pool in lambda_runtime._workers.values():
                pool[:] = [worker for worker in pool if worker not in ended]
        lambda_runtime.kill_workers(ended)


class Sandbox(lambda_runtime.ProvidedWorker):  # type: ignore[misc]  # ministack has no types
    """One execution environment of a Python function."""

    places: Places

    def _spawn(self, init_timeout: float | None = None) -> None:
        self.places.start(self, init_timeout)

    def start_process(self, init_timeout: float | None) -> None:
        try:
            super()._spawn(init_timeout)
        except lambda_runtime.ProvidedInitTimeout as error:
            if init_timeout is None:
                raise  # ministack starts it once more, under the function's own time-out, as AWS
            message = f"Task timed out after {init_timeout:.2f} seconds"
            raise lambda_runtime.ProvidedRuntimeError(message, "Sandbox.Timedout") from error

    def _build_handler_class(self, generation: int, pending: Any) -> Any:
        handler = super()._build_handler_class(generation, pending)
        # Head and body are sent apart; without this, Nagle's algorithm holds the body back 40 ms.
        handler.disable_nagle_algorithm = True
        return handler

    def _await_init(self, init_timeout: float | None = None) -> None:
        try:
            super()._await_init(init_timeout)
        except lambda_runtime.ProvidedInitTimeout:
            raise
        except RuntimeError as error:
            message, name = _init_error(self._init_error, str(error))
            raise lambda_runtime.ProvidedRuntimeError(message, name) from error


def install(folder: Path, places: Places) -> None:
    """Send Python functions to `Sandbox`; `folder` holds their bundles and the runtime."""
    runtime, bundles = folder / "runtime", folder / "bundles"
    link_runtime(runtime)
    bundles.mkdir(exist_ok=True)
    Sandbox.places = places
    worker_class_for = lambda_runtime._worker_class_for
    acquire = lambda_svc.acquire_worker
    release = lambda_svc.release_worker
    execute_warm = lambda_svc._execute_function_warm

    def worker_class(config: dict[str, Any]) -> Any:
        return Sandbox if _is_python(config) else worker_class_for(config)

    def acquire_worker(
        func_name: str, config: dict[str, Any], code_zip: bytes, qualifier: str = "$LATEST"
    ) -> tuple[Any, str]:
        pool = lambda_runtime._worker_key(func_name, config, qualifier)
        return places.lease(pool, lambda: acquire(func_name, config, code_zip, qualifier))

    def release_worker(worker: Any) -> None:
        release(worker)
        places.freed()

    def execute(func: dict[str, Any], event: Any, request_id: str) -> Any:
        python = _is_python(func.get("config") or func)
        run = lambda_svc._execute_function_provided_warm if python else execute_warm
        return run(func, event, request_id)

    def code_dir(code_zip: bytes) -> str:
        # The lock keeps other threads from starting a process while a bootstrap is being written.
        with lambda_svc._provided_code_lock:
            return str(unpack_bundle(code_zip, bundles, runtime))

    lambda_runtime._worker_class_for = worker_class
    lambda_svc.acquire_worker = acquire_worker
    lambda_svc.release_worker = release_worker
    lambda_svc._execute_function_warm = execute
    lambda_svc._provided_runtime_code_dir = code_dir


def _workers(pool: str) -> list[Any]:
    with lambda_runtime._lock:
        return list(lambda_runtime._workers.get(pool, ()))


def _runs(pool: str) -> bool:
    return any(worker.in_use for worker in _workers(pool))


def _is_python(config: dict[str, Any]) -> bool:
    return str(config.get("Runtime", "")).startswith("python")


def _init_error(reported: Any, otherwise: str) -> tuple[str, str]:
    """The message and the name of an error at start-up, as the runtime client reported it."""
    if isinstance(reported, str):
        with contextlib.suppress(ValueError):
            reported = json.loads(reported)
    if isinstance(reported, dict):
        return str(reported.get("errorMessage", otherwise)), str(reported.get("errorType"))
    return otherwise, "Runtime.ExitError"
