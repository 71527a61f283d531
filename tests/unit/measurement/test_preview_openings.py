"""Openings for the port of workloads: in the files and commands of a candidate, and in the tunnels of a comparison."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from fake_services import discovery
from sample_records import pair, sample_record

from app.discovery.firewall.read import parse_firewall_output
from app.domain.hosts import Nic, Side
from app.measurement import engine
from app.measurement.comparison.comparison import Comparison
from app.services.wiring import Services
from app.tunnel.messages import OPEN_FIREWALL
from support import adapter_cases

DROPPING = "#m owners\n#m addresses\n#m iptables\n*filter\n:INPUT DROP [0:0]\nCOMMIT\n#m end\n"


@pytest.mark.parametrize(("workloads", "sides"), [((), []), (("web-page",), ["b"]), (("transactions",), ["a", "b"])])
def test_files_and_commands_open_the_port_of_the_chosen_workloads(
    services: Services, workloads: tuple[str, ...], sides: list[str]
) -> None:
    hosts, own = discovery(replace(pair(), may_open_firewall=True)), "192.0.2.1"
    nic = Nic("eth1", "52:54:00:00:00:02", 1500, 1000, is_up=True, addresses=(f"{own}/24",))
    seen = replace(adapter_cases.facts(), nics=(nic,))
    known = replace(
        hosts,
        a=replace(hosts.a, facts=seen),
        b=replace(hosts.b, facts=seen),
        link=replace(hosts.link, underlay_a=own, underlay_b=own),
        candidates=(),
        defaults=(),
        firewalls=dict.fromkeys(Side, parse_firewall_output(DROPPING, "#m")),
    )
    judged = services.judge_again(known)
    candidate = next(one for one in judged.candidates if one.solution == "wireguard")
    items = services.preview(judged, (candidate.solution, candidate.suite), None, workloads)
    port = known.link.names.iperf_port + 2
    opened = [one for one in items if one.kind == "command" and f"tcp {port} from" in one.title]
    assert [one.side for one in opened] == sides
    assert all(
        one.title == OPEN_FIREWALL(opening=f"tcp {port} from {judged.link.inner_ip(Side(one.side).other)} on tmk0")
        for one in opened
    )


def test_a_comparison_builds_its_tunnels_with_the_ports_of_its_workloads() -> None:
    plan = replace(sample_record().plan, workloads=("voice", "web-page"))
    parts = {"sessions": None, "link": None, "facts": {}, "header": ()}
    hosts: Any = SimpleNamespace(**parts)
    store: Any = SimpleNamespace(audit=lambda _entry: None)
    tunnels = engine._deployed_tunnels(Comparison, plan, hosts, store)
    assert tunnels.listening == {Side.A: (("udp", 2),), Side.B: (("udp", 2), ("tcp", 2))}
