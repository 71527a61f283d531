"""Whether KVM is used: only where a guest has reached user space with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled
from app.lab import ImagePaths, accel
from app.lab.accel import choose_accelerator
from app.lab.machine import Accelerator

REACHES = "echo 'Linux version 6'; echo 'Loading, please wait...'"
HANGS_IN_THE_BIOS = "echo SeaBIOS; exec sleep 600"
REFUSES = "echo 'Could not access KVM kernel module' >&2; exit 1"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer with /dev/kvm; the file `qemu` in its folder is what happens with it."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "kvm").touch()
    (tmp_path / "boot_id").write_text("boot-1\n")
    monkeypatch.setattr(accel, "_DEVICE", tmp_path / "kvm")
    monkeypatch.setattr(accel, "_BOOT_ID", tmp_path / "boot_id")
    monkeypatch.setattr(accel, "_PROBE_S", 60.0)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def behave(world: Path, script: str) -> None:
    program = world / "qemu-system-x86_64"
    program.write_text(f"#!/bin/sh\necho run >> {world}/runs\n{script}\n")
    program.chmod(0o755)


def runs(world: Path) -> int:
    return len((world / "runs").read_text().splitlines()) if (world / "runs").exists() else 0


def choose(world: Path) -> Accelerator:
    return choose_accelerator(world, ImagePaths(world), token=CancelToken())


@pytest.mark.parametrize(
    ("script", "expected"),
    [(REACHES, Accelerator.KVM), (HANGS_IN_THE_BIOS, Accelerator.TCG), (REFUSES, Accelerator.TCG)],
)
def test_kvm_is_used_only_where_it_was_seen_to_work(
    world: Path, monkeypatch: pytest.MonkeyPatch, script: str, expected: Accelerator
) -> None:
    if script == HANGS_IN_THE_BIOS:
        monkeypatch.setattr(accel, "_PROBE_S", 0.5)
    behave(world, script)
    assert choose(world) is expected


def test_the_answer_is_remembered_until_the_computer_is_started_anew(world: Path) -> None:
    behave(world, REACHES)
    assert [choose(world), choose(world)] == [Accelerator.KVM] * 2
    assert runs(world) == 1
    (world / "boot_id").write_text("boot-2\n")
    behave(world, REFUSES)
    assert choose(world) is Accelerator.TCG
    assert runs(world) == 2


@pytest.mark.parametrize("remembered", ["", "boot-1", "boot-1 magic", "boot-1 kvm tcg"])
def test_a_damaged_memory_is_not_believed(world: Path, remembered: str) -> None:
    (world / "lab" / "kvm").write_text(remembered)
    behave(world, REFUSES)
    assert choose(world) is Accelerator.TCG
    assert runs(world) == 1


def test_without_kvm_nothing_is_tried(world: Path) -> None:
    (world / "kvm").unlink()
    behave(world, REACHES)
    assert choose(world) is Accelerator.TCG
    assert runs(world) == 0


def test_a_cancelled_trial_is_not_remembered(world: Path) -> None:
    behave(world, HANGS_IN_THE_BIOS)
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        choose_accelerator(world, ImagePaths(world), token=token)
    assert not (world / "lab" / "kvm").exists()
