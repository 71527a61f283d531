from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.deployment.boot_bundle import BootBundleRequest, about_text, boot_bundle_files, steps_text
from app.deployment.deployment_steps import DeploymentSteps
from app.deployment.lan.interfaces import choose_bridging, judge_interface, parse_lan
from app.deployment.lan.messages import (
    CLIENT_MOVES,
    CLIENT_NOT_FOUND,
    CLIENT_NOT_KNOWN,
    CLIENT_REASON,
    CLIENT_STARTED_AGAIN,
    CLIENT_UNANSWERED,
    CLIENTS_SEVERAL,
    PORT_NOT_ETHERNET,
    PORT_OF_BRIDGE,
    PORT_OF_TUNNEL,
    PORT_OWNED,
    PORT_WIRELESS,
    SSH_RUNS_OVER,
    UNDERLAY_RUNS_OVER,
)
from app.deployment.messages import NEEDS_FOREIGN_PATH
from app.deployment.slots import (
    SLOTS,
    bridge_name,
    free_index,
    persistent_link,
    persistent_names,
    replaced_by_next,
    slot_of,
)
from app.deployment.status import parse_state
from app.domain.commands import FileToWrite
from app.domain.deployment import DeploymentState
from app.domain.errors import InvalidOption, InvalidPlan, PreflightRefused
from app.domain.hosts import HostSpec, Nic, PairSpec, Side
from app.domain.link import Link, TunnelNames
from app.tunnel.plan import plan_of
from support.deploy_world import made_up_facts, make_world
from support.made_up_vpn import MadeUpVpn, step
from support.message_checks import HasMessage, has_message
from support.stored_deployments import DEPLOYMENT, PAIR

MARK = "ab" * 8


def test_places_share_neither_names_nor_numbers_with_each_other_or_a_measurement() -> None:
    places = [TunnelNames(), *(persistent_names(index) for index in range(SLOTS))]
    words = [
        {one.ethernet_interface, one.wireguard_interface, one.lower_interface, one.vlan_interface} for one in places
    ]
    ports = [{one.udp_port, one.wireguard_port, one.freelan_port, one.tinc_port} for one in places]
    tcp = [{one.tcp_port, one.iperf_port, one.iperf_port + 1, one.ssh_port, one.tinc_port} for one in places]
    for sets in (words, ports, tcp, [{one.l2tp_tunnel_id} for one in places], [{one.guard_table} for one in places]):
        assert len(set().union(*sets)) == sum(len(one) for one in sets)
    assert all(len(word) <= 15 for one in words for word in one)
    networks = {persistent_link(Link("192.0.2.1", "192.0.2.2"), "00", index).inner_a for index in range(SLOTS)}
    assert len(networks) == SLOTS


def test_a_pair_has_one_place_whatever_it_is_called() -> None:
    pair = PairSpec("north", HostSpec("a", "10.0.0.1"), HostSpec("b", "10.0.0.2"), "192.0.2.1", "192.0.2.2")
    assert slot_of(pair) == slot_of(replace(pair, name="south", a=HostSpec("x", "gateway")))
    assert slot_of(pair) != slot_of(replace(pair, underlay_b="192.0.2.3"))


@pytest.mark.parametrize("state", DeploymentState)
def test_the_next_deployment_replaces_what_a_host_keeps(state: DeploymentState) -> None:
    stored = replace(DEPLOYMENT, slot=slot_of(PAIR), state=state)
    is_replaced = state in (DeploymentState.CONFIRMED, DeploymentState.HALF_CONFIRMED)
    assert replaced_by_next(PAIR, [stored]) == (stored if is_replaced else None)


def test_the_next_deployment_replaces_the_newest_of_its_pair_in_its_slot() -> None:
    stored = replace(DEPLOYMENT, slot=slot_of(PAIR))
    newer = replace(stored, id="newer")
    other_pair = replace(stored, id="of-another-pair", pair=replace(PAIR, name="south"))
    other_slot = replace(stored, id="in-another-slot", slot="ffffffff")
    assert replaced_by_next(PAIR, [other_pair, other_slot, newer, stored]) == newer
    assert replaced_by_next(replace(PAIR, underlay_b="192.0.2.3"), [newer, stored]) is None


