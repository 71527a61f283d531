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
"""Console line of a guest once sshd runs."""

WAITING_MARK = "TUNNELMARK-WAITING"
"""Console line of a guest at its first boot, when it waits for its identity."""

UNDERLAY_LINK = "underlay"
"""QEMU's name for a gateway's side of the underlay."""

_TRANSLATED_MIB = 256
"""Space for translated code; QEMU's own choice lets each machine grow by 1 GiB, and boots no faster."""

_KERNEL_LINE = (
    "root=/dev/vda rootfstype=ext4 rw fsck.mode=skip console=ttyS0 quiet mitigations=off net.ifnames=0 "
    # Both for a shorter boot; once it has booted, the kernel does as it always does.
    "rcupdate.rcu_expedited=1 rcupdate.rcu_normal_after_boot=1 cryptomgr.notests "
    # The kernel's own list without `bpf`: loading systemd's BPF programs takes an emulated CPU two seconds.
    "lsm=landlock,lockdown,yama,integrity,apparmor "
    # An idle gateway wakes the computer up: these were most of its timers (docs/practice-lab.md).
    "nowatchdog psi=0 sysctl.vm.compaction_proactiveness=0 sysctl.vm.stat_interval=60"
)
"""Source: kernel-parameters.txt of Linux 6.12."""

_EMULATED_KERNEL_LINE = (
    # Linux 5.10 expects the absent CPU, too (see _smp_option), distrusts the time stamp counter because of it, and
    # reads its clock from the far slower HPET.
    " possible_cpus=1"
    # WORKAROUND(QEMU 7.2.22, Debian 12): until Debian 12 is no longer supported. After CMPXCHG16B its flags register
    # may hold garbage besides the right ZF: half of the boots of Linux 6.12 ended in a double fault. Without this
    # feature (X86_FEATURE_CX16, by number because Linux 5.10 takes no names) the kernel uses a substitute; programs
    # still have the instruction. Figures: docs/practice-lab.md.
    " clearcpuid=141"
    # QEMU 7.2 keeps translated code by its virtual address: with address space randomisation, every start of a program
    # is translated anew, some 5,000 blocks of code. Figures: docs/practice-lab.md.
    " norandmaps"
    # Linux compares the time stamp counter with another clock twice a second, which wakes an idle gateway up. QEMU
    # makes both of the computer's one clock (docs/practice-lab.md).
    " tsc=reliable"
)
"""Source: kernel-parameters.txt of Linux 5.10 and 6.12; word 4, bit 13 in arch/x86/include/asm/cpufeatures.h."""

_MAC_MANAGEMENT = {Side.A: "52:54:00:54:4d:a0", Side.B: "52:54:00:54:4d:b0"}
_MAC_UNDERLAY = {Side.A: "52:54:00:54:4d:a1", Side.B: "52:54:00:54:4d:b1"}


class Accelerator(StrEnum):
    """Accelerator that runs the guest's instructions."""

    KVM = "kvm"
    TCG = "tcg"


@dataclass(frozen=True, slots=True)
class MachinePlan:
    """One virtual gateway.

    Attributes:
        side: A or B.
        image: What it boots from.
        accelerator: What runs its instructions.
        cpu: Which instructions its CPU shows.
        port: TCP port on 127.0.0.1 that leads to its sshd; None for a machine that is booted to be saved, to which
            nothing leads.
        machine_id: Its machine id.
    """

    side: Side
    image: ImagePaths
    accelerator: Accelerator
    cpu: CpuKind
    port: int | None
    machine_id: str


def overlay_name(side: Side) -> str:
    """Return the name of the file, in the lab's folder, that takes what a gateway writes to its disk."""
    return f"disk-{side}.qcow2"


def identity_name(side: Side) -> str:
    """Return the name of the socket, in the lab's folder, through which a gateway gets its identity."""
    return f"identity-{side}.sock"


def monitor_name(side: Side) -> str:
    """Return the name of the socket, in the lab's folder, of the monitor of a gateway's QEMU."""
    return f"monitor-{side}.sock"


