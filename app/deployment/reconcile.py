"""Status of a pair: what both hosts report, reconciled with what is stored here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.deployment.file_diffs import FileDiffs
from app.deployment.hold import EXPIRY_MARGIN_S
from app.deployment.lan.clamp import clamp_texts
from app.deployment.messages import (
    AGAIN_FROM_THERE,
    AGAIN_WITH_NEW_KEYS,
    AWAITS_CONFIRMATION,
    BOOT_FILE_CHANGED,
    CERTIFICATE_NAMED,
    DAMAGED_THERE,
    DIFFERENT_DEPLOYMENTS,
    FILE_NOT_THERE_BEFORE,
    FIREWALL,
    HOST_SILENT,
    INTERRUPTED_ROLLED_BACK,
    KEPT_BY_ONE,
    KEPT_FILE_CHANGED,
    KEYS_MADE,
    LAN_PORT,
    LANS_PARTED,
    LANS_PARTED_SINCE,
    LEFT_FILES,
    NO_LONGER_THERE,
    NOT_KNOWN_HERE,
    OPEN_TO_STRANGERS,
    UNREACHABLE,
    USED_FILE_CHANGED,
    WORKED_ON,
    WORKED_ON_FOR,
)
from app.deployment.slots import run_dir_of, slot_dir, slot_of
from app.deployment.status import HostDeployment, read_file, read_state
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.concurrency import run_sides
from app.domain.deployment import LAPSED, Deployment, DeploymentState
from app.domain.deployment_status import EndpointStatus, FileDrift, KeyAge, PairStatus
from app.domain.errors import NotFound, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.domain.messages import sentences
from app.domain.messages.lists import enumerated
from app.host.inspection import LockInfo
from app.host.remote_host import RemoteHost, printable
from app.storage import Store

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Reached:
    """Answer of one host.

    Attributes:
        host: The host; None where it could not be reached.
        state: Its report; None if it gave none.
        error: Why not.
    """

    host: RemoteHost | None
    state: HostDeployment | None
    error: str = ""


_ENDED = {
    DeploymentState.PREPARED: (DeploymentState.FAILED, INTERRUPTED_ROLLED_BACK()),
    DeploymentState.APPLIED: (DeploymentState.REMOVED, LAPSED),
}
"""Note on a deployment that neither host has any more, and that was never confirmed."""


def reach(
    open_host: Mapping[Side, HostSession | TunnelmarkError], slot: str, *, token: CancelToken
) -> dict[Side, Reached]:
    """Ask both hosts at the same time; one that cannot be asked does not keep the other waiting."""
    return run_sides(lambda side: reach_one(open_host[side], side, slot, token=token))


def reach_one(session: HostSession | TunnelmarkError, side: Side, slot: str, *, token: CancelToken) -> Reached:
    """Ask one host; the other one is not asked."""
    if isinstance(session, TunnelmarkError):
        return Reached(None, None, session.sentence())
    host = RemoteHost(side, session, STATE_DIR)
    try:
        return Reached(host, read_state(host, slot, token=token))
    except TunnelmarkError as error:
        return Reached(host, None, error.sentence())


def silent_text(silent: Iterable[tuple[str, str]]) -> str:
    """Return why each of these hosts cannot be asked, in the words of `tunnelmark status`; empty for none.

    Args:
        silent: Label and reason of each host.
    """
    return sentences(HOST_SILENT(host=label, why=reason) for label, reason in silent)


def pair_status(
    pair: PairSpec, store: Store, reached: Mapping[Side, Reached], *, diffs: FileDiffs, token: CancelToken
) -> PairStatus:
    """Return a pair's status, and update what is stored here with it.

    Args:
        store: What is written down.
        reached: Answers of both hosts.
        diffs: Shows what was changed in files.
    """
    known = [one for one in store.list_deployments(pair.name) if one.slot == slot_of(pair)]
    ids = {side: one.state.deployment_id for side, one in reached.items() if one.state is not None}
    deployment = _find_current(store, known, reached, ids)
    state, texts = _judge(pair, deployment, reached, ids)
    deployment = _reconcile_store(store, known, deployment, state, reached)
    hosts = {side: _end(pair, side, reached[side], deployment, diffs, token=token) for side in Side}
    found = PairStatus(
        pair=pair.name,
        at=datetime.now(UTC),
        deployment=deployment,
        state=state,
        a=hosts[Side.A],
        b=hosts[Side.B],
        sentences=texts,
    )
    left = tuple(LEFT_FILES(host=one.label, pair=pair.name) for one in found.unfinished)
    broken = tuple(DAMAGED_THERE(host=one.label, missing=one.missing, pair=pair.name) for one in found.damaged)
    return replace(
        found, sentences=(*texts, *left, *broken, *_open_text(found), *_loop_text(found), *clamp_texts(found))
    )


def _open_text(found: PairStatus) -> tuple[str, ...]:
    """Return the warning where an earlier version has left a tunnel open to strangers."""
    labels = [host.label for host in (found.a, found.b) if host.lets_strangers_in]
    if not labels:
        return ()
    again = f"tunnelmark rotate-keys {found.pair}"
    old = OPEN_TO_STRANGERS(hosts=enumerated(labels))
    return (
        sentences((old, AGAIN_WITH_NEW_KEYS(command=again) if found.deployment is not None else AGAIN_FROM_THERE())),
    )


def _loop_text(found: PairStatus) -> tuple[str, ...]:
    """Return the warning where a loop keeps the LANs separated."""
    looped = [host for host in (found.a, found.b) if host.is_looped]
    if not looped:
        return ()
    since = min((host.looped_since for host in looped if host.looped_since is not None), default=None)
    a, b, hosts = found.a.label, found.b.label, enumerated(host.label for host in looped)
    if since is None:
        return (LANS_PARTED(a=a, b=b, hosts=hosts),)
    return (LANS_PARTED_SINCE(a=a, b=b, hosts=hosts, since=f"{since.astimezone():%Y-%m-%d %H:%M:%S}"),)


def waiting_on(deployment: Deployment, reached: Mapping[Side, Reached]) -> bool:
    """Whether every host that was asked, and one at least, waits for a confirmation of this deployment."""
    locks = {side: one.state.lock if one.state is not None else None for side, one in reached.items()}
    return bool(deployment.tunnels and locks) and all(
        lock is not None and _is_lock_of(deployment, side, lock) and lock.left_s > 0 and not lock.has_undo_begun
        for side, lock in locks.items()
    )


def _find_current(
    store: Store, known: list[Deployment], reached: Mapping[Side, Reached], ids: Mapping[Side, str]
) -> Deployment | None:
    """Return the deployment that this is about: one that waits, else the newest that a host has."""
    for one in known:
        if one.state is DeploymentState.APPLIED and waiting_on(one, reached):
            return one
    for one in known:
        if one.id in ids.values():
            return one
    for found in filter(None, ids.values()):
        try:
            return store.get_deployment(found)
        except NotFound:
            continue
    # Of a host that cannot be asked, only what is written down is known.
    is_blind = len(ids) < len(Side)
    return next((one for one in known if one.state.is_on_host), None) if is_blind else None


def _judge(
    pair: PairSpec, deployment: Deployment | None, reached: Mapping[Side, Reached], ids: Mapping[Side, str]
) -> tuple[DeploymentState | None, tuple[str, ...]]:
    labels = {side: pair.host(side).label for side in Side}
    silent = [labels[side] for side in Side if side not in ids]
    texts: list[str] = [UNREACHABLE(host=name) for name in silent]
    if deployment is not None and deployment.state is DeploymentState.APPLIED and waiting_on(deployment, reached):
        return DeploymentState.APPLIED, (*texts, AWAITS_CONFIRMATION())
    if silent and not any(ids.values()):
        return deployment.state if deployment else None, tuple(texts)
    if silent:
        return DeploymentState.CONFIRMED, tuple(texts)
    if not any(ids.values()):
        return None, ()
    if ids[Side.A] == ids[Side.B]:
        if deployment is None:
            texts.append(NOT_KNOWN_HERE())
        return DeploymentState.CONFIRMED, tuple(texts)
    return DeploymentState.HALF_CONFIRMED, (*texts, _difference(labels, ids), *_locked(labels, reached))


def _difference(labels: Mapping[Side, str], ids: Mapping[Side, str]) -> str:
    for side in Side:
        if not ids[side.other]:
            return KEPT_BY_ONE(host=labels[side], other=labels[side.other])
    return DIFFERENT_DEPLOYMENTS(a=labels[Side.A], b=labels[Side.B])


def _locked(labels: Mapping[Side, str], reached: Mapping[Side, Reached]) -> Iterator[str]:
    for side, one in reached.items():
        lock = one.state.lock if one.state is not None else None
        if lock is not None:
            yield (
                WORKED_ON_FOR(host=labels[side], left_s=lock.left_s)
                if lock.left_s > 0
                else WORKED_ON(host=labels[side])
            )


def _reconcile_store(
    store: Store,
    known: list[Deployment],
    deployment: Deployment | None,
    state: DeploymentState | None,
    reached: Mapping[Side, Reached],
) -> Deployment | None:
    # Where parts are gone, the host cannot say what became of it.
    if any(one.state is None or one.state.missing for one in reached.values()):
        return deployment
    _end_others(store, known, deployment, reached)
    if deployment is None or state is None:
        return deployment
    has_changed = deployment.state is not state
    was_not_ended = deployment.is_ending and state is DeploymentState.CONFIRMED
    if has_changed or (was_not_ended and not _has_lock(reached)):
        now = datetime.now(UTC)
        # What one host keeps was confirmed as well, though this computer may not have seen it.
        confirmed_at = deployment.confirmed_at or (now if state.is_kept else None)
        # A deployment that both hosts keep is no longer being removed.
        is_ending = deployment.is_ending and state is DeploymentState.HALF_CONFIRMED
        deployment = replace(deployment, state=state, state_at=now, confirmed_at=confirmed_at, is_ending=is_ending)
        store.save_deployment(deployment)
    return deployment


def _end_others(
    store: Store, known: list[Deployment], deployment: Deployment | None, reached: Mapping[Side, Reached]
) -> None:
    """Store of every other deployment of the pair that it is no longer on the hosts."""
    for one in known:
        is_open = one.state.is_on_host or one.state is DeploymentState.PREPARED
        is_other = deployment is None or one.id != deployment.id
        if is_open and is_other and not _is_worked_on(one, reached):
            ended, message = _ENDED.get(one.state, (DeploymentState.REMOVED, NO_LONGER_THERE()))
            text = sentences((message, one.message))
            store.save_deployment(replace(one, state=ended, state_at=datetime.now(UTC), message=text))


def _has_lock(reached: Mapping[Side, Reached]) -> bool:
    return any(one.state is not None and one.state.lock is not None for one in reached.values())


def _is_worked_on(deployment: Deployment, reached: Mapping[Side, Reached]) -> bool:
    """Whether a living Tunnelmark may be at it just now."""
    locks = [one.state.lock for one in reached.values() if one.state is not None]
    return deployment.state is DeploymentState.PREPARED and any(lock is not None and lock.left_s > 0 for lock in locks)


def _is_lock_of(deployment: Deployment, side: Side, lock: LockInfo | None) -> bool:
    return lock is not None and lock.tunnel == deployment.tunnels.get(side.value)


def _left_s(lock: LockInfo) -> float:
    """Return for how long a confirmation is sure to be in time: the host's margin for a late one is not promised."""
    return max(0.0, lock.left_s - EXPIRY_MARGIN_S) if lock.left_s > 0 else float(lock.left_s)


