from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from app.domain.adapters import PlanStep
from app.domain.hosts import Side
from app.domain.link import Link, TunnelNames
from vpn_adapters.shared import l2tpv3

LINK = Link("192.0.2.1", "192.0.2.2", names=TunnelNames(l2tp_session_id=4_000_000_000))
SHELLS = [pytest.param(("dash",), id="dash"), pytest.param(("busybox", "sh"), id="busybox")]


def made_session(shell: tuple[str, ...], step: PlanStep, folder: Path) -> str:
    """Run a step that makes a session, with an `ip` that keeps its stdin, and return the last line of that.

    Whatever is on the step's command line can be read by every user: the cookies must not be there.
    """
    programs, kept = folder / "bin", folder / "kept"
    programs.mkdir(exist_ok=True)
    kept.write_text("")
    (programs / "ip").write_text(f'#!/bin/sh\ncase "$*" in "-batch -") cat >> "{kept}" ;; *l2tp*) exit 9 ;; esac\n')
    (programs / "modprobe").write_text("#!/bin/sh\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    environment = {"PATH": f"{programs}:/usr/bin:/bin"}
    subprocess.run((*shell, *step.command.argv[1:]), check=False, capture_output=True, env=environment)
    lines = kept.read_text().splitlines()
    assert not lines or not any(word in " ".join(step.command.argv) for word in lines[-1].split()[-3::2])
    return lines[-1] if lines else ""


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("kind", ["keys", "secret", "words"])
def test_cookies_are_the_same_at_both_hosts_the_other_way_round(
    shell: tuple[str, ...], kind: str, tmp_path: Path
) -> None:
    sessions = {}
    for side in Side:
        own, peers = tmp_path / f"own-{side}", tmp_path / f"peer-{side}"
        own.write_text(f"-----BEGIN PUBLIC KEY-----\nkey of {side}\n-----END PUBLIC KEY-----\n")
        peers.write_text(f"# ours\n#\n-----BEGIN PUBLIC KEY-----\nkey of {side.other}\n-----END PUBLIC KEY-----\n")
        secret = tmp_path / f"secret-{side}"
        secret.write_text("of both")
        seed = {
            "keys": l2tpv3.CookieSeed(paths=(str(own), str(peers)) if side is Side.A else (str(peers), str(own))),
            "secret": l2tpv3.CookieSeed(paths=(str(secret),)),
            "words": l2tpv3.CookieSeed(words=("key of a", "key of b")),
        }[kind]
        sessions[side] = made_session(shell, l2tpv3.create_step(LINK, side, ("x", "y"), seed), tmp_path)
    a, b = (re.search(r"cookie ([0-9a-f]{16}) peer_cookie ([0-9a-f]{16})$", sessions[side]) for side in Side)
    assert a is not None
    assert b is not None
    assert (a[1], a[2]) == (b[2], b[1])
    assert a[1] != a[2]
    assert "session_id 4000000000 peer_session_id 4000000000 cookie" in sessions[Side.A]


@pytest.mark.parametrize("shell", SHELLS)
def test_without_a_seed_no_session_is_made(shell: tuple[str, ...], tmp_path: Path) -> None:
    seed = l2tpv3.CookieSeed(paths=(str(tmp_path / "missing"),))
    assert made_session(shell, l2tpv3.create_step(LINK, Side.A, ("x", "y"), seed), tmp_path) == ""
