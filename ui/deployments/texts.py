"""Words for deployments: stages, states, what the hosts do by themselves."""

from __future__ import annotations

from app.deployment.events import DeploymentStage
from app.domain.capture import CaptureReport, LeakProof, LeakVerdict, Property, properties_of
from app.domain.deployment import Deployment, DeploymentState, EndpointDryRun
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict
from app.wording.capture_sentences import property_sentence
from app.wording.messages import local_text
from app.wording.titles import local_title
from ui.common.texts import NONE, tr


def stage_words(stage: DeploymentStage) -> tuple[str, str]:
    """Return a stage's name, and what happens in it."""
    return {
        DeploymentStage.PREPARE: (tr("Prepare"), tr("preflight checks; lock both hosts")),
        DeploymentStage.ARM: (tr("Arm timers"), tr("hosts roll back automatically if Tunnelmark disconnects")),
        DeploymentStage.IDENTITY: (tr("Keys"), tr("generated on each host; only public keys are read")),
        DeploymentStage.APPLY: (tr("Apply"), tr("files and commands; each rollback is stored first")),
        DeploymentStage.VERIFY: (tr("Verify"), tr("frames cross both ways, nothing leaks, a new login works")),
        DeploymentStage.CONFIRM: (tr("Confirm"), tr("you confirm; otherwise both hosts roll back")),
        DeploymentStage.ENABLE: (tr("Enable"), tr("enable at boot on both hosts, with a supervisor")),
        DeploymentStage.ROLLBACK: (tr("Roll back"), tr("both hosts are restored to their previous state")),
    }[stage]


def what_returned(former: str) -> str:
    """Return the state of the hosts after a rollback."""
    return tr("to the previous tunnel (%1)", local_title(former)) if former else tr("to no tunnel")


def unless_confirmed(former: str) -> str:
    """Return what the hosts do by themselves."""
    return tr(
        "Without confirmation, both hosts roll back automatically %1, even if this computer is off or the "
        "network is down."
    ).replace("%1", what_returned(former))


def removed_alone_words(deployment: Deployment, only: Side) -> tuple[str, str, str]:
    """Return kind (of a notice), title and hint of a deployment that was removed from one host alone."""
    here, there = deployment.pair.host(only).label, deployment.pair.host(only.other).label
    title = tr("%1 was removed from %2 alone.", local_title(deployment.title), here)
    hint = tr(
        "%1 was unreachable and may still have its side of the tunnel. It is removed there at the next "
        "contact with both hosts: with “Refresh now”, or while the pair is monitored, once %1 is reachable."
    ).replace("%1", there)
    return "caution", title, hint


def lapsed_words(deployment: Deployment, within_s: float) -> tuple[str, str, str]:
    """Return kind (of a notice), title and hint of a deployment that was not confirmed in time."""
    title = tr("%1 was rolled back on both hosts: not confirmed within %2 s.").replace(
        "%1", local_title(deployment.title)
    )
    hint = tr("Both hosts are restored. To keep it, deploy it again and choose “Confirm” in time.")
    return "caution", title.replace("%2", f"{within_s:g}"), hint


def ended_words(deployment: Deployment) -> tuple[str, str, str]:
    """Return kind (of a notice), title and hint of a deployment that has ended."""
    what = local_title(deployment.title)
    pair = deployment.pair.name
    match deployment.state:
        case DeploymentState.CONFIRMED:
            title = tr("%1 is active on %2.", what, pair)
            return "done", title, tr("It starts at boot, and a supervisor on each host restarts it when it is lost.")
        case DeploymentState.HALF_CONFIRMED:
            title = tr("Only one host kept %1; the other rolled back.", what)
            hint = tr("Both hosts are reachable: use Repair under Deployed tunnels.")
            return "caution", title, f"{local_text(deployment.message)} {hint}".strip()
        case DeploymentState.REMOVED:
            is_removed = not deployment.is_rolled_back
            words = tr("%1 was removed from %2.") if is_removed else tr("%1 was rolled back on %2.")
            title = words.replace("%1", what).replace("%2", pair)
            kind = "done" if is_removed else "info"
            return (
                kind,
                title,
                f"{local_text(deployment.message)} {tr('Both hosts are restored to their state before it.')}".strip(),
            )
        case _:
            title = tr("%1 was not deployed on %2.", what, pair)
            return "caution", title, f"{local_text(deployment.message)} {tr('Both hosts are restored.')}".strip()


def report_words(report: CaptureReport | None) -> tuple[tuple[str, bool], ...]:
    """Return what packet captures and the injection test showed, as sentences; with each, whether it is a warning."""
    if report is None:
        return ()
    shown = () if report.injection is None else properties_of(report).items()
    injected = (
        (property_sentence(kind, result), result.verdict is not PropertyVerdict.HOLDS)
        for kind, result in shown
        if kind is not Property.CONFIDENTIAL
    )
    leak = report.leak
    is_doubtful = leak is not None and leak.verdict in (LeakVerdict.LEAKS, LeakVerdict.NOT_PROVEN)
    return tuple(one for one in ((leak_words(leak), is_doubtful), *injected) if one[0])


def leak_words(leak: LeakProof | None) -> str:
    """Return the result of the leak test as a sentence; empty where there was none."""
    if leak is None:
        return ""
    captured = sum(leak.captured.values())
    sentence = {
        LeakVerdict.PROTECTED: tr("Leak test passed: nothing was readable in %1 captured packets."),
        LeakVerdict.LEAKS: tr("Leak test failed: frames were readable in %1 captured packets."),
        LeakVerdict.NOT_PROVEN: tr("Leak test inconclusive."),
        LeakVerdict.EXEMPT: tr("Unencrypted by design."),
    }[leak.verdict].replace("%1", str(captured))
    return f"{sentence} {local_text(leak.note)}".strip()


def ports_text(ports: tuple[tuple[str, int], ...]) -> str:
    """Return what has to be let in: `UDP 22820, L2TP`."""
    return ", ".join(f"{protocol.upper()} {port}" if port else protocol.upper() for protocol, port in ports) or NONE


def joined_text(end: EndpointDryRun) -> str:
    """Return what the tunnel is joined with on a host."""
    if not end.lan_port:
        return tr("not bridged (own IP address)")
    if end.bridge == end.lan_port:
        return tr("the bridge %1", end.bridge)
    return tr("%1 in the bridge %2", end.lan_port, end.bridge)


def host_name(side: Side, label: str) -> str:
    """Return a host as people call it: `A  gateway-a`."""
    return f"{side.value.upper()}  {label}"
