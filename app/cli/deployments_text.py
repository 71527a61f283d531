"""Deployments, dry runs and statuses as text."""

from __future__ import annotations

from rich.console import Console

from app.cli.prose import print_prose
from app.cli.words import word_of
from app.deployment.events import DeploymentApplied
from app.deployment.lan.clamp import clamp_text
from app.deployment.messages import UNREACHABLE
from app.domain.capture import Property, properties_of
from app.domain.deployment import Deployment, DeploymentState, DryRun, EndpointDryRun
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.hosts import Side
from app.ranking.controllers import outage_advice
from app.wording.capture_sentences import BREAK_WORDS, properties_line, worst_breakage
from app.wording.controllers import outage_words
from app.wording.deployment_sentences import keepalive_sentence, state_word
from app.wording.language import tr, trn
from app.wording.local_forms import decimal, minute_text, second_text
from app.wording.messages import local_text
from app.wording.titles import local_title


def print_deployment(out: Console, deployment: Deployment) -> None:
    """Print what became of a deployment."""
    text = tr("{title} on {pair}: {state} (deployment {id})").format(
        title=local_title(deployment.title),
        pair=deployment.pair.name,
        state=word_of(
            state_word(deployment.state, is_refused=deployment.is_refused, is_rolled_back=deployment.is_rolled_back)
        ),
        id=deployment.id,
    )
    print_prose(out, text)
    if deployment.message:
        print_prose(out, local_text(deployment.message))
    if deployment.state.is_on_host:
        for label, end in ((deployment.pair.a.label, deployment.a), (deployment.pair.b.label, deployment.b)):
            where = (
                tr("joined with {port}").format(port=end.lan_port) if end.lan_port else tr("with an address of its own")
            )
            print_prose(out, f"{end.interface}, {where}; {_ports(end.ports)}", head=f"{label}: ", indent=2)
            if end.clamped:
                print_prose(out, local_text(end.clamped), indent=2)
        if sentence := keepalive_sentence(deployment.options.keepalive):
            print_prose(out, sentence)


def applied_words(event: DeploymentApplied) -> str:
    """Return the figures of a tunnel that is not confirmed yet."""
    proven = tr(
        "The tunnel is up on both hosts: frames cross in both directions, and a new SSH connection to each works."
    )
    proof = event.leak
    worst = worst_breakage(proof.broken) if proof is not None else None
    words = [
        tr("Packet tests: {line}.").format(line=local_text(properties_line(properties_of(event.report))))
        if event.report is not None
        else "",
        tr("Fail-closed test: {word}.").format(word=tr(BREAK_WORDS[worst])) if worst is not None else "",
        tr("Not all of it was proven; see the warnings.") if event.unproven else "",
    ]
    return " ".join(filter(None, (proven, *words)))


def print_dry_run(out: Console, run: DryRun) -> None:
    """Print everything that a deployment would do."""
    head = tr("{title} on {pair}, verdict {verdict}. Nothing has been changed.")
    _line(out, head.format(title=local_title(run.title), pair=run.pair, verdict=word_of(run.verdict)))
    if run.replaces:
        _line(out, tr("It would replace deployment {id}.").format(id=run.replaces))
    if sentence := keepalive_sentence(run.keepalive):
        _line(out, sentence)
    for obstacle in run.obstacles:
        form = tr("Obstacle: {text}") if obstacle.is_blocking else tr("Warning: {text}")
        text = f"{local_text(obstacle.what)} {local_text(obstacle.hint)}".rstrip()
        _line(out, form.format(text=text))
    for end in (run.a, run.b):
        _print_end(out, end)


