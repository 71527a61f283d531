"""Read-only status of a deployment on one host."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.deployment.lan.guard import GuardState, parse_guard
from app.deployment.messages import HOST_GAVE_NO_STATUS
from app.deployment.slots import current_path, slot_dir
from app.domain.adapters import root_command
from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.concurrency import run_sides
from app.domain.deployment_status import ClampStatus, Outage
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.domain.script_files import bare_script, host_script
from app.host.inspection import LockInfo, parse_lock
from app.host.remote_host import RemoteHost, new_id, printable
from app.host.script_events import parse_sections
from app.tunnel.preflight import remote_hosts

STATE_TIMEOUT_S = 40.0
MAX_SHOWN_BYTES = 65_536
_ID = re.compile(r"[0-9a-f]{16}")
_OWN_BRIDGE = re.compile(r"tmlbr\d{1,3}")
_LOSS = re.compile(r"(?P<sent>\d+) packets transmitted, (?P<received>\d+) (?:packets )?received")
# Lines of lasting.sh about the peer.
_LOST = re.compile(r"(?P<at>\S+) the other end does not answer(?:, for (?P<s>\d{1,9}) s now)?$")
_BACK = re.compile(r"(?P<at>\S+) the other end answers again after (?P<s>\d{1,9}) s$")
_MEAN = re.compile(r"= [\d.]+/(?P<mean>[\d.]+)/")


@dataclass(frozen=True, slots=True)
class HostDeployment:
    """Status that a host reports.

    Attributes:
        deployment_id: What is confirmed there, or was, where it is damaged; empty where nothing is.
        lock: The lock on the host; None if there is none.
        is_enabled: Whether it starts with the host.
        is_watched: Whether the supervisor runs.
        is_on_host: Whether everything that the steps made is there.
        restarts: How often it was started again.
        interface: The interface with the tunnel's address.
        rx_bytes: Bytes received through the tunnel.
        tx_bytes: Bytes sent.
        sent: Echo requests sent just now.
        received: How many were answered.
        rtt_ms: Their mean round-trip time; None where none was answered.
        last_handshake_s: Seconds since the last handshake; None where the VPN does not say.
        certificates: Seconds until each certificate ends, by file name.
        changed: (kind, path) of what was changed by hand: `file` and `more` below the deployment's folder, `used` below
            its run_dir, `service` for the file that starts it; `rules` with a sentence on rules of the firewall.
        log: The end of the watcher's log.
        connect_s: Seconds from the tunnel's last start here until the peer answered; None where not written down.
        boot_connect_s: Seconds from the host's start until the peer answered; None if not recorded.
        outages: Losses of the peer, and when it answered again.
        is_unfinished: Whether files of a deployment are there that never counted.
        lets_strangers_in: Whether an earlier version deployed it; that version accepted frames sent by others.
        missing: What is gone or damaged of a deployment that counts or may run; empty where nothing is.
        guard: What guards the joined LANs says; None where nothing does.
        looped_since: Since when own frames come back to it from the LANs, by that host's clock; None where none do.
        clamp: What fits TCP to the path; None where nothing is to.
    """

    deployment_id: str = ""
    lock: LockInfo | None = None
    is_enabled: bool = False
    is_watched: bool = False
    is_on_host: bool = False
    restarts: int = 0
    interface: str = ""
    rx_bytes: int = 0
    tx_bytes: int = 0
    sent: int = 0
    received: int = 0
    rtt_ms: float | None = None
    last_handshake_s: float | None = None
    certificates: Mapping[str, float] | None = None
    changed: tuple[tuple[str, str], ...] = ()
    log: str = ""
    connect_s: float | None = None
    boot_connect_s: float | None = None
    outages: tuple[Outage, ...] = ()
    is_unfinished: bool = False
    lets_strangers_in: bool = False
    missing: str = ""
    guard: GuardState | None = None
    looped_since: datetime | None = None
    clamp: ClampStatus | None = None


def read_state(host: RemoteHost, slot: str, *, token: CancelToken) -> HostDeployment:
    """Read the status of a host's deployment.

    Raises:
        CommandFailed: It could not be asked.
    """
    mark = new_id()
    result = host.run_script(
        host_script("state.sh"), (host.state_dir, mark, slot), token=token, timeout_s=STATE_TIMEOUT_S
    )
    if f"{mark} finished" not in result.stdout:
        raise CommandFailed(
            HOST_GAVE_NO_STATUS(host=host.label),
            context={"host": host.label, "stderr": printable(result.stderr, limit=1000)},
        )
    return parse_state(parse_sections(result.stdout, mark))


def parse_state(sections: Mapping[str, str]) -> HostDeployment:
    """Translate what `state.sh` printed."""
    about, changed = _about(sections)
    clock = _whole(about.get("clock", ""))
    sent, received, rtt_ms = _ping(sections.get("ping", ""))
    lock = parse_lock(sections.get("lock", ""))
    known, _, missing = sections.get("damaged", "").partition("\n")
    # Files that another instance is just installing do not count yet.
    found = about.get("id", "") or (known if lock is None else "")
    return HostDeployment(
        deployment_id=found if _ID.fullmatch(found) else "",
        lock=lock,
        is_enabled=about.get("enabled") == "yes",
        is_watched="watched" in about,
        is_on_host="standing" in about,
        restarts=_whole(about.get("restarts", "")) or 0,
        interface=printable(about.get("interface", ""), limit=20),
        rx_bytes=_whole(about.get("rx", "")) or 0,
        tx_bytes=_whole(about.get("tx", "")) or 0,
        sent=sent,
        received=received,
        rtt_ms=rtt_ms,
        last_handshake_s=_handshake(sections.get("handshake", ""), clock),
        certificates=_certificates(sections.get("certificates", ""), clock),
        changed=changed,
        log=printable(sections.get("log", "")),
        connect_s=_whole(about.get("connect", "")),
        boot_connect_s=_whole(about.get("boot", "")),
        outages=parse_outages(sections.get("answers", "")),
        is_unfinished="unfinished" in sections,
        lets_strangers_in="open" in about,
        missing=printable(missing, limit=300),
        guard=parse_guard(sections["guard"]) if "guard" in sections else None,
        looped_since=_since(about.get("looped", "")),
        clamp=_clamp(about.get("clamp", "")),
    )


def _about(sections: Mapping[str, str]) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Return what a host says of a deployment by word, and kind and path of what was changed by hand."""
    about: dict[str, str] = {}
    changed: list[tuple[str, str]] = []
    for line in sections.get("about", "").split("\n"):
        word, _, value = line.partition(" ")
        if word == "changed":
            changed.append(("service", value))
        else:
            about[word] = value
    for line in sections.get("changed", "").split("\n"):
        kind, _, path = line.partition(" ")
        if path:
            changed.append((kind, printable(path, limit=300)))
    return about, tuple(changed)


