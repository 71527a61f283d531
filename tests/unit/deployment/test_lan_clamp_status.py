"""The table that fits TCP to the path as it is found on hosts: its sizes, and what status makes of them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.deployment.deployment_steps import DeploymentSteps
from app.deployment.lan.clamp import clamp_text, clamp_texts
from app.deployment.lan.messages import CLAMP_TITLE, FITTED, INSTALL_NFT, MTU_TITLE, OWN_TABLE
from app.deployment.status import parse_state
from app.deployment.transactions import DeploymentTransaction, commit
from app.domain.adapters import PlanRequest, TunnelPlan
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentState
from app.domain.deployment_status import ClampStatus, EndpointStatus, PairStatus
from app.domain.hosts import Side
from app.domain.messages import code_of
from app.domain.script_files import bare_script, host_script
from support.deploy_world import SHELLS, World, ignore_stage
from support.deployment_world import deployment_request, deployment_world, remove, state_of
from support.made_up_host import LocalHost
from support.made_up_vpn import MadeUpVpn
from support.message_checks import has_message
from support.waiting import INSPECTIONS_S, wait_until

WORDS = ("bridge", "tunnelmark_mss_tml0", "tml0", "1414", "1394")

# Source: nft 1.0.6 as run; how 0.9.8 and 1.1.3 list flags of TCP and priorities.
_LISTED = """table bridge tunnelmark_mss_tml0 {{
	chain arriving {{
		type filter hook prerouting priority {priority}; policy accept;
		iifname "tml0" meta protocol ip tcp flags {flags} tcp option maxseg size > {a} tcp option maxseg size set {a}
		iifname "tml0" meta protocol ip6 tcp flags {flags} tcp option maxseg size > {b} tcp option maxseg size set {b}
	}}

	chain leaving {{
		type filter hook postrouting priority {priority}; policy accept;
		oifname "tml0" meta protocol ip tcp flags {flags} tcp option maxseg size > {a} tcp option maxseg size set {a}
		oifname "tml0" meta protocol ip6 tcp flags {flags} tcp option maxseg size > {b} tcp option maxseg size set {b}
	}}
}}
"""
_FORMS = {
    "0.9.8": {"priority": "-200", "flags": "& (syn | rst) == syn"},
    "1.0.6": {"priority": "filter", "flags": "syn / syn,rst"},
    "1.1.3": {"priority": "filter", "flags": "& (syn | rst) == syn"},
}


def listed(version: str = "1.0.6", a: int = 1414, b: int = 1394) -> str:
    return _LISTED.format(**_FORMS[version], a=a, b=b)


_NFT = """#!/bin/sh
case $* in
    "list table bridge tunnelmark_mss_tml0") cat table ;;
    *-c*) cat > /dev/null; [ ! -e refusing ] ;;
    "-f -") cat > /dev/null; cat next > table ;;
    *) exit 99 ;;
