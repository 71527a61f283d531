"""A practice lab's link that dies under a comparison: it is reported, restarted, and the attempt is repeated."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from program import PROGRAM, load

from app.domain.hosts import Side
from app.lab import Lab
from app.lab.machine import UNDERLAY_LINK, monitor_name
from app.lab.monitor import Monitor

CUT_AT = "measuring latency"
"""Stage of the tunnel during which the link dies."""


@contextmanager
def comparison(lab: Lab, environment: dict[str, str], out: Path) -> Iterator[subprocess.Popen[str]]:
    """Compare one VPN on the lab."""
    words = ("--solutions", "openvpn-udp", "--profile", "quick", "--pings", "60", "--seconds", "3", "--json", str(out))
    with subprocess.Popen(
        [PROGRAM, "compare", f"lab:{lab.spec.name}", *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def cut(lab: Lab) -> None:
    """Take the link of gateway A down, as a cable that is pulled; nothing but a restart of the link gets it back."""
    with Monitor(lab.folder, monitor_name(Side.A)) as monitor:
        monitor.execute("set_link", name=UNDERLAY_LINK, up=False)


@pytest.mark.timeout(600)
@pytest.mark.full
def test_a_dead_link_is_restarted_and_the_attempt_repeated(
    newest_lab: Lab, environment: dict[str, str], tmp_path: Path
) -> None:
    reported: list[str] = []
    with comparison(newest_lab, environment, tmp_path / "out.json") as process:
        assert process.stderr is not None
        is_cut = is_tunnel = False
        for line in process.stderr:
            reported.append(line)
            if line.startswith("["):
                is_tunnel = "OpenVPN" in line
            if is_tunnel and not is_cut and line.strip() == CUT_AT:
                cut(newest_lab)
                is_cut = True
        status = process.wait(timeout=60)
    text = "".join(reported)
    assert is_cut, text
    assert status == 0, text
    assert "The practice lab restarts it." in text
    assert "carries frames again." in text
    (result,) = (one for one in load(tmp_path / "out.json")["results"] if one["solution"] == "openvpn-udp")
    assert result["status"] == "completed", text
    assert [row["received"] > 0 for row in result["latency"]] == [True] * len(result["latency"])
    assert any("died while this was measured at first; that try was dropped" in one for one in result["doubts"]), result