def _print_end(out: Console, end: EndpointDryRun) -> None:
    _line(out, f"\n== {end.label}")
    form = tr("Interface {interface}; MTU {mtu}; {ports}")
    if end.lan_port:
        form = tr("Interface {interface}, joined with {port} in {bridge}; MTU {mtu}; {ports}")
    words = {"interface": end.interface, "port": end.lan_port, "bridge": end.bridge, "mtu": end.mtu_bytes}
    _line(out, form.format(**words, ports=_ports(end.ports)))
    for text in end.firewall:
        _line(out, tr("Firewall: {text}").format(text=local_text(text)))
    for service in end.services:
        _line(out, tr("Service: {text}").format(text=local_text(service)))
    for file in end.files:
        form = tr("File {path} (mode {mode}), new. {note}") if file.is_new else tr("File {path} (mode {mode}). {note}")
        text = form.format(path=file.path, mode=f"{file.mode:04o}", note=local_text(file.note)).rstrip()
        _line(out, f"\n{text}")
        _line(out, file.diff or f"  {tr('(unchanged)')}")
    for number, command in enumerate(end.commands, 1):
        _line(out, f"\n{number}. {local_text(command.title)}\n  $ {_indented(command.command)}")
        if command.undo:
            _line(out, f"  {tr('rollback: {command}').format(command=_indented(command.undo))}")


def print_status(out: Console, status: PairStatus) -> None:
    """Print how a pair is."""
    deployment = status.deployment
    if status.state is None or deployment is None:
        is_known = status.a.is_reachable and status.b.is_reachable and not status.damaged
        nothing = tr("nothing is deployed.") if is_known else tr("it is unknown whether anything is deployed.")
        text = nothing if status.state is None else word_of(state_word(status.state))
        print_prose(out, f"{status.pair}: {text}")
    else:
        _print_deployment_status(out, deployment, status, status.state)
    # The lines of the hosts below have it with the reason.
    silent = {UNREACHABLE(host=end.label) for end in (status.a, status.b) if not end.is_reachable}
    for sentence in status.sentences:
        if sentence not in silent:
            print_prose(out, local_text(sentence))
    for end in (status.a, status.b):
        _print_end_status(out, end, status)


def _print_deployment_status(out: Console, deployment: Deployment, status: PairStatus, state: DeploymentState) -> None:
    since = deployment.confirmed_at or deployment.state_at
    head = tr("{pair}: {title}, {state} since {time}").format(
        pair=status.pair,
        title=local_title(deployment.title),
        state=word_of(state_word(state)),
        time=minute_text(since.astimezone()),
    )
    print_prose(out, head)
    verdict = word_of(status.verdict or deployment.verdict)
    words = tr("deployment {id}, by {user}; verdict {verdict}")
    lines = [words.format(id=deployment.id, user=deployment.by, verdict=verdict)]
    if not (deployment.a.lan_port and deployment.b.lan_port):
        a, b = (deployment.link.inner_ip(side) for side in Side)
        words = tr("addresses in the tunnel: {a} on {host_a}, {b} on {host_b}")
        lines.append(words.format(a=a, host_a=status.a.label, b=b, host_b=status.b.label))
    clamped = (clamp_text(status.a, deployment.a.clamped), clamp_text(status.b, deployment.b.clamped))
    lines += map(local_text, dict.fromkeys(filter(None, clamped)))
    lines += filter(None, (keepalive_sentence(deployment.options.keepalive),))
    if deployment.properties:
        shown = {kind: deployment.properties[kind] for kind in Property if kind in deployment.properties}
        line = local_text(properties_line(shown))
        lines.append(tr("tested before it was confirmed: {line}").format(line=line))
    if status.connect_s is not None:
        words = tr("connected {number} s after both sides were started, when it was deployed")
        lines.append(words.format(number=decimal(status.connect_s, 1)))
    for line in lines:
        print_prose(out, line, indent=2)