@dataclass(frozen=True, slots=True)
class SlotState:
    """Content of a slot on one host.

    Attributes:
        seen: The host's own description; the host compares it to notice changes.
        kind: `empty`, `whole`, `damaged` or `unfinished`, see `slot.sh`.
        deployment_id: What counts there, or did, as far as that is known.
    """

    seen: str
    kind: str
    deployment_id: str = ""

    @property
    def is_damaged(self) -> bool:
        """Whether a part of it is gone though it counts, or may run."""
        return self.kind == "damaged"

    @property
    def is_on_host(self) -> bool:
        """Whether something is there that counts, or did."""
        return self.kind in ("whole", "damaged")


UNFINISHED = SlotState("unfinished ", "unfinished")


def read_slot(host: RemoteHost, slot: str, *, token: CancelToken) -> SlotState:
    """Return what is in a slot of a host, whether all of it is there or not.

    Raises:
        CommandFailed: The host could not be asked.
    """
    result = host.run_script(host_script("find.sh"), (slot,), token=token, timeout_s=10.0)
    seen = result.stdout.rstrip("\n")
    kind, _, found = seen.partition(" ")
    if not result.is_ok or kind not in ("empty", "whole", "damaged", "unfinished"):
        raise CommandFailed(HOST_GAVE_NO_STATUS(host=host.label), context={"host": host.label})
    return SlotState(seen, kind, found if _ID.fullmatch(found) else "")


def read_slots(sessions: SessionPair, slot: str, *, token: CancelToken) -> dict[Side, SlotState]:
    """Return what is in a slot of both hosts."""
    hosts = remote_hosts(sessions, STATE_DIR)
    return run_sides(lambda side: read_slot(hosts[side], slot, token=token))


