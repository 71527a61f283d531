"""Exit statuses."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from app.wording.language import mark


class ExitCode(IntEnum):
    """Exit statuses of every command."""

    OK = 0
    FAILED = 1  # the environment: a host, the network, the lab, this computer's disk
    INVALID = 2  # what was asked cannot be done: options, names, files
    INCOMPLETE = 3  # a comparison ended, and some of it failed or was not run; report and JSON are there
    BUG = 70  # a fault of Tunnelmark itself
    CANCELLED = 130  # Ctrl-C, and the hosts were restored; or the user did not agree
    ENDED = 143  # a second signal; the hosts roll back when their leases end


EXIT_STATUSES: Mapping[ExitCode, str] = {
    ExitCode.OK: mark("done"),
    ExitCode.FAILED: mark(
        "a host, the network, the lab or this computer failed; lint: something is insecure or missing"
    ),
    ExitCode.INVALID: mark("invalid options, names or files"),
    ExitCode.INCOMPLETE: mark(
        "a comparison ended with attempts that failed or were not run; recover: a machine behind a host is not restored"
    ),
    ExitCode.BUG: mark("internal error"),
    ExitCode.CANCELLED: mark("cancelled, and both hosts restored; or a question answered with no"),
    ExitCode.ENDED: mark("ended by a second signal; the hosts roll back when their leases end"),
}
"""Meaning of each in English, for the top-level help, the man page and the user guide."""