def _end(
    pair: PairSpec, side: Side, reached: Reached, deployment: Deployment | None, diffs: FileDiffs, *, token: CancelToken
) -> EndpointStatus:
    label = pair.host(side).label
    state = reached.state
    if state is None or reached.host is None:
        return EndpointStatus(side, label, is_reachable=False, note=reached.error)
    provisional = deployment if deployment is not None and _is_lock_of(deployment, side, state.lock) else None
    guard = state.guard
    return EndpointStatus(
        side=side,
        label=label,
        is_reachable=True,
        deployment_id=state.deployment_id or (provisional.id if provisional is not None else ""),
        is_confirmed=bool(state.deployment_id),
        is_enabled=state.is_enabled,
        is_up=state.is_on_host and state.received > 0,
        is_watched=state.is_watched,
        left_s=_left_s(state.lock) if provisional is not None and state.lock is not None else None,
        interface=state.interface,
        rx_bytes=state.rx_bytes,
        tx_bytes=state.tx_bytes,
        last_handshake_s=state.last_handshake_s,
        rtt_ms=state.rtt_ms,
        loss_pct=100.0 * (state.sent - state.received) / state.sent if state.sent else None,
        restarts=state.restarts,
        drift=_drift(reached.host, state, deployment, diffs, token=token),
        keys=_keys(state, deployment),
        note=state.log,
        connect_s=state.connect_s,
        boot_connect_s=state.boot_connect_s,
        outages=state.outages,
        is_worked_on=state.lock is not None,
        is_unfinished=state.is_unfinished,
        lets_strangers_in=state.lets_strangers_in,
        missing=state.missing,
        is_looped=guard is not None and guard.is_looped,
        looped_since=state.looped_since if guard is not None and guard.is_looped else None,
        limited_broadcasts=guard.limited_frames if guard is not None else None,
        clamp=state.clamp,
    )


