"""The one place where a command becomes a shell line for a host.

Every command runs as

    exec [sudo -n --] sh -c WRAPPER tunnelmark-RUN PROGRAM ARGUMENT ...

`exec` gets rid of the login shell, whichever that is. The wrapper is constant text; program and arguments reach it as
positional parameters. It remains the command's parent (so that the exit status of a killed command is 128 + signal, and
so that `tunnelmark-RUN`, 128 random bits, is found in /proc/PID/cmdline), and it puts the same name into the
environment: that is how `remote_kill` finds everything that a cancelled command left running.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.errors import Bug
from app.domain.hosts import Privilege
from app.ssh.messages import ARGUMENT_UNFIT, COMMAND_EMPTY

MARK_PREFIX = "tunnelmark-"
RUN_VARIABLE = "TUNNELMARK_RUN"

_SETTINGS = (
    'LC_ALL=C; PATH="${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin"; ' + RUN_VARIABLE + '="$0"; '
    "export LC_ALL PATH " + RUN_VARIABLE + "; "
)
# Printed on both streams as soon as the wrapper runs: what sudo or the login shell's start-up files print comes first.
_STARTED = 'echo "$0"; echo "$0" >&2; '
_RUN = '"$@"; exit $?'
_RUN_SCRIPT = 'exec sh -s "$0"'


@dataclass(frozen=True, slots=True)
class RemoteLine:
    """A shell line and how to recognise what it started.

    Attributes:
        text: For the SSH exec request.
        mark: Name of this run: `tunnelmark-` and 32 hexadecimal digits. It comes as a line on both streams before the
            command's own output.
        prompt: What sudo asks its password with; None where it cannot ask.
        prelude: Text before a script that is sent on stdin.
    """

    text: str
    mark: str
    prompt: str | None
    prelude: bytes = b""


def new_mark() -> str:
    """Return a new name for one run of a command (128 random bits)."""
    return MARK_PREFIX + secrets.token_hex(16)


def shell_line(argv: Sequence[str]) -> str:
    """Quote a command for a POSIX shell. Nothing else in Tunnelmark does this.

    Raises:
        Bug: The command is empty, or holds what no command line can carry (NUL).
    """
    if not argv or not argv[0]:
        raise Bug(COMMAND_EMPTY())
    line = shlex.join(argv)
    if "\0" in line or (not line.isascii() and any("\ud800" <= character <= "\udfff" for character in line)):
        raise Bug(ARGUMENT_UNFIT(program=argv[0]))
    return line


def remote_line(argv: Sequence[str], privilege: Privilege | None) -> RemoteLine:
    """Return the line that runs one command.

    Args:
        argv: Program and arguments.
        privilege: How root's rights are got; None to run as the user that logged in.
    """
    mark = new_mark()
    elevation, prompt = _elevation(privilege)
    text = "exec " + shell_line([*elevation, "sh", "-c", _STARTED + _SETTINGS + _RUN, mark, *argv])
    return RemoteLine(text, mark, prompt)


def remote_script_line(privilege: Privilege | None) -> RemoteLine:
    """Return the line that runs a script which it reads from stdin.

    Args:
        privilege: How root's rights are got; None to run as the user that logged in.
    """
    mark = new_mark()
    elevation, prompt = _elevation(privilege)
    if prompt is None:
        prelude = (_STARTED + _SETTINGS).replace("$0", "$1")
        text = "exec " + shell_line([*elevation, "sh", "-s", mark])
        return RemoteLine(text, mark, None, prelude.encode() + b"\n")
    # sudo reads the password from stdin first; the script may only follow when the start mark has come.
    text = "exec " + shell_line([*elevation, "sh", "-c", _STARTED + _SETTINGS + _RUN_SCRIPT, mark])
    return RemoteLine(text, mark, prompt)


def _elevation(privilege: Privilege | None) -> tuple[tuple[str, ...], str | None]:
    """Return what is put in front of a command, and sudo's prompt where it may ask."""
    if privilege is Privilege.SUDO:
        return ("sudo", "-n", "--"), None
    if privilege is Privilege.DOAS:
        return ("doas", "-n"), None
    if privilege is Privilege.SUDO_PASSWORD:
        prompt = secrets.token_hex(16)
        return ("sudo", "-S", "-p", prompt, "--"), prompt
    return (), None
