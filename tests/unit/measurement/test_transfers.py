"""Transfers of a study: conditions in turn, each cell once, and the link as found afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import CommandResult
from app.domain.conditions import Condition
from app.domain.errors import InvalidFile, ProbeFailed, TunnelDown
from app.domain.transfers import TransferCell, TransferResult
from app.measurement import transfers
from app.measurement.transfers import TransferPlan, TransferReports, TransferRun
from app.probes import transfer as probe
from app.storage.study_results import StudyResults, load_results, results_file, save_results

CELLS = tuple(
    TransferCell(condition, congestion, solution, "none")
    for condition in ("geo", "leo")
    for solution in ("none", "wireguard")
    for congestion in ("cubic-hystart", "bbr2")
)
GOOD = {
    "intervals": [
        {"sum": {"start": 0.0, "end": 26.0, "bytes": 29_000_000}},
        {"sum": {"start": 26.0, "end": 27.0, "bytes": 2_000_000}},
        {"sum": {"start": 27.0, "end": 120.0, "bytes": 0}},
    ],
    "end": {"sum_sent": {"retransmits": 7}, "sender_tcp_congestion": "bbr"},
}
"""Output of a client that heard nothing after its bytes had arrived at 26.5 s."""


class Host:
    """A host that answers the commands of a transfer."""

    def __init__(self, label: str) -> None:
        self.spec = SimpleNamespace(label=label)
        self.commands: list[str] = []
        self.transfers: list[dict[str, Any]] = []

    def run(self, command: Any, *, token: CancelToken, **_: Any) -> CommandResult:
        words = " ".join(command.argv)
        self.commands.append(words)
        text = ""
        if words.startswith("ping"):
            text = "rtt min/avg/max/mdev = 500.9/501.2/502.0/0.3 ms\n"
        elif "available_congestion" in words:
            text = "reno cubic\n"
        elif "iperf3" in words:
            text = json.dumps(self.transfers.pop(0) if self.transfers else GOOD)
        return CommandResult(command.argv, 0, text, "", 0.1)


class Group:
    """Tunnels of which one may not have come up."""

    def __init__(self, count: int, failed: int | None) -> None:
        link = SimpleNamespace(names=SimpleNamespace(iperf_port=5201))
        plan = SimpleNamespace(probe_address_a="10.0.0.1", probe_address_b="10.0.0.2")
        self.tunnels = {one: SimpleNamespace(link=link, plan=plan) for one in range(count) if one != failed}
        self.failures = {} if failed is None else {failed: TunnelDown("WireGuard did not come up.")}


class Server:
    """A server with two ports."""

    def __init__(self, _host: object, _address: str, port: int, **_: object) -> None:
        self.ports = (port, port + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def wait_until_listening(self) -> None:
        return


class Stage:
    """A run with everything around it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failed: int | None = None) -> None:
        monkeypatch.setattr(transfers, "IperfServer", Server)
        self.a, self.b, self.failed = Host("gateway-a"), Host("gateway-b"), failed
        self.conditions: list[str | None] = []
        self.results: list[TransferResult] = []
        self.rtts: dict[str, float] = {}
        self.is_group_open = False

    @contextmanager
    def open_group(self, choices: Any, **_: object) -> Iterator[Group]:
        self.is_group_open = True
        yield Group(len(choices), self.failed)
        self.is_group_open = False

    def set_condition(self, condition: Condition | None) -> None:
        self.conditions.append(None if condition is None else condition.name)

    def run(self, cells: tuple[TransferCell, ...] = CELLS) -> None:
        reports = TransferReports(lambda _: None, self.results.append, self.rtts.__setitem__)
        plan = TransferPlan(cells, {"none": (None, None), "wireguard": (None, None)}, 30_000_000)  # type: ignore[dict-item]
        sessions: Any = SimpleNamespace(a=self.a, b=self.b)
        link: Any = SimpleNamespace(underlay_b="192.0.2.2")
        run = TransferRun(plan, sessions, link, self, self.set_condition, reports, CancelToken())  # type: ignore[arg-type]
        run.run()