def _drift(
    host: RemoteHost, state: HostDeployment, deployment: Deployment | None, diffs: FileDiffs, *, token: CancelToken
) -> tuple[FileDrift, ...]:
    found: list[FileDrift] = []
    folder = f"{slot_dir(deployment.slot)}/{state.deployment_id}" if deployment is not None else ""
    run_dir = run_dir_of(state.deployment_id)
    for kind, path in state.changed:
        if kind == "service":
            found.append(FileDrift(printable(path, limit=300), BOOT_FILE_CHANGED()))
        elif kind == "rules":
            subject = LAN_PORT() if path.startswith("addresses of ") else FIREWALL()
            found.append(FileDrift(subject, f"{path[:1].upper()}{path[1:]}."))
        elif kind == "more":
            found.append(FileDrift(f"{folder}/{path}", FILE_NOT_THERE_BEFORE()))
        else:
            place = f"{run_dir}/{path}" if kind == "used" else f"{folder}/{path}"
            what = USED_FILE_CHANGED() if kind == "used" else KEPT_FILE_CHANGED()
            found.append(FileDrift(place, what, _diff(host, place, path, deployment, run_dir, diffs, token=token)))
    return tuple(found)


def _diff(
    host: RemoteHost,
    place: str,
    path: str,
    deployment: Deployment | None,
    run_dir: str,
    diffs: FileDiffs,
    *,
    token: CancelToken,
) -> str:
    """Return the difference to what was deployed, secrets masked; empty for files that always held secrets."""
    known = {file.path: file.text for file in deployment.on(host.side).files} if deployment is not None else {}
    before = known.get(f"{run_dir}/{path.removeprefix('kept/')}")
    after = read_file(host, place, token=token) if before is not None else None
    if before is None or after is None:
        return ""
    return diffs.changed_by_hand(before, after, place)


def _keys(state: HostDeployment, deployment: Deployment | None) -> tuple[KeyAge, ...]:
    if deployment is None or deployment.id != state.deployment_id:
        return ()
    age_days = (datetime.now(UTC) - deployment.prepared_at).total_seconds() / DAY_S
    hosts = state.certificates or {}
    certificates = tuple(
        KeyAge(CERTIFICATE_NAMED(name=name), age_days, left_s / DAY_S) for name, left_s in hosts.items()
    )
    return (KeyAge(KEYS_MADE(), age_days), *certificates)
