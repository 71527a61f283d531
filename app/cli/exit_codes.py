"""What the program's exit status means."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit statuses of every command."""

    OK = 0
    FAILED = 1  # the environment: a host, the network, the lab, this computer's disk
    INVALID = 2  # what was asked cannot be done: options, names, files
    INCOMPLETE = 3  # a comparison ended, and some of it failed or was not run; report and JSON are there
    BUG = 70  # a fault of Tunnelmark itself
    CANCELLED = 130  # Ctrl-C; the hosts were put back
    ENDED = 143  # a second signal; the hosts put themselves back when their timers run out


EPILOG = (
    "Exit status: 0 done; 1 a host, the network, the lab or this computer failed; 2 invalid options, names or files; "
    "3 a comparison ended with attempts that failed or were not run; 70 a fault of Tunnelmark itself; 130 cancelled; "
    "143 ended by a second signal."
)

LINT_EPILOG = (
    "Exit status: 0 nothing insecure or missing; 1 something is, or a host failed; 2 a file could not "
    "be read, or an option is wrong; 70 a fault of Tunnelmark itself; 130 cancelled; 143 ended by a second signal."
)