def test_the_first_free_place_is_taken() -> None:
    def with_nics(*names: str) -> tuple[Nic, ...]:
        return tuple(Nic(name, "", 1500, None, is_up=True) for name in names)

    a, b = made_up_facts(Side.A), made_up_facts(Side.B)
    assert free_index((a, b)) == 0
    assert free_index((replace(a, nics=with_nics("tml0")), replace(b, nics=with_nics("tmlbr1")))) == 2
    for number, taken in enumerate(
        (
            {"ports_in_use": ("udp/22820",)},
            {"ports_in_use": ("tcp/22655",)},
            {"ports_in_use": ("tcp/26202",)},
            {"l2tp_tunnel_ids": (7401,)},
            {"nics": with_nics("tap7401")},
            {"nics": (Nic("lan0", "", 1500, None, is_up=True, addresses=("198.19.1.7/30",)),)},
        )
    ):
        assert free_index((a, replace(b, **taken))) == 1, number  # type: ignore[arg-type]
    assert free_index((a, replace(b, ports_in_use=("tcp/22820",)))) == 0
    with pytest.raises(PreflightRefused):
        free_index((replace(a, nics=with_nics(*(f"tml{number}" for number in range(SLOTS)))), b))
    assert bridge_name(persistent_link(Link("192.0.2.1", "192.0.2.2"), "00", 3)) == "tmlbr3"


LAN = "\n".join(
    f"{MARK} {line}"
    for line in (
        "ssh br0",
        "ssh br0",
        "underlay eth1.10",
        "port lo port 772 -",
        "port br0 bridge 1 -",
        "port eth0 port 1 br0",
        "lower br0 eth0",
        "port eth1 port 1 -",
        "port eth1.10 port 1 -",
        "lower eth1.10 eth1",
        "port eth2 port 1 -",
        "port eth3 port 1 br7",
        "port br7 bridge 1 -",
        "lower br7 eth3",
        "port wlan0 wireless 1 -",
        "port tun0 port 65534 -",
        "port tmk0 port 1 -",
        "port eth4 port 1 -",
        "leased eth4",
        "port eth5 port 1 -",
        "leased eth5",
        "client eth5 dhclient -",
        "port eth6 port 1 -",
        "client eth6 dhclient parent",
        "port eth10 port 1 -",
        "client eth10 dhclient -",
        "client eth10 dhclient waiting",
        "port eth7 port 1 -",
        "leased eth7",
        "client eth7 udhcpc -",
        "client eth7 dhclient -",
        "port eth8 port 1 -",
        "client eth8 dhcpcd program",
        "port eth9 port 1 -",
        "leased eth9",
        "owner eth9 systemd-networkd",
        "client br7 dhclient service",
        "leased br7",
        "owner eth2 NetworkManager",
        "finished",
    )
)


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("br0", has_message(SSH_RUNS_OVER)),
        ("eth0", has_message(SSH_RUNS_OVER)),
        ("eth1", has_message(UNDERLAY_RUNS_OVER)),
        ("eth1.10", has_message(UNDERLAY_RUNS_OVER)),
        ("eth3", has_message(PORT_OF_BRIDGE)),
        ("wlan0", has_message(PORT_WIRELESS)),
        ("tun0", has_message(PORT_NOT_ETHERNET)),
        ("tmk0", has_message(PORT_OF_TUNNEL)),
        ("eth4", has_message(CLIENT_NOT_FOUND)),
        ("eth6", has_message(CLIENT_REASON, why=CLIENT_STARTED_AGAIN(), client="ISC dhclient")),
        ("eth10", has_message(CLIENT_REASON, why=CLIENT_UNANSWERED(), client="ISC dhclient")),
        ("eth7", has_message(CLIENTS_SEVERAL, clients="BusyBox udhcpc, ISC dhclient")),
        ("eth8", has_message(CLIENT_NOT_KNOWN, client="dhcpcd")),
        ("eth9", has_message(CLIENT_NOT_KNOWN, client="systemd-networkd")),
        ("eth5", None),
        ("eth2", None),
        ("br7", None),
    ],
)
def test_what_carries_the_connection_or_the_underlay_is_never_joined(name: str, refusal: HasMessage | None) -> None:
    found = parse_lan(LAN, MARK)
    assert found is not None
    one = judge_interface(name, found, None, "gateway-a")
    assert refusal(one.refusal) if refusal else one.refusal == ""
    if refusal:
        with pytest.raises(InvalidOption):
            choose_bridging((one,), name, "tmlbr0", "gateway-a")
    else:
        bridging, warnings = choose_bridging((one,), name, "tmlbr0", "gateway-a")
        assert bridging.bridge == ("br7" if name == "br7" else "tmlbr0")
        assert any(has_message(PORT_OWNED, owner="NetworkManager")(text) for text in warnings) == (name == "eth2")
        assert bridging.client == ("dhclient" if name == "eth5" else "")
        assert any(has_message(CLIENT_MOVES)(text) for text in warnings) == (name == "eth5")


