"""The step that adds rules for a bridge, and puts it into the zone of its port."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.deployment.deployment_steps import DeploymentSteps
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.messages import RULE_BECAUSE, ZONE_MASQUERADES
from app.deployment.lan.rules import moving_step, parse_lan_rules, texts_of
from app.domain.adapters import Adapter
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.solutions import Suite
from support.adapter_cases import all_cases, request
from support.message_checks import has_message

PORT, BRIDGE = "eth2", "tmlbr0"


def moved(sections: dict[str, str]) -> list[str]:
    return [f"{one.words} [{one.nth}]" for one in parse_lan_rules(sections, PORT, BRIDGE).moved]


FIREWALLD = """table inet firewalld {
	chain filter_INPUT_ZONES {
		type filter hook input priority filter + 10; policy accept;
		iifname "eth2" goto filter_IN_plant
		goto filter_IN_public
	}
}
table inet mine {
	chain in {
		type filter hook input priority filter; policy accept;
		iifname "eth2" drop
	}
}
"""


def test_zone_of_firewalld_and_rules_besides_it() -> None:
    saved = "*filter\n-A INPUT_ZONES -i eth2 -g IN_plant\n-A INPUT_direct -i eth2 -j DROP\nCOMMIT\n"
    assert moved({"firewalld": "plant\n", "nft": FIREWALLD, "save legacy iptables-legacy": saved}) == [
        'nft: rule in inet mine in: iifname "tmlbr0" drop [1]',
        "iptables-legacy: rule in filter INPUT_direct: -i tmlbr0 -j DROP [1]",
        "firewalld zone plant: interface tmlbr0 [1]",
    ]
    assert moved({"firewalld": "", "nft": FIREWALLD}) == ['nft: rule in inet mine in: iifname "tmlbr0" drop [1]']
    assert len(moved({"nft": FIREWALLD})) == 2


@pytest.mark.parametrize("detail", ["  masquerade: yes", "  forward-ports: \n\tport=80:proto=tcp:toport=8080:toaddr="])
def test_zones_of_firewalld_that_change_packets_are_refused(detail: str) -> None:
    found = parse_lan_rules({"firewalld": f"plant\nplant (active)\n{detail}\n"}, PORT, BRIDGE)
    assert found.moved == ()
    assert has_message(RULE_BECAUSE, rule="interface eth2 (firewalld zone plant)", why=ZONE_MASQUERADES())(
        texts_of(found.refused)[0]
    )
    harmless = "plant\nplant (active)\n  masquerade: no\n  forward-ports: \n"
    assert len(parse_lan_rules({"firewalld": harmless}, PORT, BRIDGE).moved) == 1


LAN_INPUT = """table inet plant {
	chain input {
		type filter hook input priority filter; policy drop;
		iifname "eth2" jump input_lan
	}
}
"""


def test_step() -> None:
    rules = parse_lan_rules({"nft": LAN_INPUT}, PORT, BRIDGE).moved
    step = moving_step(rules, PORT, BRIDGE, "0011aabb")
    assert step.is_repeatable
    assert step.undo is not None
    assert step.health_check is not None
    assert [one.argv[4] for one in (step.command, step.undo, step.health_check)] == ["open", "close", "check"]
    assert 'iifname "tmlbr0" jump input_lan comment "tunnelmark 0011aabb lan 1"' in step.command.argv[-1]
    with pytest.raises(ValueError, match="is not a tag"):
        moving_step(rules, PORT, BRIDGE, 'a" drop')


FIREWALL_CMD = """#!/bin/sh
zone() { cat "$TRIAL/zone"; }
case "$*" in
    --state) cat "$TRIAL/state" ;;
    --get-zone-of-interface=tmlbr0) [ -s "$TRIAL/zone" ] && zone ;;
    "-q --zone=plant --change-interface=tmlbr0") echo plant > "$TRIAL/zone" ;;
    "-q --zone=plant --remove-interface=tmlbr0") : > "$TRIAL/zone" ;;
    *) exit 2 ;;
esac
"""


LISTED = """#!/bin/sh
[ "$*" = "-t list table inet firewalld" ] || exit 2
if [ -s "$TRIAL/zone" ]; then echo 'iifname "tmlbr0" goto filter_IN_plant'; else echo 'iifname "eth2" drop'; fi
"""


@pytest.mark.parametrize("shell", ["dash", "busybox sh"])
def test_bridge_is_in_the_zone_of_its_port_while_it_is_joined(tmp_path: Path, shell: str) -> None:
    for name, text in {"firewall-cmd": FIREWALL_CMD, "nft": LISTED}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "state").write_text("running\n")
    zone = tmp_path / "zone"
    zone.touch()
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TRIAL": str(tmp_path)}
    step = moving_step(parse_lan_rules({"firewalld": "plant\n"}, PORT, BRIDGE).moved, PORT, BRIDGE, "0011")

    def does(command: Command | None) -> bool:
        assert command is not None
        return subprocess.run([*shell.split(), *command.argv[1:]], env=environment, check=False).returncode == 0

    assert not does(step.health_check)
    for _ in range(2):
        assert does(step.command)
        assert zone.read_text() == "plant\n"
        assert does(step.health_check)
    # A restart of firewalld.
    zone.write_text("")
    assert not does(step.health_check)
    assert does(step.command)
    assert does(step.undo)
    assert zone.read_text() == ""
    zone.write_text("public\n")
    assert does(step.undo)
    assert zone.read_text() == "public\n"
    (tmp_path / "state").write_text("not running\n")
    assert does(step.command)
    assert does(step.undo)


@pytest.mark.parametrize(("adapter", "suite"), [one for one in all_cases() if one[1].is_default])
def test_rules_are_there_before_the_port_is_joined_and_behind_the_guard(adapter: Adapter, suite: Suite) -> None:
    rules = parse_lan_rules({"nft": LAN_INPUT}, PORT, BRIDGE).moved
    asked = request(adapter, suite)
    plan = adapter.plan(asked)
    own = plan.a.steps
    plans = [
        DeploymentSteps("/run/kit", {Side.A: Bridging(BRIDGE, PORT, some)})
        .extend(adapter.plan(asked), asked.link)
        .a.steps
        for some in (rules, ())
    ]
    titles = [[step.title for step in steps] for steps in plans]
    moving = f"Apply the firewall's rules for {PORT} to {BRIDGE} as well"
    assert [title for title in titles[0] if title != moving] == titles[1]
    place = titles[0].index(moving)
    guards = [step.title for step in own if step.is_repeatable]
    assert titles[0][1:place] == guards
    assert place < len(titles[0]) - 1
