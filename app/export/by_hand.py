"""Files, scripts and a list of steps for those who deploy by hand."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.hosts import InitSystem, Side
from app.domain.messages.words import VERDICTS
from app.domain.solutions import Carrier
from app.domain.verdicts import Finding
from app.export.bundle import Bundle
from app.export.path_fit import clamps_of, path_checks
from app.export.rendering import render
from app.export.script import tunnel_script
from app.export.tree import TreeFile
from app.wording.language import mark, tr
from app.wording.messages import local_name, local_text
from app.wording.titles import local_title

FOLDER = "files"


def by_hand_files(bundle: Bundle) -> Iterator[TreeFile]:
    """Return what lies in the folder `files`: per host its script, and below `root` its files."""
    for side in Side:
        yield TreeFile(f"{FOLDER}/{host_folder(side)}/tunnel.sh", tunnel_script(bundle, side), 0o755)
        for file in bundle.on(side).files:
            path = f"{FOLDER}/{host_folder(side)}/root{bundle.base}/{file.path}"
            yield TreeFile(path, file.text, file.mode)


def host_folder(side: Side) -> str:
    """Return the folder of one host below `files`."""
    return f"host-{side.value}"


def ports_of(bundle: Bundle, side: Side) -> tuple[str, ...]:
    """Return what a firewall on the way must let in to one host, for people, for example `UDP port 22820`."""
    words = tr("{protocol} port {port}")
    listens = [words.format(protocol=protocol.upper(), port=port) for protocol, port in bundle.on(side).plan.listens]
    match bundle.request.adapter.info.carrier:
        case Carrier.ESP:
            listens.append(tr("IP protocol 50 (ESP)"))
        case Carrier.IP:
            listens.append(tr("IP protocol 115 (L2TP)"))
        case _:
            pass
    return tuple(listens)


_SERVICES = {
    InitSystem.SYSTEMD: mark("systemd service {name}: /etc/systemd/system/{name}.service"),
    InitSystem.PROCD: mark("procd service: /etc/init.d/{name}"),
    InitSystem.OPENRC: "OpenRC: /etc/local.d/{name}.start",
    InitSystem.SYSV: mark("System V service: /etc/init.d/{name}"),
    InitSystem.BUSYBOX: mark("BusyBox init: /etc/init.d/S99{name}"),
}


def service_of(bundle: Bundle, side: Side) -> str:
    """Return what starts the tunnel with one host, for people."""
    init = bundle.request.facts(side).init_system
    unknown = mark("nothing that is known: start it with `sh {name}` yourself")
    return tr(_SERVICES.get(init, unknown)).format(name=bundle.service)


def _finding_text(finding: Finding) -> str:
    verdict = local_text(VERDICTS[finding.verdict]())
    return f"{local_name(finding.subject)}: {verdict}. {local_text(finding.reason)}"


def readme(bundle: Bundle, formats: tuple[str, ...]) -> str:
    """Return README.txt: what to do, in which order, how to verify, how to undo.

    Args:
        formats: Which sub-folders there are.
    """
    request = bundle.request
    clamps = clamps_of(bundle.plan, request.deploy_request().link)
    hosts = {
        side: {
            "name": side.upper(),
            "label": request.pair.host(side).label,
            "folder": f"{FOLDER}/{host_folder(side)}",
            "underlay": bundle.request.link.underlay(side),
            "inner": request.deploy_request().link.inner(side),
            "interface": bundle.on(side).plan.interface,
            "lan_port": bundle.on(side).lan_port,
            "ports": ports_of(bundle, side),
            "service": service_of(bundle, side),
            "files": [f"{bundle.base}/{file.path} ({file.mode:04o})" for file in bundle.on(side).files],
            "keys": [local_text(step.title) for step in bundle.on(side).recipe.steps],
            "values": [token.name for token in bundle.needed_from(side)],
            "public": f"public-of-{side.value}",
            "clamp": clamps.get(side),
            "path_checks": tuple(path_checks(request.link, side)),
        }
        for side in Side
    }
    return render(
        "README.txt.j2",
        title=local_title(request.title),
        facts=local_text(request.facts_from),
        verdict=local_text(VERDICTS[request.verdict]()),
        path_from=local_text(request.path_from),
        findings=[_finding_text(one) for one in request.findings],
        request=request,
        bundle=bundle,
        plan=bundle.plan,
        a=hosts[Side.A],
        b=hosts[Side.B],
        home=f"{bundle.base}/{request.deployment_id}",
        has_files="files" in formats,
        has_ansible="ansible" in formats,
        has_keys=any(host["values"] for host in hosts.values()),
    )
