"""A command that is told to end says so in one line, with one exit code, wherever the signal finds it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import sys, time
import leanrank.cli.app as app
{before}
sys.argv = ["leanrank", "lint", "absent.txt"]
from leanrank.cli import main
main()
"""

WAITS = """
def wait(*_, **__):
    print("ready", flush=True)
    {body}
app.app = wait
"""


def ended_by(number, body, **options):
    """Exit code and error stream of a command that gets a signal while it does this."""
    return ended(number, PROGRAM.format(before=WAITS.format(body=body)), **options)


def ended(number, program, **options):
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, said


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
class TestSignals:
    def test_one_line_and_one_code(self, number):
        assert ended_by(number, "time.sleep(60)") == (130, "leanrank: interrupted\n")

    def test_what_fails_because_of_it_is_not_told(self, number):
        body = """
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        raise RuntimeError("cannot schedule new futures after shutdown")
"""
        assert ended_by(number, body) == (130, "leanrank: interrupted\n")

    def test_a_process_that_nobody_told_to_end_is_not_waited_for(self, number):
        program = PROGRAM.format(
            before="""
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
def wait(*_, **__):
    global pool
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    pool.submit(abs, -1).result()
    print("ready", flush=True)
    time.sleep(60)
app.app = wait
"""
        )
        assert ended(number, program) == (130, "leanrank: interrupted\n")

    def test_an_interrupt_in_a_finaliser_is_not_lost(self, number):
        body = """
    class Slow:
        def __del__(self):
            time.sleep(60)
    slow = Slow()
    del slow
    time.sleep(60)
"""
        assert ended_by(number, body) == (130, "leanrank: interrupted\n")

    def test_threads_in_a_library_do_not_hold_it_up(self, number):
        body = """
    import threading
    threading.Thread(target=time.sleep, args=(600,)).start()
    time.sleep(60)
"""
        assert ended_by(number, body) == (130, "leanrank: interrupted\n")

    def test_what_was_to_be_ignored_is_ignored(self, number):
        def deaf():
            signal.signal(number, signal.SIG_IGN)

        code, said = ended_by(number, "time.sleep(1)", preexec_fn=deaf)
        assert (code, said) == (0, "")
