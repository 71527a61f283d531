"""Guard of joined LANs: what is chosen, what is planned, what the host's supervisor does, what is reported of it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from plain_data import from_data

from app.cli.parser import parse
from app.cli.sides import deployment_options
from app.deployment.choice import check_options
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard import LanGuard, parse_guard, probed_address
from app.deployment.lan.guard_choice import guard_ports
from app.deployment.lan.messages import HAS_NO_NFT, NFT_REFUSES, NFT_REFUSES_BECAUSE, NO_LOOP_GUARD
from app.deployment.messages import BROADCAST_LIMIT_OUT_OF_RANGE, GUARD_WITHOUT_LAN_PORT, LANS_PARTED
from app.deployment.reconcile import _loop_text
from app.deployment.slots import persistent_link
from app.deployment.status import parse_state
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, SessionPair
from app.domain.deployment import DeploymentOptions
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.hosts import HostFacts, Side, Tool, ToolFlavour
from app.domain.link import Link
from app.domain.messages.inputs import NO_LAN_PORT
from app.domain.script_files import host_script
from app.export.bundle import Bundle, make_bundle
from app.export.messages import NO_NFT
from app.export.request import ExportRequest
from app.storage.codec import to_data
from support.export_cases import export_request
from support.message_checks import HasMessage, has_message

LINK = persistent_link(Link("192.0.2.1", "192.0.2.2"), "00112233aabbccdd", 0)
JOINED = DeploymentOptions(bridge_a="eth2", bridge_b="eth2")
NFT = {"nft": Tool("nft", ToolFlavour.STANDARD, "1.0.6")}


@pytest.mark.parametrize(
    ("inner_a", "inner_b", "probed"),
    [
        ("", "", "198.19.0.244"),
        ("10.9.0.244/24", "10.9.0.2/24", "10.9.0.245"),
        ("10.9.0.1/29", "10.9.0.2/29", "10.9.0.3"),
        ("10.9.0.5/29", "10.9.0.1/29", "10.9.0.2"),
        ("10.9.0.1/30", "10.9.0.2/30", "198.19.255.254"),
        ("10.9.0.0/31", "10.9.0.1/31", "198.19.255.254"),
    ],
)
def test_probes_ask_for_an_address_that_neither_host_has(inner_a: str, inner_b: str, probed: str) -> None:
    link = persistent_link(Link("192.0.2.1", "192.0.2.2"), "00112233aabbccdd", 0, inner_a=inner_a, inner_b=inner_b)
    assert probed_address(link) == probed


def test_deployments_of_earlier_versions_have_the_defaults() -> None:
    data = to_data(JOINED)
    for name in ("broadcast_limit", "blocks_dhcp", "blocks_router_advertisements"):
        del data[name]
    assert from_data(DeploymentOptions, data) == JOINED
    assert (JOINED.broadcast_limit, JOINED.blocks_dhcp, JOINED.blocks_router_advertisements) == (1000, False, False)


@pytest.mark.parametrize("limit", [-1, 1_000_001])
def test_a_limit_out_of_range_is_refused(limit: int) -> None:
    with pytest.raises(InvalidOption, check=has_message(BROADCAST_LIMIT_OUT_OF_RANGE)):
        check_options(replace(JOINED, broadcast_limit=limit))


def test_nothing_can_be_blocked_where_no_lan_is_joined() -> None:
    with pytest.raises(InvalidOption, check=has_message(GUARD_WITHOUT_LAN_PORT)):
        check_options(DeploymentOptions(blocks_dhcp=True))


def test_no_rules_can_move_where_no_lan_is_joined() -> None:
    with pytest.raises(InvalidOption, check=has_message(NO_LAN_PORT)):
        check_options(DeploymentOptions(moves_lan_rules=True))
    check_options(DeploymentOptions(bridge_b="eth2", moves_lan_rules=True))


def test_options_that_were_not_given_are_left_to_their_defaults() -> None:
    words = ["deploy", "north", "wireguard"]
    assert deployment_options(parse(words)) == DeploymentOptions()
    given = parse([*words, "--broadcast-limit", "0", "--block-dhcp", "--block-router-advertisements"])
    assert deployment_options(given) == DeploymentOptions(
        broadcast_limit=0, blocks_dhcp=True, blocks_router_advertisements=True
    )


@dataclass
class Host:
    """A host whose nft says something."""

    spec: SimpleNamespace
    status: int = 0
    stderr: str = ""
    asked: list[Command] = field(default_factory=list)

    def run(self, command: Command, *, token: CancelToken) -> CommandResult:
        del token
        self.asked.append(command)
        return CommandResult(command.argv, self.status, "", self.stderr, 0.1)


def guarded(
    options: DeploymentOptions, *, a: Host, tools_a: dict[str, Tool]
) -> tuple[dict[Side, Bridging], list[object]]:
    pair = SimpleNamespace(host=lambda side: SimpleNamespace(label=f"gateway-{side.value}"))
    b = Host(SimpleNamespace(label="gateway-b"))
    checks = [SimpleNamespace(facts=SimpleNamespace(tools=tools)) for tools in (tools_a, NFT)]
    discovery = cast("Discovery", SimpleNamespace(pair=pair, a=checks[0], b=checks[1]))
    sessions = cast("SessionPair", SimpleNamespace(a=a, b=b))
    ports = {side: Bridging("tmlbr0", "eth2") for side in Side}
    found, obstacles = guard_ports(sessions, discovery, options, LINK, ports, token=CancelToken())
    return found, list(obstacles)


def test_both_hosts_are_guarded_as_was_chosen_and_asked_without_a_change() -> None:
    host = Host(SimpleNamespace(label="gateway-a"))
    found, obstacles = guarded(replace(JOINED, broadcast_limit=7), a=host, tools_a=NFT)
    assert obstacles == []
    guard = LanGuard(7, blocks_dhcp=False, blocks_router_advertisements=False)
    assert {one.guard for one in found.values()} == {guard}
    assert [one.argv[-1] for one in host.asked] == ["-c"]


@pytest.mark.parametrize(
    ("host", "tools", "why"),
    [
        (Host(SimpleNamespace(label="gateway-a")), {}, has_message(HAS_NO_NFT)),
        (
            Host(SimpleNamespace(label="gateway-a"), 1, "Error: not supported\n^^^\n"),
            NFT,
            has_message(NFT_REFUSES_BECAUSE),
        ),
        (Host(SimpleNamespace(label="gateway-a"), 139), NFT, has_message(NFT_REFUSES)),
    ],
)
def test_a_host_that_cannot_be_guarded_needs_a_person_and_cannot_block(
    host: Host, tools: dict[str, Tool], why: HasMessage
) -> None:
    found, (warning,) = guarded(JOINED, a=host, tools_a=tools)
    assert (found[Side.A].guard is None, found[Side.B].guard is None) == (True, False)
    assert (warning.side, warning.is_blocking, warning.needs_person) == (Side.A, False, True)  # type: ignore[attr-defined]
    assert has_message(NO_LOOP_GUARD, host="gateway-a")(warning.what)  # type: ignore[attr-defined]
    assert why(warning.what)  # type: ignore[attr-defined]
    assert "nftables" in warning.hint  # type: ignore[attr-defined]
    _, (refusal,) = guarded(replace(JOINED, blocks_dhcp=True), a=host, tools_a=tools)
    assert refusal.is_blocking  # type: ignore[attr-defined]


def with_tools(facts: HostFacts, *, has_nft: bool) -> HostFacts:
    tools = {name: tool for name, tool in facts.tools.items() if name != "nft"}
    return replace(facts, tools={**tools, **NFT} if has_nft else tools)


def exported(options: DeploymentOptions, *, has_nft: bool) -> tuple[ExportRequest, Bundle]:
    request = export_request("openvpn-udp", options=options)
    facts = {f"facts_{side.value}": with_tools(request.facts(side), has_nft=has_nft) for side in Side}
    request = replace(request, **facts)
    return request, make_bundle(request)


def text_of(bundle: Bundle, name: str) -> str:
    return next(file.text for file in bundle.a.files if file.path.endswith(f"/{name}"))


def test_an_export_has_the_same_steps_and_what_the_supervisor_needs() -> None:
    request, bundle = exported(replace(JOINED, blocks_dhcp=True), has_nft=True)
    _, without = exported(JOINED, has_nft=False)
    steps, about = text_of(bundle, "steps.sh"), text_of(bundle, "about.sh")
    up = steps[: steps.index("down_steps")]
    first, *others = up.split("    up_step ")[1:]
    # A firewall is opened behind the last step that can be repeated, and before any program of the VPN is started.
    assert "add table bridge" in first
    assert "ping -c 1 -W 1 -I" in others[-1], "a probe is sent right after the join"
    assert " master " in others[-2]
    assert any("openvpn --config" in step for step in others)
    assert "guard_table=tunnelmark_lan_tml0\nnobody=198.19.0.244\n" in about
    assert "test -e /sys/class/net/tmlbr0/brif/tml0 || return 1" in steps, "no program is started for it"
    assert "nft list table bridge tunnelmark_lan_tml0" in steps[steps.index("mend_steps") :]
    assert "tunnelmark_lan" not in text_of(without, "steps.sh")
    assert "guard_table" not in text_of(without, "about.sh")
    with pytest.raises(InvalidPlan, check=has_message(NO_NFT)):
        exported(replace(JOINED, blocks_dhcp=True), has_nft=False)
    assert request.deployment_id != replace(request, options=JOINED).deployment_id


def test_what_the_host_says_becomes_its_state() -> None:
    table = (
        "table bridge tunnelmark_lan_tml0 {\n\tset looped {\n\t\telements = { ether timeout 30s expires 21s }\n\t}\n"
        '\t\tlimit rate over 9/second counter packets 12 bytes 720 drop comment "broadcast from the tunnel"\n'
        '\t\tlimit rate over 9/second counter packets 30 bytes 720 drop comment "broadcast to the tunnel"\n'
        "\t\tcounter packets 5 bytes 300 drop\n}\n"
    )
    state = parse_state({"about": "looped 1700000000\n", "guard": table})
    assert state.guard is not None
    assert (state.guard.is_looped, state.guard.limited_frames) == (True, 42)
    assert state.looped_since == datetime.fromtimestamp(1_700_000_000, UTC)
    assert parse_state({"about": "looped 99999999999999999\n"}).looped_since is None
    assert parse_state({}).guard is None
    assert not parse_guard("set x { 67, 68 }").is_looped


_PROCESS = host_script("process.sh")
_WATCH = """
log_event() { echo "told $1"; }
uptime_s() { uptime_now=$now; }
own=$1 interface=lo guard_table=$2 nobody=198.19.0.244
now=1000
while [ "$now" -lt 1120 ]; do
    watch_lans
    wait
    now=$((now + $3))
    if [ "$now" -eq 1060 ]; then : > "$own/over"; fi
