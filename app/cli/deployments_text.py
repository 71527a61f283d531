"""Deployments, dry runs and statuses as text."""

from __future__ import annotations

from rich.console import Console

from app.cli.prose import print_prose
from app.deployment.events import RolloutApplied
from app.domain.capture import Property, properties_of
from app.domain.deployment import Deployment, DeploymentState, DryRun, EndpointDryRun
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.hosts import Side
from app.wording.capture_sentences import BREAK_WORDS, properties_line, worst_breakage
from app.wording.deployment_sentences import state_word, unreachable_sentence


def print_deployment(out: Console, deployment: Deployment) -> None:
    """Print what became of a deployment."""
    state = state_word(deployment.state, is_refused=deployment.is_refused)
    print_prose(out, f"{deployment.title} on {deployment.pair.name}: {state} (deployment {deployment.id})")
    if deployment.message:
        print_prose(out, deployment.message)
    if deployment.state.is_standing:
        for label, end in ((deployment.pair.a.label, deployment.a), (deployment.pair.b.label, deployment.b)):
            where = f"joined with {end.lan_port}" if end.lan_port else "with an address of its own"
            print_prose(out, f"{end.interface}, {where}; {_ports(end.ports)}", head=f"{label}: ", indent=2)


def applied_words(event: RolloutApplied) -> str:
    """Return the figures of a tunnel that is not confirmed yet."""
    stands = "The tunnel is up on both hosts: frames cross in both directions, and a new SSH connection to each works."
    proof = event.leak
    worst = worst_breakage(proof.broken) if proof is not None else None
    words = [
        f"Packet tests: {properties_line(properties_of(event.report))}." if event.report is not None else "",
        f"Fail-closed test: {BREAK_WORDS[worst]}." if worst is not None else "",
        "Not all of it was proven; see the warnings." if event.unproven else "",
    ]
    return " ".join(filter(None, (stands, *words)))


def print_dry_run(out: Console, run: DryRun) -> None:
    """Print everything that a deployment would do."""
    _line(out, f"{run.title} on {run.pair}, verdict {run.verdict}. Nothing has been changed.")
    if run.replaces:
        _line(out, f"It would replace deployment {run.replaces}.")
    for obstacle in run.obstacles:
        word = "Obstacle" if obstacle.is_blocking else "Warning"
        _line(out, f"{word}: {obstacle.what} {obstacle.hint}".rstrip())
    for end in (run.a, run.b):
        _print_end(out, end)


def _print_end(out: Console, end: EndpointDryRun) -> None:
    _line(out, f"\n== {end.label}")
    joined = f", joined with {end.lan_port} in {end.bridge}" if end.lan_port else ""
    _line(out, f"Interface {end.interface}{joined}; MTU {end.mtu_bytes}; {_ports(end.ports)}")
    for text in end.firewall:
        _line(out, f"Firewall: {text}")
    for service in end.services:
        _line(out, f"Service: {service}")
    for file in end.files:
        _line(out, f"\nFile {file.path} (mode {file.mode:04o}){', new' if file.is_new else ''}. {file.note}".rstrip())
        _line(out, file.diff or "  (unchanged)")
    for number, command in enumerate(end.commands, 1):
        _line(out, f"\n{number}. {command.title}\n  $ {_indented(command.command)}")
        if command.undo:
            _line(out, f"  rollback: {_indented(command.undo)}")


def print_status(out: Console, status: PairStatus) -> None:
    """Print how a pair is."""
    deployment = status.deployment
    if status.state is None or deployment is None:
        is_known = status.a.is_reachable and status.b.is_reachable and not status.damaged
        nothing = "nothing is deployed." if is_known else "it is unknown whether anything is deployed."
        print_prose(out, f"{status.pair}: {nothing if status.state is None else state_word(status.state)}")
    else:
        _print_deployment_status(out, deployment, status, status.state)
    # The lines of the hosts below have it with the reason.
    silent = {unreachable_sentence(end.label) for end in (status.a, status.b) if not end.is_reachable}
    for sentence in status.sentences:
        if sentence not in silent:
            print_prose(out, sentence)
    for end in (status.a, status.b):
        _print_end_status(out, end, status)


