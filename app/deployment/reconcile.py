"""Status of a pair: what both hosts report, reconciled with what is stored here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.deployment.file_diffs import FileDiffs
from app.deployment.hold import EXPIRY_MARGIN_S
from app.deployment.slots import run_dir_of, slot_dir, slot_of
from app.deployment.status import HostDeployment, read_file, read_state
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.concurrency import run_both
from app.domain.deployment import LAPSED, Deployment, DeploymentState
from app.domain.deployment_status import EndpointStatus, FileDrift, KeyAge, PairStatus
from app.domain.errors import NotFound, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.link import STATE_DIR
from app.host.inspection import LockInfo
from app.host.remote_host import RemoteHost, printable
from app.storage import Store
from app.wording.deployment_sentences import unreachable_sentence

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Reached:
    """Answer of one host.

    Attributes:
        end: The host; None where it could not be reached.
        state: Its report; None if it gave none.
        error: Why not.
    """

    end: RemoteHost | None
    state: HostDeployment | None
    error: str = ""


_ENDED = {
    DeploymentState.PREPARED: (DeploymentState.FAILED, "It was interrupted, and both hosts rolled back."),
    DeploymentState.APPLIED: (DeploymentState.UNDONE, LAPSED),
}
"""Note on a deployment that neither host has any more, and that was never confirmed."""


def reach(
    open_host: Mapping[Side, HostSession | TunnelmarkError], slot: str, *, token: CancelToken
) -> dict[Side, Reached]:
    """Ask both hosts at the same time; one that cannot be asked does not keep the other waiting."""
    a, b = run_both(
        lambda: reach_one(open_host[Side.A], Side.A, slot, token=token),
        lambda: reach_one(open_host[Side.B], Side.B, slot, token=token),
    )
    return {Side.A: a, Side.B: b}


def reach_one(session: HostSession | TunnelmarkError, side: Side, slot: str, *, token: CancelToken) -> Reached:
    """Ask one host; the other one is not asked."""
    if isinstance(session, TunnelmarkError):
        return Reached(None, None, session.sentence())
    end = RemoteHost(side, session, STATE_DIR)
    try:
        return Reached(end, read_state(end, slot, token=token))
    except TunnelmarkError as error:
        return Reached(end, None, error.sentence())


def silent_text(silent: Iterable[tuple[str, str]]) -> str:
    """Return why each of these hosts cannot be asked, in the words of `tunnelmark status`; empty for none.

    Args:
        silent: Label and reason of each host.
    """
    return " ".join(f"{label}: cannot be asked. {reason}".strip() for label, reason in silent)


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
    state, sentences = _judge(pair, deployment, reached, ids)
    deployment = _reconcile_store(store, known, deployment, state, reached)
    ends = {side: _end(pair, side, reached[side], deployment, diffs, token=token) for side in Side}
    found = PairStatus(
        pair=pair.name,
        at=datetime.now(UTC),
        deployment=deployment,
        state=state,
        a=ends[Side.A],
        b=ends[Side.B],
        sentences=sentences,
    )
    left = tuple(
        f"{one.label} has files of a deployment that was broken off before it counted; nothing reads them. They are "
        f"removed by: tunnelmark status {pair.name} --repair"
        for one in found.unfinished
    )
    broken = tuple(
        f"{one.label}: {one.missing} is missing, or not as it was installed, so that the state of the deployment there "
        "is not known. What runs goes on, but does not start again by itself. Restore that file, or remove the "
        f"deployment with: tunnelmark undeploy {pair.name}. What may still run after that ends with a restart of "
        f"{one.label}."
        for one in found.damaged
    )
    return replace(found, sentences=(*sentences, *left, *broken, *_open_text(found), *_loop_text(found)))


def _open_text(found: PairStatus) -> tuple[str, ...]:
    """Return the warning where an earlier version has left a tunnel open to strangers."""
    labels = [end.label for end in (found.a, found.b) if end.lets_strangers_in]
    if not labels:
        return ()
    again = f"tunnelmark rotate-keys {found.pair}"
    mend = (
        f"with new keys: {again}"
        if found.deployment is not None
        else "from the computer on which it was deployed or exported."
    )
    text = (
        f"An earlier version of Tunnelmark deployed this on {' and '.join(labels)}: it lets in packets that a stranger "
        f"forges or replays. Deploy it again, {mend}"
    )
    return (text,)


def _loop_text(found: PairStatus) -> tuple[str, ...]:
    """Return the warning where a loop keeps the LANs separated."""
    looped = [end for end in (found.a, found.b) if end.is_looped]
    if not looped:
        return ()
    since = min((end.looped_since for end in looped if end.looped_since is not None), default=None)
    when = f" since {since.astimezone():%Y-%m-%d %H:%M:%S}" if since is not None else ""
    text = (
        f"The LANs of {found.a.label} and {found.b.label} are parted{when}: own frames come back to "
        f"{' and '.join(end.label for end in looped)} (a second connection between the LANs, a loop in one of them, or "
        "a device that sends this host's frames or address back). About 30 s after that has ended, the LANs are joined "
        "again. If the second connection is another tunnel with a loop guard, that one is parted, too."
    )
    return (text,)


def waiting_on(deployment: Deployment, reached: Mapping[Side, Reached]) -> bool:
    """Whether both hosts wait for a confirmation of this deployment."""
    locks = {side: one.state.lock for side, one in reached.items() if one.state is not None}
    return bool(deployment.tunnels) and all(
        (lock := locks.get(side)) is not None
        and lock.tunnel == deployment.tunnels.get(side.value)
        and lock.left_s > 0
        and not lock.has_undo_begun
        for side in Side
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
    return next((one for one in known if one.state.is_standing), None) if is_blind else None


def _judge(
    pair: PairSpec, deployment: Deployment | None, reached: Mapping[Side, Reached], ids: Mapping[Side, str]
) -> tuple[DeploymentState | None, tuple[str, ...]]:
    labels = {side: pair.host(side).label for side in Side}
    silent = [labels[side] for side in Side if side not in ids]
    sentences = [unreachable_sentence(name) for name in silent]
    if deployment is not None and deployment.state is DeploymentState.APPLIED and waiting_on(deployment, reached):
        return DeploymentState.APPLIED, (*sentences, "It awaits confirmation; without one, both hosts roll back.")
    if silent:
        state = DeploymentState.CONFIRMED if any(ids.values()) else deployment.state if deployment else None
        return state, tuple(sentences)
    if not any(ids.values()):
        return None, ()
    if ids[Side.A] == ids[Side.B]:
        if deployment is None:
            sentences.append("The deployment is not known on this computer: it was made from another one.")
        return DeploymentState.CONFIRMED, tuple(sentences)
    for side in Side:
        other = ids[side.other]
        if ids[side] and not other:
            sentences.append(f"{labels[side]} keeps a deployment that {labels[side.other]} does not have.")
        elif ids[side] and other and side is Side.A:
            sentences.append(f"{labels[side]} and {labels[side.other]} have different deployments.")
    sentences += _locked(labels, reached)
    return DeploymentState.HALF_CONFIRMED, tuple(sentences)


def _locked(labels: Mapping[Side, str], reached: Mapping[Side, Reached]) -> Iterator[str]:
    for side, one in reached.items():
        lock = one.state.lock if one.state is not None else None
        if lock is not None:
            wait = f" within {lock.left_s} s" if lock.left_s > 0 else ""
            yield f"{labels[side]} is being worked on, or rolls back by itself{wait}."


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
        confirmed_at = deployment.confirmed_at or (now if state is DeploymentState.CONFIRMED else None)
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
        is_open = one.state.is_standing or one.state is DeploymentState.PREPARED
        is_other = deployment is None or one.id != deployment.id
        if is_open and is_other and not _is_worked_on(one, reached):
            ended, message = _ENDED.get(one.state, (DeploymentState.UNDONE, "It is no longer on the hosts."))
            text = f"{message} {one.message}".strip()
            store.save_deployment(replace(one, state=ended, state_at=datetime.now(UTC), message=text))


def _has_lock(reached: Mapping[Side, Reached]) -> bool:
    return any(one.state is not None and one.state.lock is not None for one in reached.values())


def _is_worked_on(deployment: Deployment, reached: Mapping[Side, Reached]) -> bool:
    """Whether a living Tunnelmark may be at it just now."""
    locks = [one.state.lock for one in reached.values() if one.state is not None]
    return deployment.state is DeploymentState.PREPARED and any(lock is not None and lock.left_s > 0 for lock in locks)


def _left_s(lock: LockInfo) -> float:
    """Return for how long a confirmation is sure to be in time: the host's margin for a late one is not promised."""
    return max(0.0, lock.left_s - EXPIRY_MARGIN_S) if lock.left_s > 0 else float(lock.left_s)


