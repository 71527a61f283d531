"""The end of a transfer: silence after the last byte, and silence in the middle of a VPN over TCP."""

from __future__ import annotations

import json

import pytest
from test_transfers import Stage

from app.domain.transfers import TransferCell
from app.probes import transfer as probe


@pytest.mark.parametrize(
    ("condition", "solution", "ends_early"),
    [
        ("geo", "openvpn-tcp", True),
        ("geo-loss", "openvpn-tcp", False),
        ("geo-loss", "openvpn-udp", True),
        ("leo-loss", "none", True),
    ],
)
def test_inside_tcp_a_lossy_link_may_be_silent_for_long(
    monkeypatch: pytest.MonkeyPatch, condition: str, solution: str, ends_early: bool
) -> None:
    stage = Stage(monkeypatch)
    stage.run((TransferCell(condition, "cubic-hystart", solution, "none"),))
    (command,) = [one for one in stage.a.commands if "iperf3" in one]
    assert ("--rcv-timeout" in command) is ends_early


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