def _print_deployment_status(out: Console, deployment: Deployment, status: PairStatus, state: DeploymentState) -> None:
    since = deployment.confirmed_at or deployment.state_at
    print_prose(
        out, f"{status.pair}: {deployment.title}, {state_word(state)} since {since.astimezone():%Y-%m-%d %H:%M}"
    )
    lines = [f"deployment {deployment.id}, by {deployment.by}; verdict {status.verdict or deployment.verdict}"]
    if not (deployment.a.lan_port and deployment.b.lan_port):
        a, b = (deployment.link.inner_ip(side) for side in Side)
        lines.append(f"addresses in the tunnel: {a} on {status.a.label}, {b} on {status.b.label}")
    if deployment.properties:
        shown = {kind: deployment.properties[kind] for kind in Property if kind in deployment.properties}
        lines.append(f"tested before it was confirmed: {properties_line(shown)}")
    if status.connect_s is not None:
        lines.append(f"connected {status.connect_s:.1f} s after both sides were started, when it was deployed")
    for line in lines:
        print_prose(out, line, indent=2)


def _print_end_status(out: Console, end: EndpointStatus, status: PairStatus) -> None:
    if not end.is_reachable:
        print_prose(out, f"{end.label}: unreachable. {end.note}".rstrip())
        return
    if end in status.damaged:
        print_prose(out, f"{end.label}: unknown; {end.missing} is missing, or not as it was installed.")
        return
    if not end.deployment_id:
        print_prose(out, f"{end.label}: nothing is deployed.")
        return
    if end.is_waiting or (status.state is DeploymentState.APPLIED and end.left_s is not None):
        # Of a deployment that replaces another one, the host's figures are of the suspended one.
        wait = f"awaiting confirmation, rolls back in {end.left_s:.0f} s"
        print_prose(out, f"{end.label}: {wait}; the tunnel is not pinged before confirmation")
        return
    print_prose(out, f"{end.interface} {', '.join(filter(None, _end_words(end, status)))}", head=f"{end.label}: ")
    if times := connection_words(end):
        print_prose(out, "; ".join(times), indent=2)
    for key in end.keys:
        left = f", {key.days_left:.0f} days left" if key.days_left is not None else ""
        print_prose(out, f"{key.title}: {key.age_days:.1f} days old{left}", indent=2)
    for drift in end.drift:
        print_prose(out, f"Drift: {drift.path}. {drift.what}", indent=2)
        if drift.diff:
            _line(out, drift.diff)


def _end_words(end: EndpointStatus, status: PairStatus) -> tuple[str, ...]:
    """Return the state of a tunnel on a host that can be reached; empty words are left out."""
    is_provisional = status.state is DeploymentState.APPLIED
    return (
        "up" if end.is_up else "DOWN",
        f"{end.rtt_ms:.2f} ms" if end.rtt_ms is not None else "no answer",
        f"{end.loss_pct:.0f} % lost" if end.loss_pct is not None else "",
        f"received {end.rx_bytes} B, sent {end.tx_bytes} B",
        f"handshake {end.last_handshake_s:.0f} s ago" if end.last_handshake_s is not None else "",
        f"restarted {end.restarts} times" if end.restarts else "",
        "" if end.is_watched or is_provisional else "NOT SUPERVISED",
        "" if end.is_enabled or is_provisional else "NOT STARTED WITH THE HOST",
        f"rolls back in {end.left_s:.0f} s" if end.left_s is not None else "",
        "LANS PARTED BY A LOOP" if end.is_looped else "",
        f"{end.limited_broadcasts} broadcasts over the limit dropped" if end.limited_broadcasts else "",
    )


def connection_words(end: EndpointStatus) -> list[str]:
    """Return how soon the tunnel was there after its start and after losses, as this host has seen it."""
    words = []
    if end.connect_s is not None:
        words.append(f"connected {end.connect_s:.0f} s after its last start")
    if end.boot_connect_s is not None:
        words.append(f"connected {end.boot_connect_s:.0f} s after the host's boot")
    if end.reconnect_s is not None:
        number = sum(one.lasted_s is not None for one in end.outages)
        often = "once" if number == 1 else f"{number} times"
        words.append(f"lost {often}, recovered after {end.reconnect_s:.0f} s the last time")
    if end.outages and end.outages[-1].lasted_s is None:
        words.append(f"lost since {end.outages[-1].began_at.astimezone():%Y-%m-%d %H:%M:%S}")
    return words


def _ports(ports: tuple[tuple[str, int], ...]) -> str:
    if not ports:
        return "no port to open"
    return "open for the other host: " + ", ".join(f"{name} {port}" if port else name for name, port in ports)


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _line(out: Console, text: str) -> None:
    out.print(text, markup=False, soft_wrap=True)