def _end(
    pair: PairSpec, side: Side, reached: Reached, deployment: Deployment | None, diffs: FileDiffs, *, token: CancelToken
) -> EndpointStatus:
    label = pair.host(side).label
    state = reached.state
    if state is None or reached.end is None:
        return EndpointStatus(side, label, is_reachable=False, note=reached.error)
    waits = (
        deployment is not None and state.lock is not None and state.lock.tunnel == deployment.tunnels.get(side.value)
    )
    return EndpointStatus(
        side=side,
        label=label,
        is_reachable=True,
        deployment_id=state.deployment_id or (deployment.id if waits and deployment else ""),
        is_confirmed=bool(state.deployment_id),
        is_enabled=state.is_enabled,
        is_up=state.is_standing and state.received > 0,
        is_watched=state.is_watched,
        left_s=_left_s(state.lock) if waits and state.lock is not None else None,
        interface=state.interface,
        rx_bytes=state.rx_bytes,
        tx_bytes=state.tx_bytes,
        last_handshake_s=state.last_handshake_s,
        rtt_ms=state.rtt_ms,
        loss_pct=100.0 * (state.sent - state.received) / state.sent if state.sent else None,
        restarts=state.restarts,
        drift=_drift(reached.end, state, deployment, diffs, token=token),
        keys=_keys(state, deployment),
        note=state.log,
        connect_s=state.connect_s,
        boot_connect_s=state.boot_connect_s,
        outages=state.outages,
        is_worked_on=state.lock is not None,
        is_unfinished=state.is_unfinished,
        lets_strangers_in=state.lets_strangers_in,
        missing=state.missing,
        is_looped=state.guard is not None and state.guard.is_looped,
        looped_since=state.looped_since if state.guard is not None and state.guard.is_looped else None,
        limited_broadcasts=state.guard.limited_frames if state.guard is not None else None,
    )


