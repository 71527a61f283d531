"""A tunnel that a daemon reports as impossible is not waited for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.adapters import UpCheck
from app.domain.commands import Command
from app.domain.errors import TunnelCannotComeUp
from app.domain.hosts import Side
from support.deploy_world import RUN_DIR, World, assert_untouched, open_tunnel, running_world, shell_of
from support.made_up_vpn import MadeUpVpn, link_step, step

PATIENCE_S = 120.0
NEVER = UpCheck("What never comes", Command(("false",), timeout_s=5.0))


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, shell_of(request)) as made:
        yield made


@pytest.mark.parametrize("up_checks", [(), (NEVER,)], ids=["frames", "check"])
def test_no_one_waits_for_what_the_daemon_says_will_never_be(world: World, up_checks: tuple[UpCheck, ...]) -> None:
    deaf = step("Fall silent", ': > "$1"', 'rm -f "$1"', str(world.a.net / "deaf"))
    log = f"{RUN_DIR}/daemon.log"
    reports = step("Say so", 'echo "Error while encrypting a frame" > "$1"', 'rm -f "$1"', log)
    vpn = MadeUpVpn(
        steps={side: (deaf, reports, link_step("tmk0")) for side in Side},
        up_timeout_s=2 * PATIENCE_S,
        up_checks=up_checks,
        fatal_log_pattern="Error while (en|de)crypting",
    )
    began_s = time.monotonic()
    with pytest.raises(TunnelCannotComeUp) as raised, open_tunnel(world, world.with_vpn(vpn)):
        pass
    assert time.monotonic() - began_s < PATIENCE_S
    assert raised.value.context["output"] == "Error while encrypting a frame"
    assert_untouched(world)
