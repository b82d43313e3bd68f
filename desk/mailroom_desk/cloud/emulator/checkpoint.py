"""State that outlives a crash of the emulator.

ministack 1.5.33 saves its state only when it is asked to end. Objects in S3 are on disk at once,
so that a crash would leave a bucket without the stack that owns it, and no deployment could take
it over. Here the state is also saved every few seconds.
"""

import logging
import threading
import time

from ministack import app

# How much may be lost, unless saving takes so long that it would be more than a twentieth of the
# emulator's time: it writes everything each time, 6 MB after some hundred documents.
_SECONDS = 5.0
_SHARE = 20


def install() -> None:
    """Start saving in the background; nothing is saved before the old state has been loaded."""
    loaded = threading.Event()
    load = app._load_persisted_state

    def load_persisted_state() -> None:
        load()
        loaded.set()

    app._load_persisted_state = load_persisted_state
    threading.Thread(target=_save_again_and_again, args=(loaded,), daemon=True).start()


def _save_again_and_again(loaded: threading.Event) -> None:
    loaded.wait()
    # A line for every service and every time would bury the rest of the log.
    logging.getLogger("persistence").setLevel(logging.WARNING)
    seconds = _SECONDS
    while True:
        time.sleep(seconds)
        began = time.monotonic()
        app.save_all(app._build_persistence_save_dict())
        seconds = max(_SECONDS, _SHARE * (time.monotonic() - began))
