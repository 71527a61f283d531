"""A frame around the programs that measure: they report their start and end, and they never outlive their channel.

Source: what sshd does with the pipes of a channel that was closed without a terminal was tried with OpenSSH 10.0:
nothing is signalled, only writing fails. So the frame writes a sign of life every two seconds, and ends what it runs as
soon as that fails, or when its time is over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_LAUNCHER = 'command -v bash >/dev/null 2>&1 && exec bash -c "$0" tunnelmark "$@"; exec sh -c "$0" tunnelmark "$@"'

PAUSE = r"""
if [ -n "${BASH_VERSION:-}" ]; then
    eval 'exec 9<> <(:)'
    pause() { read -r -t "$1" -u 9 _ || :; }
else
    pause() { sleep "$1" </dev/null >/dev/null 2>&1 || sleep 1 </dev/null >/dev/null 2>&1; }
fi
"""
"""Defines `pause SECONDS`. bash waits for a pipe into which nobody writes: starting `sleep` again and again costs a
slow host several percent of its CPU, which would be measured as well. It does not hold the channel either way."""

GUARD_HEAD = r"""
limit=$1; shift
child=
leave() {
    trap '' TERM HUP INT PIPE
    kill "$watch" 2>/dev/null
    for one in $child; do kill "$one" 2>/dev/null; done
    wait
    exit "$1"
}
stop() { leave 143; }
main=$$
( trap '' PIPE
  passed=0
  while [ "$passed" -lt "$limit" ]; do
      sleep 2 </dev/null >/dev/null 2>&1
      passed=$((passed + 2))
      echo "@alive $passed" || break
  done
  [ "$passed" -lt "$limit" ] || echo "@limit $limit"
  kill -TERM "$main" ) </dev/null 2>/dev/null &
watch=$!
trap stop TERM HUP INT PIPE
run() {
    label=$1; shift
    # The process itself says that it starts, before it becomes the program: a ping over a fast link has ended before
    # this shell, on a busy host, writes its next line.
    sh -c 'echo "@start $0 $$"; exec "$@"' "$label" "$@" 2>&1 &
    child=$!
    wait "$child"
    status=$?
    child=
    echo "@exit $label $status"
}
"""
"""Beginning of a guarded script. $1 is its limit in seconds; `run LABEL PROGRAM ARGUMENT...` runs one program.

A script that starts programs in another way keeps their process ids in `child`, separated by spaces, and ends early by
`leave STATUS`, never by `exit`: what it runs ends with it.
"""

GUARD_TAIL = """
trap '' TERM HUP INT PIPE
kill "$watch" 2>/dev/null
exit 0
"""


def pausing_argv(script: str, *arguments: str) -> tuple[str, ...]:
    """Return argv for a constant script that pauses often: for bash where there is one, else for sh.

    Args:
        script: POSIX sh; nothing from a host, a file or a form may be pasted into it.
        arguments: Passed as positional parameters.
    """
    return ("sh", "-c", _LAUNCHER, script, *arguments)


class GuardMark(StrEnum):
    """What a line of the frame tells."""

    START = "start"
    EXIT = "exit"
    ALIVE = "alive"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class GuardLine:
    """A line that the frame wrote.

    Attributes:
        mark: What it tells.
        label: Of the program; empty for `alive` and `limit`.
        number: Process id (start), exit status (exit), seconds since the beginning (alive, limit).
    """

    mark: GuardMark
    label: str
    number: int


_LINE = re.compile(r"^@(?:(start|exit) (\S{1,64}) |(alive|limit) )(\d{1,9})$")


def parse_guard_line(line: str) -> GuardLine | None:
    """Understand a line of the frame; None for every other line."""
    if not line.startswith("@"):
        return None
    match = _LINE.match(line)
    if match is None:
        return None
    return GuardLine(GuardMark(match[1] or match[3]), match[2] or "", int(match[4]))
