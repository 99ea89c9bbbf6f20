"""How a command ends: exit codes, signals, and one line for whatever went wrong."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from corelax.core.errors import CorelaxError
from corelax.core.files import TOO_DEEP, TOO_LARGE
from corelax.core.lazy import missing_extra
from corelax.core.printable import STANDARD_OUTPUT

INTERRUPTED = 128 + signal.SIGINT
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def ended_well() -> Iterator[None]:
    """Ends the program with a message of one line and a code where a command raises an error.

    SIGTERM and SIGHUP are treated as Ctrl-C is: temporary files are removed, finished work is kept. The code
    is 128 and the number of the signal, as shells have it.
    """
    received: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(number)
        signal.signal(number, signal.SIG_DFL)  # a second one ends the program at once
        raise KeyboardInterrupt

    before = _replace_handlers(interrupt)
    try:
        yield
    except CorelaxError as error:
        sys.exit(str(error))
    except ModuleNotFoundError as error:
        if (advice := missing_extra(error)) is None:
            raise
        sys.exit(f"corelax: {advice}")
    except MemoryError:
        sys.exit(f"corelax: the input {TOO_LARGE}")
    except RecursionError:
        sys.exit(f"corelax: {TOO_DEEP}")
    except OSError as error:
        _end_with(error)
    except RuntimeError as error:
        if "allocate memory" not in str(error) and "out of memory" not in str(error):
            raise
        sys.exit(f"corelax: the input {TOO_LARGE}")
    except KeyboardInterrupt:
        sys.exit(128 + received[0] if received else INTERRUPTED)
    except SystemExit as error:
        if received:  # the command has ended as an interrupted one does
            error.code = 128 + received[0]
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _replace_handlers(handler: Any) -> dict[int, Any]:
    """Sets the handler of signals that would end the program; returns those before. `nohup` is respected."""
    before: dict[int, Any] = {}
    for number in _ENDING:
        if signal.getsignal(number) == signal.SIG_DFL:
            try:
                before[number] = signal.signal(number, handler)
            except ValueError:  # only the main thread may
                return before
    return before


def _end_with(error: OSError) -> NoReturn:
    """Ends the program for an error of the operating system."""
    if isinstance(error, BrokenPipeError) or error.filename == STANDARD_OUTPUT:
        # Python would try once more at the end to write what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        sys.exit(
            1
        )  # the reader of our output has gone (`corelax ... | head`): nothing is left to say
    name = os.fsdecode(error.filename) if error.filename is not None else "corelax"
    raise SystemExit(str(CorelaxError(f"{name}: {error.strerror or error}")))
