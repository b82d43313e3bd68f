"""State that outlives a crash of the emulator.

ministack 1.5.33 saves its state only when it is asked to end. Objects in S3 are on disk at once,
so that a crash would leave a bucket without the stack that owns it, and no deployment could take
it over. Here the state is also saved every few seconds.
"""

import logging
import threading

from ministack import app

# How much may be lost; saving takes some hundredths of a second.
_SECONDS = 5.0


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
    pause = threading.Event()
    while not pause.wait(_SECONDS):
        app.save_all(app._build_persistence_save_dict())
