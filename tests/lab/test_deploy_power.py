"""A gateway loses its power while a tunnel stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.deploy import recover, temporary_tunnel
from app.domain.cancel import CancelToken
from app.domain.errors import ConnectionLost
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.lab import Lab
from support.lab_deploy import Bench, differences, find_out
from support.lab_power import LabPower
from support.lab_sessions import connected, sh


def test_gateway_without_power_has_nothing_left_and_the_other_is_put_back(
    lab: Lab, powered: LabPower, tmp_path: Path
) -> None:
    with connected(lab, tmp_path) as sessions:
        bench = Bench(lab, sessions, find_out(sessions))
        before = bench.look()

        def build() -> None:
            with temporary_tunnel(
                sessions, bench.request("openvpn-udp"), token=CancelToken(), on_stage=lambda *_: None, lease_s=30
            ) as tunnel:
                assert tunnel.still_up(CancelToken())
                powered.off(Side.B)

        with pytest.raises(ConnectionLost) as caught:
            build()
        assert "gateway-b could not be reached to be put back" in caught.value.message
        assert "gateway-a" not in caught.value.message
        assert sh(sessions.a, f"ls -d {STATE_DIR}* 2>/dev/null || true") == ""
        powered.on(Side.B)
        sessions.b.reconnect(token=CancelToken())
        assert differences(before, bench.look()) == []
        assert recover(sessions, token=CancelToken()).is_clean
