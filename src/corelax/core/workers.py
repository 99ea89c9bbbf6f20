"""Processes that work for another one, and end with it."""

from __future__ import annotations

import os
import signal
import threading
import time


def work_for(parent: int) -> None:
    """From now on this process leaves interrupts to its parent, and ends when that has ended.

    Args:
        parent: The number of the process that it works for, which may have ended by now.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends its workers

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
