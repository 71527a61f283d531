"""Differences on a host afterwards, and those that a loss of power may leave there until the next contact."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.script_files import host_script
from app.host.snapshots import HostSnapshot, compare_snapshots

PLACES = "/etc/tunnelmark"
_START = "start.sh"
_BROKEN_OFF = re.compile(
    rf"{PLACES}(?:/[0-9a-f]{{8}}(?:/(?P<name>{re.escape(_START)}|\.(?:start|service)\.new|"
    r"times(?P<time>/\d+\.(?:before|after))?))?)?"
)
"""Files that `install.sh` makes before the service: nothing runs any of them. Source: its function `install`."""


@dataclass(frozen=True)
class Difference:
    """Differences of a host from its state before.

    Attributes:
        sentences: What is different, without what follows.
        broken_off: Files that a loss of power in the moment of installing leaves, and that nothing runs.
    """

    sentences: tuple[str, ...]
    broken_off: tuple[str, ...] = ()


def difference(
    before: HostSnapshot,
    after: HostSnapshot,
    left: Sequence[str],
    *,
    may_be_broken_off: bool,
    is_time_lost: bool = False,
) -> Difference:
    """Return how a host differs from its state before.

    Args:
        before: Its snapshot from before.
        after: Its snapshot now.
        left: What else was found of Tunnelmark on it.
        may_be_broken_off: Whether it lost its power, so that files of an installing may be there that nothing runs.
        is_time_lost: Whether it lost its power between making its place below /etc and noting there when /etc had been
            changed before; nothing else knows that.
    """
    if is_time_lost:
        after = _with_time_of_etc(before, after)
    inert = _inert(before, after) if may_be_broken_off else ()
    if inert:
        after = _without(inert, before, after)
        left = [one for one in left if one != PLACES]
    return Difference((*compare_snapshots(before, after), *left), inert)


def _inert(before: HostSnapshot, after: HostSnapshot) -> tuple[str, ...]:
    """Return what is there of an installing that was broken off; paths only that were not there before."""
    sums = after.part("content of")
    return tuple(
        path
        for path, text in after.part("file").items()
        if path not in before.part("file") and _is_inert(path, text, sums.get(path, ""))
    )


def _is_inert(path: str, text: str, content: str) -> bool:
    match = _BROKEN_OFF.fullmatch(path)
    if match is None:
        return False
    is_file = match["name"] in (_START, ".start.new", ".service.new") or match["time"] is not None
    if not text.startswith("-" if is_file else "d"):
        return False
    if match["name"] == _START:
        return content == _sum(host_script(_START))
    return match["time"] is None or content == _sum("")


def _without(inert: Sequence[str], before: HostSnapshot, after: HostSnapshot) -> HostSnapshot:
    """Leave it out, and with it that /etc has one entry more and was changed just then."""
    files = {path: text for path, text in after.part("file").items() if path not in inert}
    sums = {path: text for path, text in after.part("content of").items() if path not in inert}
    folder = before.part("file").get("/etc", "")
    if folder and files.get("/etc", "").split()[:2] == folder.split()[:2]:
        files["/etc"] = folder
    return replace(after, parts={**after.parts, "file": files, "content of": sums})


def _with_time_of_etc(before: HostSnapshot, after: HostSnapshot) -> HostSnapshot:
    """Take over when /etc was changed last, where mode, owner and size are the same."""
    files = dict(after.part("file"))
    folder = before.part("file").get("/etc", "")
    if folder and files.get("/etc", "").split()[:3] == folder.split()[:3]:
        files["/etc"] = folder
    return replace(after, parts={**after.parts, "file": files})


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
