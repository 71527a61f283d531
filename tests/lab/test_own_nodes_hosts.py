"""A study between machines behind hosts of the user's own, at the command line, on four hosts made of namespaces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain.conditions import Condition
from app.domain.node_study import NodeSetting
from app.domain.paths import find_paths
from app.domain.transfers import CongestionKind
from app.host.snapshots import compare_snapshots
from app.measurement import cell_run, link_conditions, node_studies, transfers
from app.measurement.node_study_run import NodePart
from app.ranking.node_study import NODE_STUDY
from app.storage import Store, study_results
from app.tunnel import shaping
from support.net_desk import need_namespaces, wait_until_nothing_is_left
from support.net_hosts import NetHost, NetHosts, net_hosts

CABLE = "lan0"
SHAPE = """
case $1 in
  set) echo "$2 $3" > "$4" ;;
  check) [ -s "$4" ] ;;
  unset) rm -f "$4" ;;
esac
"""
"""In place of the script that shapes with netem, which kernels of containers lack: it leaves what is to be undone."""
SETTING = "baseline"
"""Setting of the study without protection, for which its own carrier needs a kernel module that others do not."""


@dataclass(frozen=True)
class Four:
    """Two gateways with a machine behind each, and what logs in to them."""

    made: NetHosts

    @property
    def hosts(self) -> tuple[NetHost, ...]:
        """Both gateways, then both machines."""
        gateways, machines = self.made.pairs
        return (*gateways.hosts, *machines.hosts)

    def words(self, interface: str = CABLE) -> list[str]:
        """Return the words that store them as a pair of the user's own; nodes have this interface."""
        a, b, node_a, node_b = (f"root@{host.address}" for host in self.hosts)
        keys = ["--identity", str(self.made.key), "--host-key-file", str(self.made.known_hosts)]
        nodes = ["--node-a", node_a, "--node-a-interfaces", f"{interface},{CABLE}"]
        nodes += ["--node-b", node_b, "--node-b-interfaces", f"{CABLE},{CABLE}"]
        underlay = ",".join(self.made.pairs[0].addresses)
        return ["pair", "add", "plant", "--a", a, "--b", b, "--underlay", underlay, *keys, *nodes]


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Four]:
    need_namespaces()
    with net_hosts(tmp_path_factory.mktemp("four"), pairs=2) as made, made.world.entered():
        gateways, machines = made.pairs
        for gateway, machine in zip(gateways.hosts, machines.hosts, strict=True):
            ends = ("name", CABLE, "netns", str(gateway.boot)), ("name", CABLE, "netns", str(machine.boot))
            made.world.captures("link", "add", *ends[0], "type", "veth", "peer", *ends[1])
            for host in (gateway, machine):
                host.run(f"ip link set {CABLE} up; ip link set {CABLE} down")  # it has its queue from now on
        yield Four(made)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_a_setting_is_measured_between_machines_and_four_hosts_are_as_before(
    four: Four, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    setting = NodeSetting(SETTING, "Baseline", "openvpn-udp")
    monkeypatch.setattr(node_studies, "node_settings", lambda: (setting,))
    monkeypatch.setattr(node_studies, "NODE_PARTS", {"quick": NodePart(rounds=1, pings=20, seconds=1)})
    before = [host.inspect() for host in four.hosts]
    assert main(four.words()) == ExitCode.OK
    file = own_home / "x.json"
    words = ["study", "run", NODE_STUDY, "plant", "--nodes", "machines", "--json", str(file), "--force"]

    assert main(words) == ExitCode.INVALID, "without consent nothing is done"
    assert "--allow-load" in capsys.readouterr().err
    assert not file.exists()

    status = main([*words, "--allow-load"])
    printed = capsys.readouterr()
    assert status == ExitCode.OK, printed.err
    assert all(host.address in " ".join(printed.err.split()) for host in four.hosts[2:])
    (found,) = json.loads(file.read_text())["results"]
    assert found["latency_ms"] > 0
    assert min(found["mbit_s"].values()) > 0
    assert found["hops"]["answered"] == found["hops"]["sent"] > 0, "requests crossed from machine to machine"
    assert main([*words, "--allow-load"]) == ExitCode.OK
    assert "0 of 1 measurements" in capsys.readouterr().err, "the figures are stored"

    wait_until_nothing_is_left(four.hosts)
    after = [host.inspect() for host in four.hosts]
    assert [compare_snapshots(*both) for both in zip(before, after, strict=True)] == [()] * 4
    with Store.open(find_paths().database) as store:
        assert {host.address for host in four.hosts} <= {one.host for one in store.list_audit(None)}
    assert main(["recover", "plant"]) == ExitCode.OK


def test_transfers_run_while_a_member_of_the_group_shapes_and_four_hosts_are_as_before(
    four: Four, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shaping, "_SCRIPT", SHAPE)
    monkeypatch.setattr(cell_run, "presets", lambda: {"geo": Condition("geo", "as found")})
    for name, value in (("_SECONDS", 1), ("_PINGS", 40), ("MOST_LOSS_PCT", 5.0), ("LEAST_RTT_MS", 5.0)):
        monkeypatch.setattr(link_conditions, name, value)  # a busy computer is not what is tested
    # Hosts that share a kernel share CUBIC's slow start, and cannot all choose CUBIC.
    plain: Any = CongestionKind("Reno", "reno", "reno", has_hystart=None)  # type: ignore[arg-type]
    for module in (cell_run, transfers, study_results):
        monkeypatch.setattr(module, "CONGESTION", {"cubic-hystart": plain})
    before = [host.inspect() for host in four.hosts]
    assert main(four.words()) == ExitCode.OK
    file = own_home / "x.json"
    words = ["--nodes", "machines", "--solutions", "openvpn-udp", "--json", str(file), "--allow-load", "--yes-shape"]
    status = main(["study", "run", "satcom-2021", "plant", *words])
    printed = capsys.readouterr()
    assert status == ExitCode.OK, printed.err
    cells = [one for one in json.loads(file.read_text())["cells"] if one["seconds"] is not None]
    assert {(one["solution"], one["proxy"]) for one in cells} >= {("none", "none"), ("openvpn-udp", "none")}
    assert not any(one["is_condition_missed"] for one in cells), "both hosts were asked after each cell"
    wait_until_nothing_is_left(four.hosts)
    after = [host.inspect() for host in four.hosts]
    assert [compare_snapshots(*both) for both in zip(before, after, strict=True)] == [()] * 4


def test_an_interface_that_ssh_runs_over_is_refused_before_anything_is_changed(
    four: Four, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [host.inspect() for host in four.hosts]
    assert main(four.words("mgmt0")) == ExitCode.OK
    status = main(["study", "run", NODE_STUDY, "plant", "--nodes", "machines", "--allow-load"])
    printed = " ".join(capsys.readouterr().err.split())
    assert status != ExitCode.OK
    assert "The SSH connection to node-a runs over mgmt0" in printed
    after = [host.inspect() for host in four.hosts]
    assert [compare_snapshots(*both) for both in zip(before, after, strict=True)] == [()] * 4


def test_recover_ends_well_where_a_machine_that_was_never_changed_is_off(
    four: Four, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = four.hosts[3]
    assert main(four.words()) == ExitCode.OK
    machine.plug("m", is_in=False)
    try:
        assert main(["recover", "plant"]) == ExitCode.OK
        assert "nothing was ever changed on it from this computer" in " ".join(capsys.readouterr().out.split())
    finally:
        machine.plug("m", is_in=True)
