"""Hosts, pairs, and what is known about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from app.domain.sides import Side as Side  # noqa: PLC0414 - modules that know hosts know their sides

SSH_PORT = 22
MAX_PORT = 65_535


DIRECTIONS = ("a_to_b", "b_to_a")
"""Directions of a link, in the order in which they are measured."""


class AuthKind(StrEnum):
    """Way of logging in."""

    AUTO = "auto"  # the agent, then the default key files, as OpenSSH does
    AGENT = "agent"
    KEY = "key"
    PASSWORD = "password"  # noqa: S105 - the name of a method, not a password


@dataclass(frozen=True, slots=True)
class HostSpec:
    """Address, user and login of one host over SSH.

    Attributes:
        label: Short name for people, for example `gateway-a`.
        address: Host name, IP address, or an alias from ~/.ssh/config.
        port: TCP port; None means what ~/.ssh/config says, else 22.
        user: User name; None means what ~/.ssh/config says, else the local user.
        auth: Way to log in.
        identity_file: Path of a private key file on this computer.
        host_key_file: A known_hosts file of this host's own (the practice lab's); None means the usual ones.
    """

    label: str
    address: str
    port: int | None = None
    user: str | None = None
    auth: AuthKind = AuthKind.AUTO
    identity_file: str | None = None
    host_key_file: str | None = None

    @property
    def login_text(self) -> str:
        """Address with the user and the port that were given: `user@address:port`."""
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"{user}{self.address}{port}"

    @property
    def machine_text(self) -> str:
        """Address and port in one form, however they were written."""
        return f"{self.address.lower()}:{self.port or SSH_PORT}"

    def name_beside(self, letter: str) -> str:
        """Return the label; the address where the label says no more than the letter of the side beside it."""
        return self.address if self.label == letter else self.label


@dataclass(frozen=True, slots=True)
class NodeHost:
    """A machine behind a gateway, which is reached over SSH as the gateway is.

    Attributes:
        host: The way it is reached.
        interface: Its interface towards the gateway; not the one that SSH comes in by.
        gateway_interface: The gateway's interface towards it.
    """

    host: HostSpec
    interface: str
    gateway_interface: str


@dataclass(frozen=True, slots=True)
class PairSpec:
    """Two hosts that are to be joined. Hosts of one label get their ports, else their letters, added to it.

    Attributes:
        name: The pair's name; labs are called `lab:NAME`.
        a: One host.
        b: The other host.
        underlay_a: A's IP address on the path between the two (with `b`'s, the outer addresses of every tunnel).
        underlay_b: B's IP address on that path.
        is_lab: Whether these are the practice lab's virtual machines, whose absolute figures mean little.
        load_cap_mbit_s: Upper limit for throughput probes in Mbit/s; None means no limit.
        may_open_firewall: Whether the user agreed that the hosts' firewalls are opened for what a tunnel needs.
        node_a: The machine behind A; None for none.
        node_b: The machine behind B; there are both or none.
        lab_machines: Kind of a practice lab's gateways, as `machines`; empty where it is not known.
    """

    name: str
    a: HostSpec
    b: HostSpec
    underlay_a: str
    underlay_b: str
    is_lab: bool = False
    load_cap_mbit_s: float | None = None
    may_open_firewall: bool = False
    node_a: NodeHost | None = None
    node_b: NodeHost | None = None
    lab_machines: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Distinguish hosts of one label: a gateway behind a forwarded port has the address of the other one."""
        a, b = self.a, self.b
        if a.label != b.label:
            return
        ports = a.port or SSH_PORT, b.port or SSH_PORT
        added = [f":{port}" for port in ports] if ports[0] != ports[1] else [" (A)", " (B)"]
        object.__setattr__(self, "a", replace(a, label=a.label + added[0]))
        object.__setattr__(self, "b", replace(b, label=b.label + added[1]))

    def host(self, side: Side) -> HostSpec:
        """Return the host on one side."""
        return self.a if side is Side.A else self.b

    @property
    def nodes(self) -> Mapping[Side, NodeHost]:
        """The machines behind both gateways; empty where there are none."""
        if self.node_a is None or self.node_b is None:
            return {}
        return {Side.A: self.node_a, Side.B: self.node_b}

    @property
    def hosts(self) -> tuple[HostSpec, ...]:
        """Both hosts, and the nodes behind them."""
        return (self.a, self.b, *(one.host for one in self.nodes.values()))

    @property
    def machines(self) -> tuple[str, ...]:
        """Both hosts with their underlay addresses, and the nodes with their interfaces; of a lab, its gateways' kind.

        A practice lab that is started again with the same kind of gateways has the same ones.
        """
        if self.is_lab:
            return self.lab_machines
        hosts = (f"{self.host(side).machine_text} {self.underlay(side)}" for side in Side)
        nodes = (f"{one.host.machine_text} {one.interface},{one.gateway_interface}" for one in self.nodes.values())
        return (*hosts, *nodes)

    def underlay(self, side: Side) -> str:
        """Return the underlay address on one side."""
        return self.underlay_a if side is Side.A else self.underlay_b


class Privilege(StrEnum):
    """Way of commands to root's rights on a host."""

    ROOT = "root"
    SUDO = "sudo"  # without a password
    SUDO_PASSWORD = "sudo-password"  # noqa: S105 - a way, not a password
    DOAS = "doas"  # without a password
    NONE = "none"


class InitSystem(StrEnum):
    """Service manager of a host."""

    SYSTEMD = "systemd"
    OPENRC = "openrc"
    PROCD = "procd"
    SYSV = "sysv"
    BUSYBOX = "busybox"
    UNKNOWN = "unknown"


