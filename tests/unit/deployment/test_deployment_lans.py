"""Loop test of two LAN ports: when it runs, with and without earlier deployments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import cast

import pytest

from app.deployment.lan.messages import (
    BRIDGE_HAS_TUNNEL,
    BRIDGED_FILTERED,
    BRIDGED_FILTERED_HINT,
    FORWARD_POLICY,
    LANS_JOINED_ALREADY,
    LOOP_TOOLS_MISSING,
    LOOP_UNKNOWN,
    MOVED_RULES_APPLY,
    ONE_LAN_ONLY,
    PORT_FAULT,
    REMOVE_WHAT_JOINS,
    RING_IS_PARTED,
    RULE_BECAUSE,
    RULE_EXCEPTS_PORT,
    RULE_IS_ADDED,
    RULE_NAMES_PORT,
)
from app.deployment.lan.ports import SlotDeployments, choose_ports
from app.deployment.messages import FIREWALL_UNREAD
from app.deployment.reconcile import _drift
from app.deployment.slots import persistent_link
from app.deployment.status import parse_state
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, HostSession, SessionPair
from app.domain.deployment import DeploymentObstacle, DeploymentOptions
from app.domain.errors import CommandFailed, InvalidOption
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.script_files import bare_script
from app.host.remote_host import RemoteHost
from app.linting import masked_diff
from support.message_checks import has_message

ID, OTHER_ID = "00112233aabbccdd", "ddccbbaa33221100"
HEARD, SILENT, NO_TCPDUMP = 0, 124, 104
NO_USER = 1


@dataclass
class Host:
    """Has the ports eth0 (SSH), eth1 (underlay), eth2 and eth3, the bridge br-lan, and what a test adds.

    Attributes:
        spec: Its name.
        test_status: What the test whether LANs are joined says on it.
        bridge: A bridge.
        ports: The bridge's ports.
        tests: How often it was tested.
        rules: What it says of its firewall, by heading.
    """

    spec: SimpleNamespace
    test_status: int
    bridge: str = ""
    ports: tuple[str, ...] = ()
    tests: list[Command] = field(default_factory=list)
    rules: dict[str, str] = field(default_factory=dict)

    def run(self, command: Command, *, token: CancelToken, on_line: object = None) -> CommandResult:
        if command.argv[2] == bare_script("lan/rules-read.sh"):
            mark = command.argv[4]
            text = "".join(f"{mark} {name}\n{text}\n" for name, text in (*self.rules.items(), ("end", "")))
            return CommandResult(command.argv, 0, text, "", 0.1)
        if command.stdin is None:
            self.tests.append(command)
            return CommandResult(command.argv, self.test_status, "", "", 0.1)
        mark = command.argv[3]
        lines = ["ssh eth0", "underlay eth1", "port br-lan bridge 1 -"]
        if self.bridge and self.bridge != "br-lan":
            lines.append(f"port {self.bridge} bridge 1 -")
        ports = ("eth0", "eth1", "eth2", "eth3", "tml0", "tml1")
        lines += [f"port {name} port 1 {(name in self.ports and self.bridge) or '-'}" for name in ports]
        text = "".join(f"{mark} {line}\n" for line in [*lines, "finished"])
        return CommandResult(command.argv, 0, text, "", 0.1)


@dataclass
class Hosts:
    a: Host
    b: Host

    def choose(self, options: DeploymentOptions, present: SlotDeployments) -> tuple[DeploymentObstacle, ...]:
        pair = SimpleNamespace(host=lambda side: SimpleNamespace(label=f"gateway-{side.value}"))
        facts = SimpleNamespace(facts=SimpleNamespace(nics=()))
        discovery = cast("Discovery", SimpleNamespace(pair=pair, a=facts, b=facts))
        link = persistent_link(Link("192.0.2.1", "192.0.2.2"), ID, 0)
        sessions = SessionPair(cast("HostSession", self.a), cast("HostSession", self.b))
        found, warnings = choose_ports(sessions, discovery, options, link, present, token=CancelToken())
        assert {side: one.lan_port for side, one in found.items()} == {
            side: options.bridge(side) for side in Side if options.bridge(side)
        }
        return warnings


def hosts(status_b: int, *, bridge: str = "", ports: tuple[str, ...] = ()) -> Hosts:
    a, b = (Host(SimpleNamespace(label=f"gateway-{side.value}"), NO_USER, bridge, ports) for side in Side)
    b.test_status = status_b
    return Hosts(a, b)


BOTH = {Side.A: ID, Side.B: ID}
OWN_BRIDGES = {Side.A: "tmlbr0", Side.B: "tmlbr0"}
OPTIONS = DeploymentOptions(bridge_a="eth3", bridge_b="eth3")


@pytest.mark.parametrize(
    ("present", "bridge", "ports"),
    [
        pytest.param(SlotDeployments({}, {}), "", (), id="nothing stands"),
        pytest.param(SlotDeployments(BOTH, {Side.A: "tml0", Side.B: "tml0"}), "", (), id="what stands joins no LAN"),
        pytest.param(
            SlotDeployments(BOTH, OWN_BRIDGES), "tmlbr0", ("eth2", "tml0"), id="what stands joins other ports"
        ),
        pytest.param(SlotDeployments({Side.A: ID}, {Side.A: "tmlbr0"}), "tmlbr0", ("eth3",), id="one side is replaced"),
        pytest.param(
            SlotDeployments({Side.A: ID, Side.B: OTHER_ID}, OWN_BRIDGES), "tmlbr0", ("eth3",), id="two that are not one"
        ),
        pytest.param(SlotDeployments(BOTH, {}), "tmlbr0", (), id="hosts that do not say"),
    ],
)
def test_whatever_is_up_two_lans_that_are_joined_already_are_refused(
    present: SlotDeployments, bridge: str, ports: tuple[str, ...]
) -> None:
    two = hosts(HEARD, bridge=bridge, ports=ports)
    if Side.B not in present.ids:
        two.b.bridge = ""
    (refusal,) = [one for one in two.choose(OPTIONS, present) if one.is_blocking]
    assert has_message(LANS_JOINED_ALREADY)(refusal.what)
    assert has_message(REMOVE_WHAT_JOINS)(refusal.hint) == present.is_on_both
    assert len(two.a.tests) == len(two.b.tests) == 1
    two.b.test_status = SILENT
    assert two.choose(OPTIONS, present) == ()
    two.b.test_status = NO_TCPDUMP
    (warning,) = two.choose(OPTIONS, present)
    assert warning.what == LOOP_UNKNOWN(why=PORT_FAULT(port="eth3", host="gateway-b", why=LOOP_TOOLS_MISSING()))
    assert warning.needs_person


def test_what_is_deployed_and_joins_these_very_ports_is_not_tested_again() -> None:
    two = hosts(HEARD, bridge="tmlbr0", ports=("eth3", "tml0"))
    assert two.choose(OPTIONS, SlotDeployments(BOTH, OWN_BRIDGES)) == ()
    assert two.b.tests == []
    two = hosts(HEARD)
    lan = DeploymentOptions(bridge_a="br-lan", bridge_b="br-lan")
    assert two.choose(lan, SlotDeployments(BOTH, {Side.A: "br-lan", Side.B: "br-lan"})) == ()
    assert two.b.tests == []


def test_a_port_of_one_lan_is_joined_without_a_test() -> None:
    two = hosts(HEARD)
    (warning,) = two.choose(DeploymentOptions(bridge_a="eth3"), SlotDeployments({}, {}))
    assert has_message(ONE_LAN_ONLY, other="gateway-a")(warning.what)
    assert two.b.tests == []


def test_a_port_of_another_users_bridge_is_not_freed() -> None:
    two = hosts(SILENT, bridge="br-lan", ports=("eth3",))
    with pytest.raises(InvalidOption):
        two.choose(OPTIONS, SlotDeployments(BOTH, {Side.A: "br-lan", Side.B: "br-lan"}))


@pytest.mark.parametrize(
    ("ports", "present", "others"),
    [
        (("tml1",), SlotDeployments({}, {}), "tml1"),
        (("tml0", "tml1"), SlotDeployments(BOTH, {Side.A: "br-lan", Side.B: "br-lan"}), "tml1"),
        (("tml1",), SlotDeployments(BOTH, {Side.A: "br-lan", Side.B: "br-lan"}), ""),
        (("tml0",), SlotDeployments(BOTH, {Side.A: "br-lan", Side.B: "br-lan"}), ""),
        (("eth2",), SlotDeployments({}, {}), ""),
    ],
)
def test_a_second_tunnel_on_a_bridge_waits_for_a_person_who_knows_of_both(
    ports: tuple[str, ...], present: SlotDeployments, others: str
) -> None:
    two = hosts(SILENT, bridge="br-lan", ports=ports)
    found = two.choose(DeploymentOptions(bridge_a="br-lan", bridge_b="br-lan"), present)
    waiting = [one for one in found if one.needs_person]
    assert [one.side for one in waiting] == (list(Side) if others else [])
    for one in waiting:
        host = f"gateway-{one.side and one.side.value}"
        assert one.what == BRIDGE_HAS_TUNNEL(bridge="br-lan", host=host, others=others, tunnel="tml0")
        assert has_message(RING_IS_PARTED)(one.hint)


def nft(*rules: str) -> dict[str, str]:
    head = "table inet filter {\n\tchain input {\n\t\ttype filter hook input priority filter; policy accept;\n"
    return {"nft": head + "".join(f"\t\t{rule}\n" for rule in rules) + "\t}\n}"}


MOVING = replace(OPTIONS, moves_lan_rules=True)


def test_firewall_rules_that_name_a_port_wait_for_a_person() -> None:
    two = hosts(SILENT)
    two.a.rules = nft('iifname "eth3" tcp dport 8080 drop', 'iifname "eth2" accept')
    (warning,) = [one for one in two.choose(OPTIONS, SlotDeployments({}, {})) if one.needs_person]
    assert warning.side is Side.A
    assert warning.what.startswith(
        "A rule names the LAN port eth3 in the firewall of gateway-a, for example: "
        'iifname "eth3" tcp dport 8080 drop. Once it is joined, packets arrive by the bridge tmlbr0'
    )
    assert "--move-lan-rules" in warning.hint
    assert not warning.is_blocking
    two.a.rules = nft('iifname "eth3" tcp dport 8080 drop', 'iifname "tmlbr0" tcp dport 8080 drop')
    assert not [one for one in two.choose(OPTIONS, SlotDeployments({}, {})) if one.needs_person]


def test_rules_that_are_moved_are_a_note_and_those_that_except_the_port_still_wait() -> None:
    two = hosts(SILENT)
    two.a.rules = nft('iifname "eth3" tcp dport 8080 drop')
    (note,) = two.choose(MOVING, SlotDeployments({}, {}))
    assert not note.needs_person
    assert not note.is_blocking
    rule = 'nft: rule in inet filter input: iifname "tmlbr0" tcp dport 8080 drop'
    assert has_message(RULE_IS_ADDED, bridge="tmlbr0", rule=rule)(note.what)
    assert has_message(MOVED_RULES_APPLY, own="A", other="B")(note.hint)
    two.b.rules = nft('iifname != "eth3" tcp dport 8080 drop')
    _, refused = two.choose(MOVING, SlotDeployments({}, {}))
    assert refused.side is Side.B
    assert refused.needs_person
    rule = 'iifname != "eth3" tcp dport 8080 drop (inet filter input)'
    assert has_message(RULE_BECAUSE, rule=rule, why=RULE_EXCEPTS_PORT())(refused.what)
    # What is joined now had its rules moved by the deployment that goes.
    two = hosts(SILENT, bridge="tmlbr0", ports=("eth3",))
    two.a.rules = nft('iifname "eth3" drop', 'iifname "tmlbr0" drop comment "tunnelmark 0011 lan 1"')
    (note,) = two.choose(MOVING, SlotDeployments(BOTH, OWN_BRIDGES))
    assert has_message(RULE_IS_ADDED, host="gateway-a")(note.what)


def test_replacing_what_has_moved_rules_by_what_does_not_waits_for_a_person() -> None:
    two = hosts(SILENT, bridge="tmlbr0", ports=("eth3",))
    two.a.rules = nft('iifname "eth3" drop', 'iifname "tmlbr0" drop comment "tunnelmark 0011 lan 1"')
    two.b.rules = nft('iifname "eth3" drop', 'udp dport 1 accept comment "tunnelmark 0011 1"')
    (warning,) = [one for one in two.choose(OPTIONS, SlotDeployments(BOTH, OWN_BRIDGES)) if one.needs_person]
    assert warning.side is Side.A
    assert has_message(RULE_NAMES_PORT, port="eth3", host="gateway-a")(warning.what)
    two.a.rules = {"firewalld": "plant", "save nft iptables-nft": "*filter\n-A IN -i tmlbr0 -j ACCEPT\nCOMMIT"}
    (warning,) = [one for one in two.choose(OPTIONS, SlotDeployments(BOTH, OWN_BRIDGES)) if one.needs_person]
    assert has_message(RULE_NAMES_PORT, port="eth3", rule="interface eth3")(warning.what)


def test_status_names_what_a_host_notes_of_its_rules() -> None:
    state = parse_state({"changed": "rules rules for eth2 changed: 1 not applied to tmlbr0; deploy again"})
    (drift,) = _drift(cast("RemoteHost", None), state, None, masked_diff, token=CancelToken())
    assert (drift.path, drift.diff) == ("Firewall", "")
    assert drift.what == "Rules for eth2 changed: 1 not applied to tmlbr0; deploy again."
    late = parse_state({"changed": "rules addresses of eth2 are not on tmlbr0: 10.0.0.2/24; deploy again"})
    (drift,) = _drift(cast("RemoteHost", None), late, None, masked_diff, token=CancelToken())
    assert (drift.path, drift.what[:20]) == ("LAN port", "Addresses of eth2 ar")


def test_firewall_that_may_drop_bridged_frames_waits_for_a_person() -> None:
    two = hosts(SILENT)
    two.a.rules = {"calls ip 1": "", "save nft iptables-nft": "*filter\n:FORWARD DROP [0:0]\nCOMMIT"}
    (warning,) = two.choose(OPTIONS, SlotDeployments({}, {}))
    assert warning.needs_person
    assert has_message(BRIDGED_FILTERED, host="gateway-a")(warning.what)
    assert has_message(FORWARD_POLICY, program="iptables-nft")(warning.what)
    assert has_message(BRIDGED_FILTERED_HINT, bridge="tmlbr0")(warning.hint)
    lan = DeploymentOptions(bridge_a="br-lan", bridge_b="br-lan")
    (warning,) = two.choose(lan, SlotDeployments({}, {}))
    assert has_message(BRIDGED_FILTERED_HINT, bridge="br-lan")(warning.hint)
    two.a.rules["calls ip 0"] = two.a.rules.pop("calls ip 1")
    assert two.choose(OPTIONS, SlotDeployments({}, {})) == ()


def test_firewall_that_cannot_be_read_is_an_error() -> None:
    two = hosts(SILENT)
    two.a.rules = {"failed": ""}
    with pytest.raises(CommandFailed, check=has_message(FIREWALL_UNREAD, host="gateway-a")):
        two.choose(OPTIONS, SlotDeployments({}, {}))


def test_port_that_is_joined_already_or_is_a_bridge_is_not_asked_about() -> None:
    two = hosts(SILENT, bridge="tmlbr0", ports=("eth3",))
    two.a.rules = two.b.rules = nft('iifname "eth3" drop', 'iifname "br-lan" drop')
    assert not [one for one in two.choose(OPTIONS, SlotDeployments(BOTH, OWN_BRIDGES)) if one.needs_person]
    bridges = DeploymentOptions(bridge_a="br-lan", bridge_b="br-lan", moves_lan_rules=True)
    two = hosts(SILENT)
    two.a.rules = two.b.rules = nft('iifname "br-lan" drop')
    assert two.choose(bridges, SlotDeployments({}, {})) == ()
