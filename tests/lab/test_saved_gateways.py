"""Gateways restored from one saved machine: what each has of its own, and what a reboot makes of it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.lab import Lab, LabManager, LabProgress, LabSpec
from support.waiting import wait_until

BACK_S = 300.0
OWN = (
    "cat /etc/machine-id /etc/ssh/ssh_host_ed25519_key.pub /sys/class/net/eth0/address /sys/class/net/eth1/address "
    "/etc/hostname; hostname; ls /run/log/journal"
)
WRITTEN = "journalctl --no-pager -t tunnelmark-test"


def run(lab: Lab, side: Side, command: str) -> str:
    argv = [*lab.ssh_argv(side), command]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def copies(lab: Lab, lab_manager: LabManager) -> Iterator[tuple[Lab, Lab]]:
    """The lab that tests share, and a second one from the same saved machine."""
    seen: list[LabProgress] = []
    spec = LabSpec(f"copy-{os.getpid()}")
    second = lab_manager.up(spec, token=CancelToken(), on_progress=seen.append, is_owned=True)
    assert any("Restoring" in step.text for step in seen), [step.text for step in seen]
    yield lab, second
    lab_manager.down(spec.name)


def test_every_gateway_has_an_identity_and_random_numbers_of_its_own(copies: tuple[Lab, Lab]) -> None:
    keys, machines, numbers = set(), set(), set()
    for one in copies:
        for side in Side:
            machine, key, first_card, second_card, stored, name, *journals = run(one, side, OWN).splitlines()
            assert (stored, name) == (f"gateway-{side}", f"gateway-{side}")
            assert machine in journals
            assert first_card != second_card
            keys.add(key.split()[1])
            machines.add(machine)
            # Of the kernel's generator, and of one that a program seeds from it.
            numbers |= set(run(one, side, "head -c 32 /dev/urandom | base64; openssl rand -base64 32").split())
    assert (len(keys), len(machines), len(numbers)) == (4, 4, 8)


def test_nothing_of_a_lab_is_in_what_was_saved(copies: tuple[Lab, Lab]) -> None:
    images = (user_cache_path("tunnelmark") / "lab").glob(f"{copies[0].spec.platform_a}-*")
    files = [path for image in images for path in image.glob("machines/*/*")]
    assert {path.name for path in files} >= {"memory", "disk.qcow2"}
    secrets = [secret.value.encode() for one in copies for secret in one.passwords().values()]
    secrets += [line for one in copies for side in Side for line in key_lines(one.folder / f"host-key-{side}")]
    assert len(secrets) >= 20
    for path in files:
        content = path.read_bytes()
        assert path.name != "memory" or b"TUNNELMARK-WAITING" in content, "the search finds what is there"
        assert not any(secret in content for secret in secrets), path


def key_lines(path: Path) -> list[bytes]:
    """Return the lines of a private key that hold it; the first ones and the armour are alike in all keys."""
    return path.read_bytes().splitlines()[2:-1]


def test_the_journal_of_a_restored_gateway_goes_on(copies: tuple[Lab, Lab]) -> None:
    for side in Side:
        run(copies[1], side, "logger -t tunnelmark-test restored")
        wait_until(lambda side=side: "restored" in run(copies[1], side, WRITTEN), "the line in the journal")
        assert run(copies[1], side, "systemctl is-system-running --wait; systemctl --failed --no-legend") == "running\n"


@pytest.mark.full
def test_a_restored_gateway_reboots_as_itself_with_the_right_time(copies: tuple[Lab, Lab]) -> None:
    lab = copies[1]
    before = run(lab, Side.A, f"{OWN}; cat /proc/sys/kernel/random/boot_id").splitlines()
    subprocess.run([*lab.ssh_argv(Side.A), "systemctl reboot"], stdin=subprocess.DEVNULL, check=False, timeout=120)

    def is_back() -> bool:
        argv = [*lab.ssh_argv(Side.A), "cat /proc/sys/kernel/random/boot_id"]
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120)
        return done.returncode == 0 and done.stdout.strip() != before[-1]

    CancelToken().wait_for(is_back, timeout_s=BACK_S, what="the gateway to come back", interval_s=0.5)
    again = run(lab, Side.A, OWN).splitlines()
    assert again[:6] == before[:6]
    assert again[6:] == before[:1], "the journal is in the folder of the same machine"
    asked_at = time.time()
    there = float(run(lab, Side.A, "date +%s.%N"))
    assert asked_at - 2 < there < time.time() + 2
    for side in Side:
        peer = lab.pair.underlay(side.other)
        assert "3 received" in run(lab, side, f"ping -c 3 -i 0.2 {peer}")