def test_an_answer_that_was_cut_off_is_none() -> None:
    assert parse_lan(LAN.rpartition("\n")[0], MARK) is None
    with pytest.raises(InvalidOption):
        choose_bridging((), "eth9", "tmlbr0", "gateway-a")


def test_a_hosts_state_is_read() -> None:
    state = parse_state(
        {
            "about": "id 00112233aabbccdd\nchanged /etc/systemd/system/x.service\nenabled yes\nwatched yes\n"
            "restarts 2\ninterface tml0\nrx 10\ntx 20\nstanding yes\nclock 1000",
            "changed": "file steps.sh\nused openvpn.conf",
            "ping": "5 packets transmitted, 4 received, 20% packet loss, time 801ms\n"
            "rtt min/avg/max/mdev = 1.1/2.5/3.0/0.2 ms",
            "handshake": "peerkey=\t940",
            "certificates": "87400 openvpn.crt\nbad",
        }
    )
    assert (state.deployment_id, state.is_enabled, state.is_watched, state.is_on_host) == (
        "00112233aabbccdd",
        True,
        True,
        True,
    )
    assert (state.sent, state.received, state.rtt_ms, state.last_handshake_s) == (5, 4, 2.5, 60.0)
    assert state.certificates == {"openvpn.crt": 86400.0}
    assert state.changed == (
        ("service", "/etc/systemd/system/x.service"),
        ("file", "steps.sh"),
        ("used", "openvpn.conf"),
    )
    assert parse_state({}).deployment_id == ""


@given(st.dictionaries(st.sampled_from(["about", "changed", "ping", "handshake", "certificates", "lock"]), st.text()))
def test_whatever_a_host_prints_is_read_without_an_error(sections: dict[str, str]) -> None:
    parse_state(sections)


def bundle(tmp_path_factory: pytest.TempPathFactory, vpn: MadeUpVpn) -> BootBundleRequest:
    world = make_world(tmp_path_factory.mktemp("world"))
    link = persistent_link(world.request.link, "00112233aabbccdd", 0)
    request = replace(world.request, adapter=vpn, link=link, extension=DeploymentSteps("/run/tunnelmark/kit"))
    return BootBundleRequest(request, plan_of(request), Side.A, "00112233aabbccdd", "58fca5ac", MARK)


def test_the_boot_bundle_starts_what_was_deployed_and_removes_it_in_reverse(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    steps = (
        step("It's one", "echo up 1", "echo down 1"),
        step("Two", "echo up 2", "echo down 2"),
        step("Look", ":", None),
    )
    text = steps_text(bundle(tmp_path_factory, MadeUpVpn(interface="tml0", steps={Side.A: steps})))
    functions = 'up_step() { shift 5; "$@"; }\ndown_step() { shift 3; "$@"; }'
    shell = f"{text}\n{functions}\nup_steps; down_steps; standing_steps"
    done = subprocess.run(["dash", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:4] == ["up 1", "up 2", "down 2", "down 1"]


def test_what_the_boot_bundle_knows_of_itself_is_quoted(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = about_text(bundle(tmp_path_factory, MadeUpVpn(interface="tml0")))
    done = subprocess.run(
        ["dash", "-c", f'{text}\necho "$slot|$ping|$interfaces"'], capture_output=True, text=True, check=True
    )
    assert done.stdout == "58fca5ac|ping -c 1 -n -W 2 -I tml0 198.19.0.2|tml0\n"


def test_a_vpn_with_files_outside_its_folder_cannot_remain(tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = MadeUpVpn(interface="tml0", files={Side.A: (FileToWrite("/etc/made-up.conf", b"x"),)})
    with pytest.raises(InvalidPlan, check=has_message(NEEDS_FOREIGN_PATH)):
        boot_bundle_files(bundle(tmp_path_factory, outside), "/run/tunnelmark/kit")