def parse_outages(text: str) -> tuple[Outage, ...]:
    """Return the losses of the peer and their ends, from the supervisor's log, oldest first."""
    found: list[Outage] = []
    still_lost: Outage | None = None
    for line in text.split("\n"):
        lost, back = _LOST.match(line), _BACK.match(line)
        seen = lost or back
        at = _moment(seen["at"]) if seen is not None else None
        if seen is None or at is None:
            continue
        began_at = at - timedelta(seconds=int(seen["s"] or 0))
        if back is not None:
            found.append(Outage(began_at, float(back["s"])))
        still_lost = Outage(began_at) if lost is not None else None
    return (*found, still_lost) if still_lost is not None else tuple(found)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def _clamp(text: str) -> ClampStatus | None:
    found, *words = text.split() or [""]
    sizes = [size for size in map(_whole, words) if size is not None]
    if found not in ("there", "missing", "no-nft") or len(words) != 2 or len(sizes) != 2:
        return None
    return ClampStatus(sizes[0], sizes[1], is_there=found == "there", has_nft=found != "no-nft")


def _since(text: str) -> datetime | None:
    at = _whole(text)
    try:
        return datetime.fromtimestamp(at, UTC) if at is not None else None
    except (OverflowError, OSError, ValueError):
        return None


def _ping(text: str) -> tuple[int, int, float | None]:
    loss, mean = _LOSS.search(text), _MEAN.search(text)
    if loss is None:
        return 0, 0, None
    return int(loss["sent"]), int(loss["received"]), float(mean["mean"]) if mean is not None else None


def _handshake(text: str, clock: int | None) -> float | None:
    words = text.split()
    at = _whole(words[-1]) if words else None
    return float(max(0, clock - at)) if at and clock is not None else None


def _certificates(text: str, clock: int | None) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for line in text.split("\n"):
        host, _, name = line.partition(" ")
        at = _whole(host)
        if name and at is not None and clock is not None:
            found[printable(name, limit=100)] = float(at - clock)
    return found


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 20 else None


def read_file(host: RemoteHost, path: str, *, token: CancelToken) -> str | None:
    """Return a small file of a host as text; None if it is not there or cannot be read.

    Only for files that held no secret when they were written. A user may have added one since: see
    `app.linting.masked_diff` for how they are shown.
    """
    command = root_command(f'head -c {MAX_SHOWN_BYTES} "$1"', path, timeout_s=10.0)
    result = host.session.run(command, token=token)
    return result.stdout if result.is_ok else None


def deployment_id_in(text: str) -> str:
    """Return the deployment that the first line of a host's file names; empty where it names none."""
    found = text.partition("\n")[0].strip()
    return found if _ID.fullmatch(found) else ""


def read_current(host: RemoteHost, slot: str, *, token: CancelToken) -> str:
    """Return what is confirmed in a slot of a host; empty where nothing is.

    Raises:
        CommandFailed: The host could not be asked.
    """
    command = root_command(bare_script("deployment/current.sh"), current_path(slot), timeout_s=10.0)
    result = host.session.run(command, token=token)
    if not result.is_ok:
        raise CommandFailed(HOST_GAVE_NO_STATUS(host=host.label), context={"host": host.label})
    return deployment_id_in(result.stdout)


def current_ids(sessions: SessionPair, slot: str, *, token: CancelToken) -> dict[Side, str]:
    """Return what is confirmed in a slot of both hosts; empty where nothing is."""
    hosts = remote_hosts(sessions, STATE_DIR)
    return run_sides(lambda side: read_current(hosts[side], slot, token=token))


def read_interface(host: RemoteHost, slot: str, deployment_id: str, *, token: CancelToken) -> str:
    """Return the interface with a deployment's own address on a host; empty where the host does not say.

    It is the bridge where a LAN port is joined.
    """
    path = f"{slot_dir(slot)}/{deployment_id}/about.sh"
    command = root_command("sed -n 's/^interface=//p' \"$1\"", path, timeout_s=10.0)
    found = host.session.run(command, token=token).stdout.strip()
    return printable(found, limit=20)


def is_own_bridge(interface: str) -> bool:
    """Return whether an interface is a bridge that a deployment has made."""
    return _OWN_BRIDGE.fullmatch(interface) is not None
