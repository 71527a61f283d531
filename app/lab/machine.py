"""The command line of QEMU for one virtual gateway."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.hosts import Side
from app.lab.guest import HOST_NAMES
from app.lab.image import ImagePaths
from app.lab.spec import CpuKind
from app.lab.supervisor import UNDERLAY_FD_MARK

QEMU = "qemu-system-x86_64"
MEMORY_MIB = 640
READY_MARK = "TUNNELMARK-READY"
"""What a guest writes on its console when sshd runs."""

_TRANSLATED_MIB = 256
"""Space for translated code; QEMU's own choice lets each machine grow by 1 GiB, and boots no faster."""

_KERNEL_LINE = (
    "root=/dev/vda rootfstype=ext4 rw fsck.mode=skip console=ttyS0 quiet mitigations=off net.ifnames=0 "
    # Both for a shorter boot; once it has booted, the kernel does as it always does.
    "rcupdate.rcu_expedited=1 rcupdate.rcu_normal_after_boot=1 cryptomgr.notests "
    # The kernel's own list without `bpf`: loading systemd's BPF programs takes an emulated CPU two seconds.
    "lsm=landlock,lockdown,yama,integrity,apparmor"
)
"""Source: kernel-parameters.txt of Linux 6.12."""

_MAC_MANAGEMENT = {Side.A: "52:54:00:54:4d:a0", Side.B: "52:54:00:54:4d:b0"}
_MAC_UNDERLAY = {Side.A: "52:54:00:54:4d:a1", Side.B: "52:54:00:54:4d:b1"}


class Accelerator(StrEnum):
    """What runs the guest's instructions."""

    KVM = "kvm"
    TCG = "tcg"


@dataclass(frozen=True, slots=True)
class MachinePlan:
    """One virtual gateway.

    Attributes:
        side: Which end it is.
        image: What it boots from.
        accelerator: What runs its instructions.
        cpu: Which instructions its CPU shows.
        port: TCP port on 127.0.0.1 that leads to its sshd.
        machine_id: Its machine id.
    """

    side: Side
    image: ImagePaths
    accelerator: Accelerator
    cpu: CpuKind
    port: int
    machine_id: str


def overlay_name(side: Side) -> str:
    """Return the name of the file, in the lab's folder, that takes what a gateway writes to its disk."""
    return f"disk-{side}.qcow2"


def seed_name(side: Side) -> str:
    """Return the name of the archive, in the lab's folder, that a gateway unpacks at its first boot."""
    return f"seed-{side}.tar"


def console_name(side: Side) -> str:
    """Return the name of the file, in the lab's folder, that takes a gateway's console output."""
    return f"console-{side}.log"


def cpu_option(accelerator: Accelerator, cpu: CpuKind) -> str:
    """Return what goes after `-cpu`.

    Args:
        accelerator: What runs the instructions.
        cpu: Which instructions are wanted.

    Returns:
        A CPU model with features switched off.
    """
    parts = ["host" if accelerator is Accelerator.KVM else "max"]
    if accelerator is Accelerator.TCG:
        # WORKAROUND(QEMU 7.2.22, Debian 12): until Debian 12 is no longer supported. Its emulation of CMPXCHG16B
        # leaves garbage in the flags register; every second boot of a 6.12 kernel, whose memory allocator uses that
        # instruction, ended in an oops, and none of 16 without it. The kernel has a substitute.
        parts.append("-cx16")
    if cpu is CpuKind.NO_AES:
        parts += ["-aes", "-vaes"]
    return ",".join(parts)


def qemu_argv(plan: MachinePlan) -> list[str]:
    """Return the command line; relative paths in it are relative to the lab's folder.

    Args:
        plan: What machine is wanted.

    Returns:
        Program and arguments; the supervisor replaces the mark for the underlay's descriptor.
        Source: qemu(1) of QEMU 7.2 and 10.0.
    """
    side = plan.side
    kernel_line = f"{_KERNEL_LINE} systemd.machine_id={plan.machine_id} systemd.hostname={HOST_NAMES[side]}"
    accelerator = f"tcg,thread=multi,tb-size={_TRANSLATED_MIB}" if plan.accelerator is Accelerator.TCG else "kvm"
    return [
        QEMU,
        *("-name", f"tunnelmark-{side}", "-no-user-config", "-nodefaults", "-display", "none"),
        *("-machine", "pc", "-accel", accelerator, "-cpu", cpu_option(plan.accelerator, plan.cpu)),
        *("-smp", "1", "-m", str(MEMORY_MIB), "-rtc", "base=utc,clock=host"),
        *("-kernel", str(plan.image.kernel), "-initrd", str(plan.image.initrd), "-append", kernel_line),
        # cache=unsafe: what a guest has synced survives the death of its QEMU, which is the power loss that is tried.
        *("-drive", f"file={overlay_name(side)},format=qcow2,if=virtio,cache=unsafe"),
        *("-drive", f"file={seed_name(side)},format=raw,if=virtio,readonly=on"),
        *("-chardev", f"file,id=console,path={console_name(side)},append=on", "-serial", "chardev:console"),
        *("-netdev", f"user,id=management,restrict=on,hostfwd=tcp:127.0.0.1:{plan.port}-:22"),
        *("-device", f"virtio-net-pci,netdev=management,mac={_MAC_MANAGEMENT[side]},romfile="),
        *("-netdev", f"dgram,id=underlay,local.type=fd,local.str={UNDERLAY_FD_MARK}"),
        *("-device", f"virtio-net-pci,netdev=underlay,mac={_MAC_UNDERLAY[side]},romfile="),
        *("-device", "virtio-rng-pci"),
    ]
