"""Inspection of a host before a tunnel is built and after its rollback. It changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.domain.script_files import host_script
from app.host.messages import INSPECTION_FAILED
from app.host.remote_host import RemoteHost, new_id, printable
from app.host.script_events import parse_sections
from app.host.snapshots import HostSnapshot, SnapshotDepth, parse_snapshot


@dataclass(frozen=True, slots=True)
class LockInfo:
    """The holder of a host's lock.

    Attributes:
        tunnel: The random id of that work.
        owner: Who it is: user, computer, process.
        owner_key: The same for Tunnelmark itself, see `owners`.
        age_s: For how many seconds they have had the lock.
        left_s: For how many more seconds the host waits to hear of them; 0 or less: the lease is over.
        is_watched: Whether the host's timer runs.
        has_undo_begun: Whether the rollback of the host has begun, or is done.
        is_complete: Whether the lock was taken to the end; it takes some ms.
    """

    tunnel: str
    owner: str
    owner_key: str
    age_s: int
    left_s: int
    is_watched: bool
    has_undo_begun: bool
    is_complete: bool


INSPECTION_TIMEOUT_S = 30.0
_MAX_DIGITS = 18
"""Most digits of a number that a host prints; Python refuses to read very long ones."""
THOROUGH_TIMEOUT_S = 180.0
MAX_INSPECTION_BYTES = 33_554_432


class Reach(StrEnum):
    """Reachability of the other host."""

    ANSWERS = "answers"
    SILENT = "silent"
    NO_ROUTE = "no route"
    NOT_ASKED = ""


@dataclass(frozen=True, slots=True)
class Inspection:
    """Findings of an inspection.

    Attributes:
        snapshot: For comparing.
        lock: Who works on it; None if it is free.
        reach: How the other one's underlay address is reached.
        present: Which of the asked paths are there.
        firewall: The firewall's rules as text.
        asked: The first line of a small file that was asked for; empty where there is none.
        storage: Type of the file system that holds Tunnelmark's folder; empty where the host does not say.
    """

    snapshot: HostSnapshot
    lock: LockInfo | None
    reach: Reach
    present: tuple[str, ...]
    firewall: str
    asked: str = ""
    storage: str = ""


def inspect_host(
    host: RemoteHost,
    *,
    token: CancelToken,
    depth: SnapshotDepth = SnapshotDepth.QUICK,
    peer: str = "",
    paths: Sequence[str] = (),
) -> Inspection:
    """Inspect a host, in one round trip.

    Args:
        peer: The other host's underlay address; empty to leave that out.
        paths: Paths of which to say whether they are there.

    Raises:
        CommandFailed: The host could not be inspected.
    """
    mark = new_id()
    result = host.run_script(
        host_script("inspect.sh"),
        (host.state_dir, mark, depth.value, peer, *paths),
        token=token,
        timeout_s=INSPECTION_TIMEOUT_S if depth is SnapshotDepth.QUICK else THOROUGH_TIMEOUT_S,
        max_output_bytes=MAX_INSPECTION_BYTES,
    )
    if f"{mark} finished" not in result.stdout or result.is_truncated:
        raise CommandFailed(
            INSPECTION_FAILED(host=host.label),
            context={"host": host.label, "stderr": printable(result.stderr, limit=1000)},
        )
    return parse_inspection(parse_sections(result.stdout, mark), state_dir=host.state_dir, depth=depth)


def parse_inspection(sections: dict[str, str], *, state_dir: str, depth: SnapshotDepth) -> Inspection:
    """Parse the output of an inspection."""
    reach = sections.get("reach", "").strip()
    return Inspection(
        snapshot=parse_snapshot(sections, state_dir=state_dir, depth=depth),
        lock=parse_lock(sections.get("lock", "")),
        reach=Reach(reach) if reach in set(Reach) else Reach.NOT_ASKED,
        present=tuple(line for line in sections.get("present", "").split("\n") if line),
        firewall=sections.get("firewall", ""),
        asked=sections.get("asked", ""),
        storage=printable(sections.get("storage", "").strip(), limit=40),
    )


def parse_lock(text: str) -> LockInfo | None:
    """Translate the part about Tunnelmark's folder; None if it is not there."""
    if not text.strip():
        return None
    values: dict[str, str] = {}
    owners: list[str] = []
    for line in text.split("\n"):
        name, _, value = line.partition(" ")
        if name == "owner":
            owners.append(value)
        else:
            values[name] = value.strip()
    now = _whole(values.get("now", "")) or 0
    since, lease = _whole(values.get("since", "")), _whole(values.get("lease", ""))
    return LockInfo(
        tunnel=values.get("id", ""),
        owner=printable(owners[0], limit=200) if owners else "",
        owner_key=owners[1] if len(owners) > 1 else "",
        age_s=max(0, now - since) if since is not None else 0,
        left_s=lease - now if lease is not None else 0,
        is_watched="watched" in values,
        has_undo_begun="undo-begun" in values,
        is_complete=bool(values.get("id")) and lease is not None and bool(owners),
    )


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None


def take_snapshot(
    session: HostSession,
    *,
    token: CancelToken,
    depth: SnapshotDepth = SnapshotDepth.QUICK,
) -> HostSnapshot:
    """Inspect a host, for comparing it with another time.

    Args:
        depth: How closely; a thorough inspection takes some seconds.
    """
    return inspect_host(RemoteHost(Side.A, session, STATE_DIR), token=token, depth=depth).snapshot