def test_each_cell_is_measured_once_and_the_link_is_as_found_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch)
    stage.run()
    assert sorted(one.cell for one in stage.results) == sorted(CELLS)
    assert {one.seconds for one in stage.results} == {26.5}
    assert stage.conditions == [None, "geo", "leo", None]
    assert stage.rtts == {"geo": 500.9, "leo": 500.9}
    assert not stage.is_group_open
    clients = [words for words in stage.a.commands if "iperf3" in words]
    assert all("-R -n 30000000" in words for words in clients)
    assert [words for words in stage.b.commands if "modprobe" in words] == ["modprobe tcp_bbr", "modprobe -r tcp_bbr"]
    assert sum("tcp_metrics flush" in words for words in stage.a.commands) == len(CELLS)


def test_a_vpn_that_does_not_come_up_and_a_transfer_that_fails_are_results(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch, failed=1)
    stage.a.transfers = [{"error": "unable to connect to server"}]
    stage.run(CELLS[:4])
    messages = {(one.cell.solution, one.cell.congestion): one.message for one in stage.results}
    assert messages["wireguard", "bbr2"] == messages["wireguard", "cubic-hystart"] == "WireGuard did not come up."
    assert sum("unable to connect to server" in text for text in messages.values()) == 1
    assert sum(one.seconds == 26.5 for one in stage.results) == 1


def test_a_link_that_died_ends_the_run_with_the_link_as_found(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(monkeypatch)
    monkeypatch.setattr(stage.a, "run", lambda command, **_: CommandResult(command.argv, 1, "", "", 0.1))
    with pytest.raises(ProbeFailed, match="does not answer"):
        stage.run()
    assert stage.conditions == [None, "geo", None]


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"end": {}}'])
def test_output_that_is_no_result_is_a_failed_transfer(text: str) -> None:
    with pytest.raises(ProbeFailed, match="The transfer to gateway-a failed"):
        probe.read_transfer(text, "", "gateway-a", 30_000_000)


def test_results_are_kept_one_per_cell_and_read_again(tmp_path: Path) -> None:
    file = results_file(tmp_path / "studies", "satcom-2021", "lab:A=debian-11,B=debian-13")
    assert file.name == "satcom-2021-lab-A-debian-11-B-debian-13.json"
    assert load_results(file) is None
    found = StudyResults("satcom-2021", "lab:x", "1.0", 30_000_000).with_rtt("geo", 501.0)
    found = found.with_result(TransferResult(CELLS[0], None, 0, message="It did not end."))
    found = found.with_result(TransferResult(CELLS[0], 21.5, 30_000_000, 3, "cubic"))
    save_results(file, found)
    again = load_results(file)
    assert again == found
    assert again is not None
    assert again.times_s() == {CELLS[0]: 21.5}


@pytest.mark.parametrize(
    "text", ["", "{", '{"format": 1}', '{"study": 1, "pair": [], "version": "", "size_bytes": ""}']
)
def test_a_damaged_file_is_an_error_and_remains(tmp_path: Path, text: str) -> None:
    file = tmp_path / "results.json"
    file.write_text(text)
    with pytest.raises(InvalidFile, match="cannot be read"):
        load_results(file)
    assert file.read_text() == text


@pytest.mark.parametrize(("version", "can"), [("3.18", True), ("3.10.1", True), ("3.9", False), ("", False)])
def test_only_newer_versions_end_after_a_silence(version: str, can: bool) -> None:
    assert probe.can_end_early(version) is can


def test_bytes_after_the_last_interval_count_and_silence_does_not() -> None:
    found = {
        "intervals": [{"sum": {"start": 0.0, "end": 27.5, "bytes": 29_900_000}}],
        "end": {"sum_received": {"seconds": 47.5, "bytes": 30_100_000}},
    }
    done = probe.read_transfer(json.dumps(found), "", "gateway-a", 30_000_000)
    assert done.seconds == pytest.approx(27.625)
    assert done.received_bytes == 30_100_000
