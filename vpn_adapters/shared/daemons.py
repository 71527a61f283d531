"""Stopping daemons that we started, and no others: shell fragments that know them by their command line.

A pid file is not enough: a daemon that has just been started may not have written it yet.
"""

from __future__ import annotations

from app.domain.adapters import Breakage, UpCheck
from app.domain.commands import Command
from app.domain.link import Link
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import DAEMON_KILLED, DAEMON_STOPPED
from vpn_adapters.shared.taps import tap_down_breakage


def stop_command(name: str, word: str, *leftovers: str) -> Command:
    """Return a command that ends a daemon and what it started, and succeeds where there is none.

    Args:
        name: The program's name as the kernel has it.
        word: A part of its command line that is ours alone, for example the path of its configuration.
        leftovers: Files that are removed then.
    """
    return root_script("shared", "end-daemon.sh", "TERM", name, word, *leftovers, timeout_s=15.0)


def kill_command(name: str, word: str) -> Command:
    """Return a command that kills a daemon and what it started without giving it time for anything."""
    return root_script("shared", "end-daemon.sh", "KILL", name, word, timeout_s=15.0)


def logged(title: str, words: str, log: str, pattern: str = "") -> UpCheck:
    """Return a check that a daemon's log has some words, and that the lines with them match a pattern."""
    return UpCheck(title, Command(("grep", "-F", words, log), timeout_s=5.0, is_root=True), pattern)


def logged_like(title: str, expression: str, log: str, pattern: str = "") -> UpCheck:
    """Return the same check for an extended regular expression in place of words."""
    return UpCheck(title, Command(("grep", "-E", expression, log), timeout_s=5.0, is_root=True), pattern)


def breakages(link: Link, title: str, name: str, word: str) -> tuple[Breakage, ...]:
    """Return how a daemon with a tap interface can fail: it is killed, it is stopped, or the interface goes down."""
    return (
        Breakage(DAEMON_KILLED(program=title), kill_command(name, word)),
        Breakage(DAEMON_STOPPED(program=title), stop_command(name, word)),
        tap_down_breakage(link),
    )