done
"""


@pytest.mark.parametrize("every_s", [1, 2, 3, 5])
@pytest.mark.parametrize("shell", ["dash", "busybox sh"])
def test_the_supervisor_starts_one_program_in_four_seconds_and_tells_of_a_loop_once(
    tmp_path: Path, shell: str, every_s: int
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    looped = "elements = { ether timeout 30s expires 21s }\nether saddr 00:00:00:00:00:00 update"
    answers = f'if [ -e {tmp_path}/over ]; then echo "ether saddr 00:00:00:00:00:00 x"; else echo "{looped}"; fi'
    for name, line in (("ping", ":"), ("nft", answers)):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {tmp_path}/started\n{line}\n')
        (programs / name).chmod(0o755)
    script = _PROCESS + host_script("lan-watch.sh") + _WATCH
    words = [*shell.split(), "-c", script, "watch", str(tmp_path), "tunnelmark_lan_tml0", str(every_s)]
    path = f"{programs}:/usr/bin:/bin"
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={"PATH": path})
    reported = [line for line in done.stdout.splitlines() if line.startswith("told ")]
    assert [line.split(":")[0] for line in reported] == [
        "told own frames come back",
        "told own frames do not come back any more",
    ]
    started = (tmp_path / "started").read_text().splitlines()
    assert {line.split()[0] for line in started} == {"ping", "nft"}
    assert 25 <= len(started) <= 30, "within 120 s"
    assert all(line == "ping -c 1 -W 1 -I lo 198.19.0.244" for line in started if line.startswith("ping"))


def test_a_table_that_names_another_address_than_the_bridge_has_is_removed_to_be_made_again(tmp_path: Path) -> None:
    nft = tmp_path / "nft"
    nft.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/started\necho "ether saddr 02:00:00:00:00:01 update"\n')
    nft.chmod(0o755)
    unlimited = 'limited() { shift; "$@"; }'  # a busy computer takes seconds to start a program
    script = f"{_PROCESS}{host_script('lan-watch.sh')}\n{unlimited}\nown=$1 interface=lo guard_table=T\nnote_loop"
    subprocess.run(
        ["dash", "-c", script, "watch", str(tmp_path)], check=True, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}
    )
    assert (tmp_path / "started").read_text().splitlines() == ["list table bridge T", "delete table bridge T"]


@pytest.mark.parametrize("shell", ["dash", "busybox sh"])
def test_an_nft_that_hangs_does_not_stop_the_supervisor(tmp_path: Path, shell: str) -> None:
    # The time limits are shortened: each program gets 0.2 s.
    for name, line in (("nft", "exec sleep 600"), ("timeout", 'shift\nexec /usr/bin/timeout 0.2 "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    script = f"{_PROCESS}{host_script('lan-watch.sh')}\nown=$1 interface=lo guard_table=T\nnote_loop\necho went on"
    words = [*shell.split(), "-c", script, "watch", str(tmp_path)]
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=path, timeout=120)
    assert done.stdout == "went on\n"


@pytest.mark.parametrize(("present", "status"), [("nft_meta_bridge", 0), ("nf_tables_bridge", 0), ("nft_meta", 1)])
def test_a_kernel_whose_modules_are_not_loaded_has_to_have_those_for_bridges(
    tmp_path: Path, present: str, status: int
) -> None:
    modprobe = tmp_path / "modprobe"
    modprobe.write_text(
        '#!/bin/sh\nfor name; do :; done\n[ "$1" = -n ] || exit 3\n'
        f'case $name in nf_tables) echo "insmod nf_tables.ko" ;; {present}) ;; *) exit 1 ;; esac\n'
    )
    modprobe.chmod(0o755)
    guard = LanGuard(0, blocks_dhcp=False, blocks_router_advertisements=False)
    argv = [
        word.replace("/sys/module/nf_tables", str(tmp_path / "absent"))
        for word in guard.check(("tml0", "tmlbr0", "lan0"), LINK, Side.A).argv
    ]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert done.returncode == status
    assert done.stderr == ("the kernel has no module for tables of bridges (nft_meta_bridge)\n" if status else "")


def test_status_says_that_frames_come_back_and_not_why() -> None:
    hub, spoke = EndpointStatus(Side.A, "hub", is_reachable=True), EndpointStatus(Side.B, "spoke", is_reachable=True)
    found = PairStatus("plant", datetime.now(UTC), None, None, replace(hub, is_looped=True), spoke)
    (text,) = _loop_text(found)
    assert text == LANS_PARTED(a="hub", b="spoke", hosts="hub")
    assert _loop_text(replace(found, a=hub)) == ()