def underlay_card(side: Side) -> str:
    """Return the hardware address of a gateway's card on the underlay."""
    return _MAC_UNDERLAY[side]


def management_card(side: Side) -> str:
    """Return the hardware address of the card through which SSH reaches a gateway."""
    return _MAC_MANAGEMENT[side]


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
    if cpu is CpuKind.NO_AES:
        parts += ["-aes", "-vaes"]
    return ",".join(parts)


def _smp_option(accelerator: Accelerator) -> str:
    """Return what goes after `-smp`: one CPU."""
    if accelerator is Accelerator.KVM:
        return "1"
    # WORKAROUND(QEMU 7.2): until TCG emits memory barriers for a single CPU, too. It does where the machine may have
    # more than one (source: mttcg_start_vcpu_thread() in accel/tcg/tcg-accel-ops-mttcg.c sets CF_PARALLEL then).
    # Elsewhere `lock addl`, which is virtio's barrier in the guest, becomes an ordinary addition. The processor may
    # then carry out "publish the buffer" after "read whether to notify", and QEMU's other thread is not notified: the
    # queue stops, and the link with it. A second CPU that is possible but absent is enough; the guest still has one.
    return "1,maxcpus=2"


def qemu_argv(plan: MachinePlan) -> list[str]:
    """Return the command line; relative paths in it are relative to the lab's folder.

    Args:
        plan: What machine is wanted.

    Returns:
        Program and arguments; the supervisor replaces the mark for the underlay's descriptor.
        Source: qemu(1) of QEMU 7.2 and 10.0.
    """
    side = plan.side
    is_emulated = plan.accelerator is Accelerator.TCG
    kernel_line = _KERNEL_LINE + (_EMULATED_KERNEL_LINE if is_emulated else "")
    kernel_line += f" systemd.machine_id={plan.machine_id} systemd.hostname={HOST_NAMES[side]}"
    is_linked = plan.port is not None
    forward = f",hostfwd=tcp:127.0.0.1:{plan.port}-:22" if is_linked else ""
    end = f"local.type=fd,local.str={UNDERLAY_FD_MARK}" if is_linked else "restrict=on"
    accelerator = f"tcg,thread=multi,tb-size={_TRANSLATED_MIB}" if is_emulated else "kvm"
    return [
        QEMU,
        *("-name", f"tunnelmark-{side}", "-no-user-config", "-nodefaults", "-display", "none"),
        *("-machine", "pc", "-accel", accelerator, "-cpu", cpu_option(plan.accelerator, plan.cpu)),
        *("-smp", _smp_option(plan.accelerator), "-m", str(MEMORY_MIB), "-rtc", "base=utc,clock=host"),
        *("-kernel", str(plan.image.kernel), "-initrd", str(plan.image.initrd), "-append", kernel_line),
        # cache=unsafe: what a guest has synced survives the death of its QEMU, which is the power loss that is tried.
        *("-drive", f"file={overlay_name(side)},format=qcow2,if=virtio,cache=unsafe"),
        *("-chardev", f"file,id=console,path={console_name(side)},append=on", "-serial", "chardev:console"),
        *("-chardev", f"socket,id=identity,path={identity_name(side)},server=on,wait=off"),
        *("-serial", "chardev:identity"),
        *("-chardev", f"socket,id=monitor,path={monitor_name(side)},server=on,wait=off"),
        *("-mon", "chardev=monitor,mode=control"),
        *("-netdev", f"user,id=management,restrict=on{forward}"),
        *("-device", f"virtio-net-pci,netdev=management,mac={_MAC_MANAGEMENT[side]},romfile="),
        *("-netdev", f"{'dgram' if is_linked else 'user'},id={UNDERLAY_LINK},{end}"),
        *("-device", f"virtio-net-pci,netdev={UNDERLAY_LINK},mac={_MAC_UNDERLAY[side]},romfile="),
        *("-device", "virtio-rng-pci"),
        # Tells a restored guest that it is a copy: from Linux 5.18 on it reseeds its random numbers.
        *("-device", "vmgenid,guid=auto"),
    ]
