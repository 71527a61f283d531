"""A deployment between systems of two ages, each with its own systemd and OpenVPN."""

from __future__ import annotations

from pathlib import Path

from app.lab import Lab
from support.lab_deployment import check_daemon_comes_back, desk_for


def test_deployed_it_comes_back_when_its_daemon_is_killed_and_goes_without_a_trace(
    lab_mixed: Lab, tmp_path: Path
) -> None:
    with desk_for(lab_mixed, tmp_path) as desk:
        check_daemon_comes_back(desk, "openvpn-udp")