esac
"""


@dataclass(frozen=True)
class Gateway:
    """A host with an nft that keeps one table, and a folder for notes of its supervisor."""

    folder: Path
    shell: str

    def run(self, script: str, *words: str, notes: bool = True) -> subprocess.CompletedProcess[str]:
        name, *more = self.shell.split()
        argv = [shutil.which(name) or name, *more, "-c", script, "tunnelmark", *words]
        env = {"PATH": str(self.folder), **({"TUNNELMARK_NOTES": str(self.folder / "notes")} if notes else {})}
        return subprocess.run(argv, cwd=self.folder, env=env, capture_output=True, text=True, check=False)

    def is_healthy(self) -> bool:
        done = self.run(bare_script("lan/clamp-healthy.sh"), *WORDS)
        assert (done.stdout, done.stderr) == ("", "")
        return done.returncode == 0

    def make(self, *, notes: bool = True) -> None:
        done = self.run(bare_script("lan/clamp.sh"), *WORDS, notes=notes)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    def state(self) -> ClampStatus | None:
        """Return what status reads of it."""
        script = host_script("state.sh").removesuffix('main "$@"\n') + 'run_dir=$1\nshift\nclamped "$@"\n'
        (self.folder / ".lasting").unlink(missing_ok=True)
        (self.folder / ".lasting").symlink_to("notes")
        done = self.run(script, str(self.folder), *WORDS)
        assert (done.returncode, done.stderr) == (0, "")
        return parse_state({"about": done.stdout}).clamp


@pytest.fixture(params=SHELLS)
def gateway(request: pytest.FixtureRequest, tmp_path: Path) -> Gateway:
    for name in ("sh", "cat", "rm", "true"):
        (tmp_path / name).symlink_to(shutil.which(name) or "")
    (tmp_path / "modprobe").symlink_to(shutil.which("true") or "")
    (tmp_path / "nft").write_text(_NFT)
    (tmp_path / "nft").chmod(0o755)
    (tmp_path / "notes").mkdir()
    (tmp_path / "next").write_text(listed())
    return Gateway(tmp_path, str(request.param))


@pytest.mark.parametrize("version", _FORMS)
def test_a_table_with_the_sizes_that_are_wanted_is_there(gateway: Gateway, version: str) -> None:
    (gateway.folder / "table").write_text(listed(version))
    assert gateway.is_healthy()
    assert gateway.state() == ClampStatus(1414, 1394, is_there=True)


CHANGED = {
    "another size over IPv4": listed(a=1418),
    "another size over IPv6": listed(b=1398),
    "a longer number": listed(a=14140),
    "without rules": "table bridge tunnelmark_mss_tml0 {\n}\n",
    "a rule less": "".join(line for line in listed().splitlines(keepends=True) if "oifname" not in line),
}


@pytest.mark.parametrize("table", CHANGED.values(), ids=list(CHANGED))
def test_a_table_that_was_changed_is_made_anew(gateway: Gateway, table: str) -> None:
    (gateway.folder / "table").write_text(table)
    assert not gateway.is_healthy()
    assert gateway.state() == ClampStatus(1414, 1394, is_there=False)
    gateway.make()
    assert gateway.is_healthy()


def test_a_table_that_has_gone_is_missing(gateway: Gateway) -> None:
    assert not gateway.is_healthy()
    assert gateway.state() == ClampStatus(1414, 1394, is_there=False)


def test_where_the_kernel_takes_no_table_any_more_the_tunnel_is_healthy_and_status_tells(gateway: Gateway) -> None:
    (gateway.folder / "refusing").touch()
    assert gateway.is_healthy()
    assert gateway.state() == ClampStatus(1414, 1394, is_there=False)


def test_without_nft_the_tunnel_is_healthy_and_status_tells(gateway: Gateway) -> None:
    (gateway.folder / "nft").unlink()
    assert gateway.is_healthy()
    assert gateway.state() == ClampStatus(1414, 1394, is_there=False, has_nft=False)


def test_an_nft_that_lists_sizes_otherwise_does_not_take_the_tunnel_down(gateway: Gateway) -> None:
    (gateway.folder / "next").write_text(listed().replace("size set 1414", "size set 0x586"))
    gateway.make(notes=False)
    assert not gateway.is_healthy()
    gateway.make()
    assert gateway.is_healthy()
    assert gateway.state() == ClampStatus(1414, 1394, is_there=True)
    (gateway.folder / "next").write_text(listed())
    gateway.make()
    (gateway.folder / "table").write_text(listed(a=1418))
    assert not gateway.is_healthy(), "with an nft that lists them, the sizes count"


@pytest.mark.parametrize("text", ["", "there", "there 1414", "there 1414 x", "gone 1 2", "there 1 2 3", "there -1 2"])
def test_anything_else_that_a_host_says_is_nothing(text: str) -> None:
    assert parse_state({"about": f"clamp {text}\n"}).clamp is None


def end(side: Side, clamp: ClampStatus | None) -> EndpointStatus:
    return EndpointStatus(
        side,
        f"gateway-{side.value}",
        is_reachable=True,
        deployment_id="0" * 16,
        is_enabled=True,
        is_up=True,
        is_watched=True,
        clamp=clamp,
    )


THERE = ClampStatus(1414, 1394, is_there=True)


def test_what_is_missing_is_reported_for_each_host_with_what_to_do() -> None:
    a = end(Side.A, replace(THERE, is_there=False))
    b = end(Side.B, replace(THERE, is_there=False, has_nft=False))
    found = PairStatus("plant", datetime.now(UTC), None, DeploymentState.CONFIRMED, a, b)
    missing, without = clamp_texts(found)
    assert (code_of(missing), "gateway-a" in missing, "supervisor" in missing) == ("lan.no-clamp-table", True, True)
    assert "gateway-b" in without
    assert has_message(INSTALL_NFT)(without)
    assert not found.is_healthy
    whole = replace(found, a=end(Side.A, THERE), b=end(Side.B, None))
    assert list(clamp_texts(whole)) == []
    assert whole.is_healthy


def test_the_sizes_are_those_that_were_found() -> None:
    found = clamp_text(end(Side.A, THERE), "as deployed")
    assert found == OWN_TABLE(title=CLAMP_TITLE(ipv4=1414, ipv6=1394))
    whole = FITTED(clamp=OWN_TABLE(title=CLAMP_TITLE(ipv4=1, ipv6=2)), mtu=MTU_TITLE(interface="tml0", mtu=1454))
    assert clamp_text(end(Side.A, THERE), whole) == f"{found}. Set the MTU of tml0 to 1454 bytes."
    assert clamp_text(end(Side.A, replace(THERE, is_there=False)), "as deployed") == ""
    assert clamp_text(end(Side.A, None), "as deployed") == "as deployed", "a host of an earlier version does not say"
    assert clamp_text(replace(end(Side.A, None), deployment_id=""), "as deployed") == ""
    assert clamp_text(EndpointStatus(Side.A, "gateway-a", is_reachable=False), "as deployed") == "as deployed"


# What it is given is what it lists: the words of the sizes are the same. Tables of all kinds are one file.
_HOSTS_NFT = """#!/bin/sh
case $* in
    "list table inet tunnelmark_mss_tml0") cat "$FAKE_NET/clamp" ;;
    "delete table inet tunnelmark_mss_tml0") rm "$FAKE_NET/clamp" ;;
    "-c -f -") cat > /dev/null; [ ! -e "$FAKE_NET/refusing" ] ;;
    "-f -") cat > "$FAKE_NET/next"; [ ! -e "$FAKE_NET/refusing" ] && mv "$FAKE_NET/next" "$FAKE_NET/clamp" ;;
