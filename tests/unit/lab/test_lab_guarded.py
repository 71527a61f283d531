"""Short programs of a lab: their answer, and their end."""

from __future__ import annotations

import threading

from app.domain.cancel import CancelToken
from app.lab.guarded import Finished, run_bounded

LONG = ("sh", "-c", "exec sleep 600")


def test_status_and_all_output_come_back() -> None:
    argv = ("sh", "-c", "cat; echo wrong >&2; exit 3")
    assert run_bounded(argv, b"asked\n", timeout_s=60, token=CancelToken()) == Finished(3, "asked\nwrong")


def test_a_program_that_takes_too_long_is_killed_and_waited_for() -> None:
    assert run_bounded(LONG, timeout_s=0.05, token=CancelToken()) is None


def test_cancelling_kills_it() -> None:
    token = CancelToken()
    threading.Timer(0.05, token.cancel).start()
    found = run_bounded(LONG, timeout_s=600, token=token)
    assert found is not None
    assert found.exit_status == -9
