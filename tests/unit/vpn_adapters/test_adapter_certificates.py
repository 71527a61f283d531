"""Certificates that adapters make, judged by the real openssl with clocks that are wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.domain.adapters import IdentityRecipe
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.freelan import identity as freelan
from vpn_adapters.openvpn import identity as openvpn
from vpn_adapters.shared.strongswan import identity as ipsec

Recipe = Callable[[Link, Side], IdentityRecipe]
DAY_S = 86_400


def made(folder: Path, recipe: Recipe) -> IdentityRecipe:
    made = recipe(Link("192.0.2.1", "192.0.2.2", run_dir=str(folder)), Side.A)
    for step in made.steps:
        subprocess.run(step.command.argv, check=True, capture_output=True)
    return made


def verify(certificate: Path, at_s: float) -> subprocess.CompletedProcess[str]:
    """Let openssl trust a certificate by itself, as OpenVPN 2.5 and freelan do, with its clock at that time."""
    argv = ["openssl", "verify", "-attime", str(int(at_s)), "-partial_chain", "-trusted", certificate, certificate]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("recipe", "name"), [(openvpn.recipe, "openvpn.crt"), (freelan.recipe, "freelan.crt")])
def test_a_certificate_counts_where_the_clock_is_in_the_past_and_can_issue_no_others(
    tmp_path: Path, recipe: Recipe, name: str
) -> None:
    serials = set()
    # To find primes for an RSA key takes seconds, and serial numbers are made in the same way for both.
    folders = [tmp_path / "first", tmp_path / "second"] if recipe is openvpn.recipe else [tmp_path / "only"]
    for folder in folders:
        folder.mkdir()
        made(folder, recipe)
        argv = ["openssl", "x509", "-in", folder / name, "-noout", "-text", "-serial"]
        text = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
        assert (text.count("Basic Constraints"), "CA:FALSE" in text, "Version: 3" in text) == (1, True, True)
        serials.add(text.rpartition("serial=")[2])
    assert len(serials) == len(folders)
    assert min(map(len, serials)) == 33
    assert sorted(path.name for path in folder.iterdir()) == sorted([name, name.replace(".crt", ".key")])
    now_s = time.time()
    for at_s in (0, 946_684_800, now_s - DAY_S, now_s, now_s + 3649 * DAY_S):
        assert verify(folder / name, at_s).returncode == 0, at_s
    assert "expired" in verify(folder / name, now_s + 3651 * DAY_S).stderr


def test_what_openssl_reports_is_passed_on_and_leaves_nothing(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    stub = programs / "openssl"
    stub.write_text(f'#!/bin/sh\n[ "$1" != rand ] || exec {shutil.which("openssl")} "$@"\necho broken >&2\nexit 3\n')
    stub.chmod(0o755)
    folder = tmp_path / "run"
    folder.mkdir()
    (step,) = openvpn.recipe(Link("192.0.2.1", "192.0.2.2", run_dir=str(folder)), Side.A).steps
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(step.command.argv, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (3, "broken\n")
    assert list(folder.iterdir()) == []


def test_ipsec_has_keys_without_dates() -> None:
    source = Path(ipsec.__file__).read_text(encoding="utf-8")
    assert "genpkey" in source
    assert "x509" not in source