class PackageManager(StrEnum):
    """Package manager of a host."""

    APT = "apt"
    DNF = "dnf"
    OPKG = "opkg"
    PACMAN = "pacman"
    NONE = "none"


class ToolFlavour(StrEnum):
    """The program behind a well-known name."""

    IPUTILS = "iputils"
    BUSYBOX = "busybox"
    STANDARD = "standard"  # the one usual program of that name
    UNKNOWN = "unknown"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Tool:
    """A measuring program on a host.

    Attributes:
        name: Program name, for example `ping`.
        flavour: Which implementation it is.
        version: As the program says it; empty if it does not.
        path: Absolute path; empty if it is missing.
    """

    name: str
    flavour: ToolFlavour
    version: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Nic:
    """A network interface.

    Attributes:
        name: Kernel name.
        mac: Hardware address; empty where there is none.
        mtu_bytes: MTU in bytes.
        speed_mbit_s: Link speed in Mbit/s; None where the driver does not say.
        is_up: Whether it is up.
        addresses: IP addresses with prefix length.
    """

    name: str
    mac: str
    mtu_bytes: int
    speed_mbit_s: int | None
    is_up: bool
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingPart:
    """A program or kernel module that a host lacks.

    Attributes:
        what: For example `iperf3` or `kernel module l2tp_eth`.
        needed_for: What it would make possible, for example `throughput` or `openvpn-udp`.
        package: The package that brings it with this host's package manager; empty if none is known.
    """

    what: str
    needed_for: str
    package: str = ""


@dataclass(frozen=True, slots=True)
class SolutionSupport:
    """Support of one host for one solution.

    Attributes:
        solution: Name of the solution.
        is_available: Whether everything that is needed is there.
        version: Version of its program, as far as known.
        features: What the adapter found out, as texts it understands itself, for example `peer-fingerprint`.
        ciphers: Names of ciphers as the program lists them.
        digests: Names of message digests as the program lists them.
        missing: What is missing, with remedies.
        note: An obstacle in words, where `missing` does not say it all.
    """

    solution: str
    is_available: bool
    version: str = ""
    features: tuple[str, ...] = ()
    ciphers: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    missing: tuple[MissingPart, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """Facts of a host. Everything in it came from the host and is untrusted text.

    Attributes:
        collected_at: When, UTC.
        hostname: The host's own name.
        os_id: `ID` of os-release, for example `debian`.
        os_name: `PRETTY_NAME` of os-release.
        kernel: `uname -r`.
        architecture: `uname -m`.
        cpu_model: Model name of the CPU.
        cpu_count: Number of online CPUs.
        cpu_flags: Flags of interest: any of aes, pclmulqdq, avx, avx2, avx512f, sha_ni, neon, asimd, pmull.
        is_virtual: Whether the host says it is a virtual machine.
        memory_total_mib: Total memory in MiB.
        memory_available_mib: Available memory in MiB.
        nics: Network interfaces.
        clock_offset_ms: The host's clock minus this computer's, in ms.
        clock_error_ms: How far `clock_offset_ms` may be wrong, in ms (half the round trip).
        init_system: What starts services.
        privilege: How root's rights are got.
        user: The user that logged in.
        package_manager: What installs packages.
        tools: ping, iperf3, tcpdump and other measuring programs, by name.
        kernel_modules: Modules of interest that are loaded, built in or can be loaded.
        disk_free_mib: Free space in MiB per path (`/`, `/run`, `/tmp`).
        load_1min: Load average over one minute.
        steal_pct: CPU time stolen by the hypervisor while the facts were collected, in percent.
        apparmor_profiles: Names of loaded AppArmor profiles that concern VPN programs.
        firewall: What filters packets: any of nftables, iptables, firewalld, ufw.
        solutions: What the host can do, by solution.
        missing: What is missing altogether.
        routes: Destinations of IPv4 routes in every table, with prefix length, without the default route.
        ports_in_use: Ports in the state of listening, for example `udp/1194`.
        l2tp_tunnel_ids: L2TP tunnels that exist, by their id.
        path_mtus: Measured MTU of the path to a peer, in bytes, by the peer's IPv4 address; without those not measured.
    """

    collected_at: datetime
    hostname: str
    os_id: str
    os_name: str
    kernel: str
    architecture: str
    cpu_model: str
    cpu_count: int
    cpu_flags: tuple[str, ...]
    is_virtual: bool
    memory_total_mib: int
    memory_available_mib: int
    nics: tuple[Nic, ...]
    clock_offset_ms: float
    clock_error_ms: float
    init_system: InitSystem
    privilege: Privilege
    user: str
    package_manager: PackageManager
    tools: dict[str, Tool] = field(default_factory=dict)
    kernel_modules: tuple[str, ...] = ()
    disk_free_mib: dict[str, int] = field(default_factory=dict)
    load_1min: float = 0.0
    steal_pct: float = 0.0
    apparmor_profiles: tuple[str, ...] = ()
    firewall: tuple[str, ...] = ()
    solutions: dict[str, SolutionSupport] = field(default_factory=dict)
    missing: tuple[MissingPart, ...] = ()
    routes: tuple[str, ...] = ()
    ports_in_use: tuple[str, ...] = ()
    l2tp_tunnel_ids: tuple[int, ...] = ()
    path_mtus: dict[str, int] = field(default_factory=dict)

    @property
    def has_aes_instructions(self) -> bool:
        """Whether the CPU has AES instructions (x86 AES-NI or ARMv8 crypto extensions)."""
        return "aes" in self.cpu_flags
