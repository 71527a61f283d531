"""The command line of QEMU for one virtual machine of a lab: a gateway, or a node behind one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.domain.hosts import Side
from app.lab.guest import HOST_NAMES
from app.lab.image import ImagePaths
from app.lab.spec import CpuKind, LabMachine, LabNode
from app.lab.supervisor import LAN_FD_MARK, UNDERLAY_FD_MARK

QEMU = "qemu-system-x86_64"
MEMORY_MIB = 640
NODE_MEMORY_MIB = 384
"""A node starts no VPN, and needs less."""

READY_MARK = "TUNNELMARK-READY"
"""Console line of a guest once sshd runs."""

WAITING_MARK = "TUNNELMARK-WAITING"
"""Console line of a guest at its first boot, when it waits for its identity."""

UNDERLAY_LINK = "underlay"
"""QEMU's name for a gateway's side of the underlay."""

LAN_LINK = "lan"
"""QEMU's name for a machine's side of the network of a gateway and its node."""

LAN_INTERFACES: Mapping[LabMachine, str] = {Side.A: "eth2", Side.B: "eth2", LabNode.A: "eth1", LabNode.B: "eth1"}
"""Names of the cards in that network."""

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

FIRST_OF_KIND: Mapping[type, LabMachine] = {Side: Side.A, LabNode: LabNode.A}
"""The machine that is saved for all of its kind."""

_CARDS: Mapping[LabMachine, str] = {
    Side.A: "52:54:00:54:4d:a",
    Side.B: "52:54:00:54:4d:b",
    LabNode.A: "52:54:00:54:4d:c",
    LabNode.B: "52:54:00:54:4d:d",
}
"""Beginnings of hardware addresses; the number of the card follows."""


class Accelerator(StrEnum):
    """Accelerator that runs the guest's instructions."""

    KVM = "kvm"
    TCG = "tcg"


@dataclass(frozen=True, slots=True)
class MachinePlan:
    """One virtual machine.

    Attributes:
        machine: The gateway of A or B, or the node behind it.
        image: What it boots from.
        accelerator: What runs its instructions.
        cpu: Which instructions its CPU shows.
        port: TCP port on 127.0.0.1 that leads to its sshd; None for a machine that is booted to be saved, to which
            nothing leads.
        machine_id: Its machine id.
        has_lan: Whether a gateway has a card in a network with a node; a node always has.
    """

    machine: LabMachine
    image: ImagePaths
    accelerator: Accelerator
    cpu: CpuKind
    port: int | None
    machine_id: str
    has_lan: bool = False

    @property
    def kind(self) -> str:
        """Ending of the name of the saved machine that fits it."""
        if isinstance(self.machine, LabNode):
            return "-node"
        return "-lan" if self.has_lan else ""


def overlay_name(machine: LabMachine) -> str:
    """Return the name of the file, in the lab's folder, that takes what a machine writes to its disk."""
    return f"disk-{machine}.qcow2"


def identity_name(machine: LabMachine) -> str:
    """Return the name of the socket, in the lab's folder, through which a machine gets its identity."""
    return f"identity-{machine}.sock"


def monitor_name(machine: LabMachine) -> str:
    """Return the name of the socket, in the lab's folder, of the monitor of a machine's QEMU."""
    return f"monitor-{machine}.sock"


def card_addresses(machine: LabMachine, *, has_lan: bool) -> tuple[str, ...]:
    """Return the hardware addresses of a machine's cards, `eth0` first: management, underlay (a gateway's), LAN."""
    return tuple(f"{_CARDS[machine]}{number}" for number in range(3 if has_lan and isinstance(machine, Side) else 2))


def console_name(machine: LabMachine) -> str:
    """Return the name of the file, in the lab's folder, that takes a machine's console output."""
    return f"console-{machine}.log"


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
        Program and arguments; the supervisor fills in the descriptors of underlay and LAN.
        Source: qemu(1) of QEMU 7.2 and 10.0.
    """
    machine = plan.machine
    is_emulated = plan.accelerator is Accelerator.TCG
    kernel_line = _KERNEL_LINE + (_EMULATED_KERNEL_LINE if is_emulated else "")
    kernel_line += f" systemd.machine_id={plan.machine_id} systemd.hostname={HOST_NAMES[machine]}"
    memory_mib = MEMORY_MIB if isinstance(machine, Side) else NODE_MEMORY_MIB
    accelerator = f"tcg,thread=multi,tb-size={_TRANSLATED_MIB}" if is_emulated else "kvm"
    return [
        QEMU,
        *("-name", f"tunnelmark-{machine}", "-no-user-config", "-nodefaults", "-display", "none"),
        *("-machine", "pc", "-accel", accelerator, "-cpu", cpu_option(plan.accelerator, plan.cpu)),
        *("-smp", _smp_option(plan.accelerator), "-m", str(memory_mib), "-rtc", "base=utc,clock=host"),
        *("-kernel", str(plan.image.kernel), "-initrd", str(plan.image.initrd), "-append", kernel_line),
        # cache=unsafe: what a guest has synced survives the death of its QEMU, which is the power loss that is tried.
        *("-drive", f"file={overlay_name(machine)},format=qcow2,if=virtio,cache=unsafe"),
        *("-chardev", f"file,id=console,path={console_name(machine)},append=on", "-serial", "chardev:console"),
        *("-chardev", f"socket,id=identity,path={identity_name(machine)},server=on,wait=off"),
        *("-serial", "chardev:identity"),
        *("-chardev", f"socket,id=monitor,path={monitor_name(machine)},server=on,wait=off"),
        *("-mon", "chardev=monitor,mode=control"),
        *_networks(plan),
        *("-device", "virtio-rng-pci"),
        # Tells a restored guest that it is a copy: from Linux 5.18 on it reseeds its random numbers.
        *("-device", "vmgenid,guid=auto"),
    ]


def _networks(plan: MachinePlan) -> list[str]:
    """Return the options for the cards of a machine, in the order of `card_addresses`."""
    is_linked = plan.port is not None
    forward = f",hostfwd=tcp:127.0.0.1:{plan.port}-:22" if is_linked else ""
    links = {"management": f"user,id=management,restrict=on{forward}"}
    of_link = {UNDERLAY_LINK: UNDERLAY_FD_MARK} if isinstance(plan.machine, Side) else {}
    of_link |= {LAN_LINK: LAN_FD_MARK} if plan.has_lan or isinstance(plan.machine, LabNode) else {}
    for name, mark in of_link.items():
        links[name] = f"dgram,id={name},local.type=fd,local.str={mark}" if is_linked else f"user,id={name},restrict=on"
    words: list[str] = []
    cards = card_addresses(plan.machine, has_lan=plan.has_lan)
    for (name, option), card in zip(links.items(), cards, strict=True):
        words += ["-netdev", option, "-device", f"virtio-net-pci,netdev={name},mac={card},romfile="]
    return words
