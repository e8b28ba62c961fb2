"""Ctrl-C and a request to end (SIGTERM) are one thing: the command stops, keeps what is finished and cleans up."""

from __future__ import annotations

import atexit
import faulthandler
import os
import signal
import sys
import threading
from typing import Any, NoReturn

INTERRUPTED = 128 + signal.SIGINT

#: Seconds until an interrupt that a library's callback has swallowed comes again.
_AGAIN = 0.05

_asked: list[int] = []  # the signals that have come


def listen() -> None:
    """Take signals as interrupts; what whoever started us wants ignored (nohup, a background job) stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)
    sys.unraisablehook = _not_swallowed
    if not faulthandler.is_enabled() and sys.stderr is not None:
        faulthandler.enable()  # should a library crash: where


def interrupted() -> bool:
    """Whether a signal has come: what fails after it fails because of it."""
    return bool(_asked)


def leave(code: int) -> NoReturn:
    """End the process. After an interrupt threads may still be in a library: it is not taken down under them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if not interrupted():
        raise SystemExit(code)
    _end_children()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # its reader has gone, or it is closed
            continue
    os._exit(code)


def _end_children() -> None:
    """End the processes that the interrupt came too early for: nobody tells them any more, and exit waits for them."""
    started = sys.modules.get("multiprocessing")
    for child in [] if started is None else started.active_children():
        child.kill()


def _interrupt(number: int, frame: Any) -> NoReturn:
    _asked.append(number)
    raise KeyboardInterrupt


def _not_swallowed(what: Any) -> None:
    """An interrupt inside a finaliser or a callback is lost there: raise it again, soon."""
    if isinstance(what.exc_value, KeyboardInterrupt) and _asked:
        timer = threading.Timer(_AGAIN, os.kill, (os.getpid(), _asked[-1]))
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(what)