esac
"""


class FittedVpn(MadeUpVpn):
    """A made-up VPN whose frames of full size are fragmented, and which has no interface whose MTU could be set."""

    def plan(self, request: PlanRequest) -> TunnelPlan:
        return replace(super().plan(request), largest_unfragmented_frame_bytes=1290)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with deployment_world(tmp_path) as made:
        for host in made.hosts:
            (host.root / "bin" / "nft").write_text(_HOSTS_NFT)
            (host.root / "bin" / "nft").chmod(0o755)
        yield made


def table_of(host: LocalHost) -> Path:
    return host.net / "clamp"


def test_status_asks_the_hosts_for_the_table_and_the_supervisor_makes_it_anew(world: World) -> None:
    request, place = deployment_request(world, FittedVpn(interface="tml0"))
    assert isinstance(request.extension, DeploymentSteps)
    request = replace(request, extension=replace(request.extension, fits_path_mtu=True))
    one = DeploymentTransaction(world.sessions, request, place, on_stage=ignore_stage, audit=None, lease_s=30)
    with one.provisional(token=CancelToken()):
        one.start_from_boot_bundle(token=CancelToken())
        commit(one, token=CancelToken())
    wanted = ClampStatus(1236, 1216, is_there=True)
    assert [state_of(host).clamp for host in world.hosts] == [wanted, wanted]

    first, second = world.hosts
    table = table_of(first).read_text()
    table_of(first).write_text(table.replace("1236", "1200"))
    wait_until(lambda: table_of(first).read_text() == table, "the table with the sizes that are wanted")
    assert state_of(first).restarts == 0
    (second.net / "refusing").touch()
    table_of(second).unlink()
    assert state_of(second).clamp == replace(wanted, is_there=False)
    (second.net / "refusing").unlink()
    wait_until(lambda: state_of(second).clamp == wanted, "the table made again", interval_s=INSPECTIONS_S)
    remove(world)
    assert not any(table_of(host).exists() for host in world.hosts)
