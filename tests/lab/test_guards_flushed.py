"""Firewall tables of real plans in this computer's kernel: the same again after a reload of a host's rules."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from app.domain.hosts import Side
from support.adapter_cases import facts, home, request
from support.net_desk import need_namespaces
from vpn_adapters.registry import ADAPTERS

# $1 makes the table, $2 asks for it. `flush ruleset` is how /etc/nftables.conf of Debian begins.
_RELOAD = """
eval "$1" && eval "$2" > before || exit 1
nft flush ruleset
if eval "$2" > /dev/null 2>&1; then exit 2; fi
eval "$1" && eval "$2" > after && cmp before after && grep -c drop after
"""


@pytest.mark.parametrize(
    ("name", "rules"),
    [("wireguard", 8), ("ipsec", 8), ("macsec", 8), ("wireguard-vxlan", 4), ("ipsec-gretap", 4), ("libreswan", 8)],
)
def test_a_guard_that_was_flushed_can_be_made_again_by_its_own_step(name: str, rules: int, tmp_path: Path) -> None:
    need_namespaces()
    adapter = ADAPTERS[name]
    host = facts(home(adapter))
    suite = next(one for one in adapter.suites(host, host) if one.is_default)
    plan = adapter.plan(request(adapter, suite))
    for side in Side:
        (guard,) = [step for step in plan.on(side).steps if step.is_repeatable]
        assert guard.health_check is not None
        words = [shlex.join(guard.command.argv), shlex.join(guard.health_check.argv)]
        argv = ["unshare", "--net", "sh", "-c", _RELOAD, "reload", *words]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert int(done.stdout) == rules
