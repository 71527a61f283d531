"""Words for deployments: stages, states, what the hosts do by themselves."""

from __future__ import annotations

from app.deployment.events import RolloutStage
from app.domain.capture import CaptureReport, LeakProof, LeakVerdict, Property, properties_of
from app.domain.deployment import Deployment, DeploymentState, EndpointDryRun
from app.domain.hosts import Side
from app.domain.injection import PropertyVerdict
from app.wording.capture_sentences import property_sentence
from ui.common.texts import NONE, tr


def stage_words(stage: RolloutStage) -> tuple[str, str]:
    """Return a stage's name, and what happens in it."""
    return {
        RolloutStage.PREPARE: (tr("Prepare"), tr("look for what is in the way; lock both hosts")),
        RolloutStage.ARM: (tr("Arm timers"), tr("each host rolls back by itself if Tunnelmark goes away")),
        RolloutStage.IDENTITY: (tr("Keys"), tr("made on the host that owns them; only public parts are read")),
        RolloutStage.APPLY: (tr("Apply"), tr("files and commands, each with its undo on the host first")),
        RolloutStage.VERIFY: (tr("Verify"), tr("frames cross both ways, nothing leaks, a new login works")),
        RolloutStage.CONFIRM: (tr("Confirm"), tr("you confirm in time, else both hosts roll back")),
        RolloutStage.ENABLE: (tr("Enable"), tr("both hosts keep it, and start it with themselves from now on")),
        RolloutStage.UNDO: (tr("Go back"), tr("both hosts are put back as they were")),
    }[stage]


def what_went_back(former: str) -> str:
    """Return what the hosts have after they went back."""
    return tr("to %1, which was there before").replace("%1", former) if former else tr("to no tunnel, as before")


def if_nobody_answers(former: str) -> str:
    """Return what the hosts do by themselves."""
    return tr(
        "If nobody answers, both hosts go back by themselves %1: also if this computer is off or the network is gone."
    ).replace("%1", what_went_back(former))


def undone_alone_words(deployment: Deployment, only: Side) -> tuple[str, str, str]:
    """Return kind (of a notice), title and hint of a deployment that was taken back on one host alone."""
    here, there = deployment.pair.host(only).label, deployment.pair.host(only.other).label
    title = tr("%1 is taken back on %2 alone.").replace("%1", deployment.title).replace("%2", here)
    hint = tr(
        "%1 was not asked and may still have its end of the tunnel. There it is taken back at the next contact with "
        "both hosts: with “Look now”, or while the pair is watched, once %1 can be reached."
    ).replace("%1", there)
    return "caution", title, hint


def lapsed_words(deployment: Deployment, within_s: float) -> tuple[str, str, str]:
    """Return kind (of a notice), title and hint of a deployment that was not confirmed in time."""
    title = tr("%1 was rolled back on both hosts: nobody confirmed within %2 s.").replace("%1", deployment.title)
    hint = tr("Both hosts are as they were before it. To have it, deploy it again and choose “Keep it” in time.")
    return "caution", title.replace("%2", f"{within_s:g}"), hint


def ended_words(deployment: Deployment) -> tuple[str, str, str]:
    """Return kind (of a notice), title and hint of a deployment that has ended."""
    what = deployment.title
    pair = deployment.pair.name
    match deployment.state:
        case DeploymentState.CONFIRMED:
            title = tr("%1 stays on %2.").replace("%1", what).replace("%2", pair)
            return "done", title, tr("It starts with both hosts, and a supervisor on each host restarts what has gone.")
        case DeploymentState.HALF_CONFIRMED:
            title = tr("One host keeps %1, the other went back.").replace("%1", what)
            hint = tr("Both hosts can be reached; “Repair” among the standing tunnels mends it.")
            return "caution", title, f"{deployment.message} {hint}".strip()
        case DeploymentState.UNDONE:
            words = (
                tr("%1 is undone on %2.") if deployment.confirmed_at is not None else tr("%1 was rolled back on %2.")
            )
            title = words.replace("%1", what).replace("%2", pair)
            kind = "done" if deployment.confirmed_at is not None else "info"
            return kind, title, f"{deployment.message} {tr('Both hosts are as they were before it.')}".strip()
        case _:
            title = tr("%1 was not rolled out on %2.").replace("%1", what).replace("%2", pair)
            return "caution", title, f"{deployment.message} {tr('Both hosts are as they were before.')}".strip()


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
    """Return what was seen on the underlay, as a sentence; empty where nobody looked."""
    if leak is None:
        return ""
    captured = sum(leak.captured.values())
    sentence = {
        LeakVerdict.PROTECTED: tr("Nothing inside could be read on the way: %1 packets were captured."),
        LeakVerdict.LEAKS: tr("Frames could be read on the way: %1 packets were captured."),
        LeakVerdict.NOT_PROVEN: tr("Whether anything can be read on the way could not be proven."),
        LeakVerdict.EXEMPT: tr("It is meant to be readable."),
    }[leak.verdict].replace("%1", str(captured))
    return f"{sentence} {leak.note}".strip()


def ports_text(ports: tuple[tuple[str, int], ...]) -> str:
    """Return what has to be let in: `UDP 22820, L2TP`."""
    return ", ".join(f"{protocol.upper()} {port}" if port else protocol.upper() for protocol, port in ports) or NONE


def joined_text(end: EndpointDryRun) -> str:
    """Return what the tunnel is joined with on a host."""
    if not end.lan_port:
        return tr("nothing: it has an address of its own")
    if end.bridge == end.lan_port:
        return tr("the bridge %1").replace("%1", end.bridge)
    return tr("%1 in the bridge %2").replace("%1", end.lan_port).replace("%2", end.bridge)


def host_name(side: Side, label: str) -> str:
    """Return a host as people call it: `A  gateway-a`."""
    return f"{side.value.upper()}  {label}"
