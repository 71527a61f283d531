"""Kind of a lab's gateways: the same after each start of the same lab, another one where figures may differ."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.hosts import Side
from app.lab import CpuKind, Lab, LabSpec
from app.lab.kernel import kernel_release
from app.lab.machine import Accelerator
from app.lab.running import load_lab
from app.lab.spec import LabNode

KERNELS = dict.fromkeys(Side, "6.12.117+deb13-cloud-amd64")
LAB = Lab(
    LabSpec("default"),
    Path("/labs/default"),
    {Side.A: 20_001, Side.B: 20_002},
    datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
    None,
    accelerator=Accelerator.KVM,
    kernels=KERNELS,
)


def bzimage(release: str) -> bytes:
    """Return the beginning of a kernel that says its release."""
    head = bytearray(0x3000)
    head[0x202:0x206] = b"HdrS"
    head[0x20E:0x210] = (0x2C00).to_bytes(2, "little")
    text = f"{release} (builder@example.org) #1 SMP\0".encode()
    head[0x2E00 : 0x2E00 + len(text)] = text
    return bytes(head)


def test_a_lab_that_is_started_again_has_the_same_machines() -> None:
    again = replace(
        LAB,
        folder=Path("/elsewhere/default"),
        ports={Side.A: 1, Side.B: 2},
        since=datetime(2026, 2, 1, tzinfo=UTC),
        owner_pid=7,
    )
    with_nodes = replace(again, spec=replace(LAB.spec, has_nodes=True), node_ports={LabNode.A: 3, LabNode.B: 4})
    assert LAB.pair.machines == ("debian-13 6.12.117+deb13-cloud-amd64 kvm aes",)
    assert again.pair.machines == with_nodes.pair.machines == LAB.pair.machines


def test_what_changes_figures_makes_other_machines() -> None:
    others = [
        replace(LAB, accelerator=Accelerator.TCG),
        replace(LAB, kernels={**KERNELS, Side.B: "5.10.0-32-cloud-amd64"}),
        replace(LAB, kernels={**KERNELS, Side.A: "5.10.0-32-cloud-amd64"}),
        *(
            replace(LAB, spec=spec, kernels={})
            for spec in (
                replace(LAB.spec, platform_a="debian-11"),
                replace(LAB.spec, platform_b="debian-11"),
                replace(LAB.spec, cpu=CpuKind.NO_AES),
                replace(LAB.spec, is_hardened=True),
            )
        ),
    ]
    assert len({one.pair.machines for one in (LAB, *others)}) == 1 + len(others)


def test_the_record_of_an_earlier_version_does_not_say_which_they_are(tmp_path: Path) -> None:
    made = replace(LAB, folder=tmp_path)
    made.save()
    found = load_lab(tmp_path)
    assert (found.accelerator, found.kernels) == (Accelerator.KVM, KERNELS)
    content = json.loads((tmp_path / "lab.json").read_text())
    del content["accelerator"], content["kernels"]
    (tmp_path / "lab.json").write_text(json.dumps(content))
    assert load_lab(tmp_path).pair.machines == ()


def test_the_file_of_a_kernel_says_its_release(tmp_path: Path) -> None:
    file = tmp_path / "vmlinuz"
    file.write_bytes(bzimage("6.12.48+deb13-cloud-amd64"))
    assert kernel_release(file) == "6.12.48+deb13-cloud-amd64"


@pytest.mark.parametrize("content", [b"", b"HdrS", bytes(0x3000), bzimage("x")[:0x2D00]])
def test_another_file_says_no_release(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "vmlinuz"
    assert kernel_release(file) == ""
    file.write_bytes(content)
    assert kernel_release(file) == ""