def _print_end_status(out: Console, end: EndpointStatus, status: PairStatus) -> None:
    if not end.is_reachable:
        text = tr("{host}: unreachable. {note}").format(host=end.label, note=local_text(end.note))
        print_prose(out, text.rstrip())
        return
    if end in status.damaged:
        text = tr("{host}: unknown; {file} is missing, or not as it was installed.")
        print_prose(out, text.format(host=end.label, file=end.missing))
        return
    if not end.deployment_id:
        print_prose(out, f"{end.label}: {tr('nothing is deployed.')}")
        return
    if end.is_waiting or (status.state is DeploymentState.APPLIED and end.left_s is not None):
        # Of a deployment that replaces another one, the host's figures are of the suspended one.
        text = tr(
            "{host}: awaiting confirmation, rolls back in {number} s; the tunnel is not pinged before confirmation"
        )
        print_prose(out, text.format(host=end.label, number=decimal(end.left_s or 0.0, 0)))
        return
    print_prose(out, f"{end.interface} {', '.join(filter(None, _end_words(end, status)))}", head=f"{end.label}: ")
    if times := connection_words(end):
        print_prose(out, "; ".join(times), indent=2)
    for key in end.keys:
        words = tr("{key}: {number} days old")
        if key.days_left is not None:
            words = tr("{key}: {number} days old, {left} days left")
        age, left = decimal(key.age_days, 1), decimal(key.days_left or 0.0, 0)
        print_prose(out, words.format(key=local_text(key.title), number=age, left=left), indent=2)
    for drift in end.drift:
        text = tr("Drift: {path}. {what}").format(path=drift.path, what=local_text(drift.what))
        print_prose(out, text, indent=2)
        if drift.diff:
            _line(out, drift.diff)


def _end_words(end: EndpointStatus, status: PairStatus) -> tuple[str, ...]:
    """Return the state of a tunnel on a host that can be reached; empty words are left out."""
    is_provisional = status.state is DeploymentState.APPLIED
    return (
        tr("up") if end.is_up else tr("DOWN"),
        f"{decimal(end.rtt_ms, 2)} ms" if end.rtt_ms is not None else tr("no answer"),
        lost_text(end.loss_pct) if end.loss_pct is not None else "",
        tr("received {rx} B, sent {tx} B").format(rx=end.rx_bytes, tx=end.tx_bytes),
        _seconds(tr("handshake {number} s ago"), end.last_handshake_s),
        trn("restarted once", "restarted {number} times", end.restarts).format(number=end.restarts)
        if end.restarts
        else "",
        "" if end.is_watched or is_provisional else tr("NOT SUPERVISED"),
        "" if end.is_enabled or is_provisional else tr("NOT STARTED WITH THE HOST"),
        _seconds(tr("rolls back in {number} s"), end.left_s),
        tr("LANS PARTED BY A LOOP") if end.is_looped else "",
        _dropped(end.limited_broadcasts),
        tr("TCP NOT FITTED TO THE PATH") if end.is_unfitted else "",
    )


def _dropped(number: int | None) -> str:
    if not number:
        return ""
    return trn(
        "{number} broadcast over the limit dropped", "{number} broadcasts over the limit dropped", number
    ).format(number=number)


def lost_text(loss_pct: float) -> str:
    """Return a loss: `3 % lost`."""
    return tr("{number} % lost").format(number=decimal(loss_pct, 0))


def _seconds(form: str, seconds: float | None) -> str:
    return "" if seconds is None else form.format(number=decimal(seconds, 0))


def connection_words(end: EndpointStatus) -> list[str]:
    """Return how soon the tunnel was there after its start and after losses, as this host has seen it."""
    words = [
        _seconds(tr("connected {number} s after its last start"), end.connect_s),
        _seconds(tr("connected {number} s after the host's boot"), end.boot_connect_s),
    ]
    if end.reconnect_s is not None:
        number = sum(one.lasted_s is not None for one in end.outages)
        form = trn(
            "lost once, recovered after {seconds} s the last time",
            "lost {number} times, recovered after {seconds} s the last time",
            number,
        )
        words.append(form.format(number=number, seconds=decimal(end.reconnect_s, 0)))
    if end.outages and end.outages[-1].lasted_s is None:
        words.append(tr("lost since {time}").format(time=second_text(end.outages[-1].began_at.astimezone())))
    if (longest_s := end.longest_outage_s) is not None:
        outlasted = outage_words(longest_s, outage_advice(longest_s, end.rtt_ms or 0.0))
        words.append(tr("controllers in an outage: {words}").format(words=outlasted))
    return [word for word in words if word]


def _ports(ports: tuple[tuple[str, int], ...]) -> str:
    if not ports:
        return tr("no port to open")
    names = ", ".join(f"{name} {port}" if port else name for name, port in ports)
    return tr("open for the other host: {ports}").format(ports=names)


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _line(out: Console, text: str) -> None:
    out.print(text, soft_wrap=True)