def _drift(
    end: RemoteHost, state: HostDeployment, deployment: Deployment | None, diffs: FileDiffs, *, token: CancelToken
) -> tuple[FileDrift, ...]:
    found: list[FileDrift] = []
    folder = f"{slot_dir(deployment.slot)}/{state.deployment_id}" if deployment is not None else ""
    run_dir = run_dir_of(state.deployment_id)
    for kind, path in state.changed:
        if kind == "service":
            found.append(
                FileDrift(printable(path, limit=300), "The file that starts it with the host was changed or is gone.")
            )
        elif kind == "rules":
            subject = "LAN port" if path.startswith("addresses of ") else "Firewall"
            found.append(FileDrift(subject, f"{path[:1].upper()}{path[1:]}."))
        elif kind == "more":
            found.append(FileDrift(f"{folder}/{path}", "This file was not there."))
        else:
            place = f"{run_dir}/{path}" if kind == "used" else f"{folder}/{path}"
            what = "The file that the programs read was changed." if kind == "used" else "The kept file was changed."
            found.append(FileDrift(place, what, _diff(end, place, path, deployment, run_dir, diffs, token=token)))
    return tuple(found)


def _diff(
    end: RemoteHost,
    place: str,
    path: str,
    deployment: Deployment | None,
    run_dir: str,
    diffs: FileDiffs,
    *,
    token: CancelToken,
) -> str:
    """Return the difference to what was deployed, secrets masked; empty for files that always held secrets."""
    known = {file.path: file.text for file in deployment.end(end.side).files} if deployment is not None else {}
    before = known.get(f"{run_dir}/{path.removeprefix('kept/')}")
    after = read_file(end, place, token=token) if before is not None else None
    if before is None or after is None:
        return ""
    return diffs.changed_by_hand(before, after, place)


def _keys(state: HostDeployment, deployment: Deployment | None) -> tuple[KeyAge, ...]:
    if deployment is None or deployment.id != state.deployment_id:
        return ()
    age_days = (datetime.now(UTC) - deployment.prepared_at).total_seconds() / DAY_S
    ends = state.certificates or {}
    certificates = tuple(KeyAge(f"Certificate {name}", age_days, left_s / DAY_S) for name, left_s in ends.items())
    return (KeyAge("Keys made at the deployment", age_days), *certificates)
