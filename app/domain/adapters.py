"""The contract of a VPN adapter: a pure translation without I/O, so that it can be tested to the letter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from app.domain.commands import Command, CommandResult, FileToWrite
from app.domain.firewall import Opening
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.keepalive import Keepalive
from app.domain.link import Link
from app.domain.solutions import CensusOption, SolutionInfo, Suite


class Purpose(StrEnum):
    """Purpose of a tunnel."""

    MEASUREMENT = "measurement"  # there for minutes, and removed by who made it
    DEPLOYMENT = "lasting"  # a deployment: started anew from the same keys and files whenever a host starts


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One change on a host, with the command that undoes it.

    Attributes:
        title: What it does, for people, in the imperative.
        command: What is run (always as root).
        undo: What undoes it; None only where the step changes nothing. It must succeed when there is nothing
            left to undo, and must not depend on anything a later step made.
        forward_retry_s: Try again for so long, in seconds, where the first try may come too early (0: never).
        depends_on_suite: Whether it has to be undone and done again when an active tunnel changes its suite. Its undo
            is then the same for every suite of the solution, and leaves what the other steps made.
        health_check: A command that succeeds while what this step made is there, for what can go without any program's
            end, for example a firewall table that is flushed; None where there is nothing to ask. The supervisor runs
            it every 2 s, and with TUNNELMARK_NOTES (its folder) set it may mend what it asks for. With
            TUNNELMARK_ASKS set, as for `status`, it changes nothing.
        is_repeatable: Whether the command alone makes what `health_check` asks for once more, on a tunnel that goes on:
            what later steps made does not have to be made again with it.
        is_at_deployment_only: Whether it is run when a tunnel is deployed, and left out whenever its host starts it.
    """

    title: str
    command: Command
    undo: Command | None
    forward_retry_s: float = 0.0
    depends_on_suite: bool = False
    health_check: Command | None = None
    is_repeatable: bool = False
    is_at_deployment_only: bool = False


@dataclass(frozen=True, slots=True)
class SharedSecret:
    """A secret that one host makes and the other must have as well, where the protocol has nothing better.

    It goes from one host to the other through this process's memory and the stdin of a shell, into a file that only
    root can read; it is in no argument, log, journal, report, preview or message.

    Attributes:
        title: What it is, for people, for example `Key that both hosts share`.
        show: Prints it on the host that made it; at most 4096 printable ASCII characters, in one line.
        path: Where it goes on the other host, before the plan's steps run: below the link's run_dir, mode 0600.
    """

    title: str
    show: Command
    path: str


@dataclass(frozen=True, slots=True)
class EncapsulatedSecret:
    """A secret that both hosts derive by key encapsulation: a public key and a ciphertext travel, the secret never.

    Each host writes it into a file of its own, below the link's run_dir and for root alone, before the plan's steps
    run.

    Attributes:
        title: What it is, for people.
        public: Name of the value of the public identity that `encapsulate` reads on stdin.
        encapsulate: Run on the other host: keeps the secret there, and prints the ciphertext, at most 4096 printable
            ASCII characters in one line.
        decapsulate: Run on the host that owns the key: reads that line on stdin, keeps the same secret, and erases the
            private key.
    """

    title: str
    public: str
    encapsulate: Command
    decapsulate: Command


@dataclass(frozen=True, slots=True)
class IdentityRecipe:
    """Steps that make a key on the host that owns it, and commands that print the public part.

    Attributes:
        steps: Run in order on the host. What they write lies below the link's run_dir, which exists already
            (mode 0700) and is removed as a whole by the undo.
        public: Commands that print only public parts, by name; their stdout goes to `parse_identity`.
        shared: Secrets that these steps make and that the other host gets too; only in the recipe of the side that
            makes them.
        encapsulated: Secrets that both hosts derive from a key which these steps make; only in the recipe of the side
            that makes the key.
    """

    steps: tuple[PlanStep, ...] = ()
    public: Mapping[str, Command] = field(default_factory=dict)
    shared: tuple[SharedSecret, ...] = ()
    encapsulated: tuple[EncapsulatedSecret, ...] = ()


@dataclass(frozen=True, slots=True)
class PublicIdentity:
    """The public part of a host's key: names and values, for example `{"public-key": "…"}`. Nothing secret."""

    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UpCheck:
    """A read-only command that shows whether the tunnel is up on this side.

    Attributes:
        title: What is checked.
        command: It is asked until it exits with 0, or the plan's deadline is over.
        stdout_pattern: Regular expression that must be found in its stdout as well; empty means any.
    """

    title: str
    command: Command
    stdout_pattern: str = ""


@dataclass(frozen=True, slots=True)
class Breakage:
    """A way in which the protection can go away while the rest remains: a crash, or a service that is stopped.

    Attributes:
        title: What is done, for people, for example `charon is stopped and the kernel's policies are flushed`.
        command: Does it, as root, on one side. The plan's undo still works afterwards.
    """

    title: str
    command: Command


@dataclass(frozen=True, slots=True)
class EndpointPlan:
    """Endpoint config: the files, steps and checks of one side.

    Attributes:
        files: Files to write before the steps; all of them below the link's run_dir, or paths that do not exist yet.
        steps: In order. One of them leaves `interface` up with the inner address and MTU.
        interface: The interface that carries Ethernet frames; for the baseline, empty.
        up_checks: How to see that it is up.
        negotiated: A command that prints what was really negotiated, and the regular expression that must match.
        log_paths: Log files of daemons, to be read when something fails.
        fatal_log_pattern: Regular expression, as `grep -E` understands it: a line like this in one of the logs means
            that frames will never cross with this suite, so that no one has to wait; empty where there is none.
        listens: (protocol, port) that must be free before, for example ("udp", 21194).
        openings: What has to get through this host's firewall, from its peer alone, besides what it listens on.
        kernel_modules: Modules that are loaded by the steps.
        breakages: In which ways its protection can go away; tried in turn, on a tunnel that is then
            removed.
        last_handshake: A read-only command that prints when the ends last agreed on keys, in seconds since 1970 by the
            host's clock, as the only word of its last line; None where the program does not say.
        certificates: Certificates in files of this side, which cease to be valid one day.
        when_idle: Run by the supervisor of a metered deployment once the peer has answered for a while, and again after
            each start: from then on the idle tunnel sends less. None where its files have that from the beginning.
    """

    files: tuple[FileToWrite, ...]
    steps: tuple[PlanStep, ...]
    interface: str
    up_checks: tuple[UpCheck, ...] = ()
    negotiated: UpCheck | None = None
    log_paths: tuple[str, ...] = ()
    fatal_log_pattern: str = ""
    listens: tuple[tuple[str, int], ...] = ()
    openings: tuple[Opening, ...] = ()
    kernel_modules: tuple[str, ...] = ()
    breakages: tuple[Breakage, ...] = ()
    last_handshake: Command | None = None
    certificates: tuple[str, ...] = ()
    when_idle: Command | None = None


class Encapsulation(StrEnum):
    """Ethernet frames in packets, as the kernel does it without any cryptography."""

    L2TPV3 = "l2tpv3"
    VXLAN = "vxlan"
    GRE = "gre"


@dataclass(frozen=True, slots=True)
class TunnelPlan:
    """A tunnel, ready to be built.

    Attributes:
        solution: Name of the solution.
        suite: The suite.
        a: A's end.
        b: B's side. The steps of both hosts run at the same time.
        probe_address_a: The address of A that probes use (the inner one; the baseline's outer one).
        probe_address_b: The same for B.
        inner_mtu_bytes: MTU for frames inside.
        overhead_bytes: Bytes added to a 1000-byte frame on the underlay, by theory; None where it varies.
        up_timeout_s: How long both hosts may take to be up, in seconds.
        largest_unfragmented_frame_bytes: Largest frame that crosses the link's underlay MTU in one outer packet, by
            theory; None where the carrier is a stream, where it depends on what a frame contains, or where the suite's
            overhead is not known.
        outer_filter: pcap filter that matches this tunnel's own packets on the underlay and no other traffic of the
            two addresses, for example `udp port 21194`; empty for the baseline.
        control_filter: pcap filter that matches what keeps the tunnel up and is none of those packets: a control
            connection, or a key exchange, at ports of its own; empty where there is none.
        overhead_by_frame: Bytes by which the one outer frame would be longer than the inner one, by theory and as if
            the underlay had room for it, per frame size in bytes; empty where `overhead_bytes` holds for all sizes.
        encapsulation: How the kernel takes the frames out of packets that have the session id of `Link.names`: the
            injection test then forges such packets; None where a program does it.
        why_not_restart: Why the steps of one host cannot be undone and done again while the other host's VPN keeps
            running, as a sentence; empty where they can.
    """

    solution: str
    suite: Suite
    a: EndpointPlan
    b: EndpointPlan
    probe_address_a: str
    probe_address_b: str
    inner_mtu_bytes: int
    overhead_bytes: int | None
    up_timeout_s: float = 20.0
    largest_unfragmented_frame_bytes: int | None = None
    outer_filter: str = ""
    control_filter: str = ""
    overhead_by_frame: Mapping[int, int] = field(default_factory=dict)
    encapsulation: Encapsulation | None = None
    why_not_restart: str = ""

    def on(self, side: Side) -> EndpointPlan:
        """Return the plan of one side."""
        return self.a if side is Side.A else self.b

    @property
    def whole_filter(self) -> str:
        """Capture filter that matches all packets of the tunnel, with those that only keep it up."""
        return f"({self.outer_filter}) or ({self.control_filter})" if self.control_filter else self.outer_filter

    def probe_address(self, side: Side) -> str:
        """Return the address that probes use on one side."""
        return self.probe_address_a if side is Side.A else self.probe_address_b


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Input of an adapter for a plan.

    Attributes:
        link: Addresses, names, MTU.
        suite: The chosen suite, one of those `suites` offered.
        facts_a: What was found on A.
        facts_b: What was found on B.
        identity_a: A's public identity.
        identity_b: B's public identity.
        header: Comment lines (without comment sign) to begin every generated file with.
        purpose: What the tunnel is for. A deployment is started again from what lay in its run_dir before the first
            step ran, at any time and on one host alone.
        keepalive: How often the idle tunnel sends something.
    """

    link: Link
    suite: Suite
    facts_a: HostFacts
    facts_b: HostFacts
    identity_a: PublicIdentity = PublicIdentity()
    identity_b: PublicIdentity = PublicIdentity()
    header: tuple[str, ...] = ("Generated by Tunnelmark.",)
    purpose: Purpose = Purpose.MEASUREMENT
    keepalive: Keepalive = Keepalive.WIRED

    def facts(self, side: Side) -> HostFacts:
        """Return the facts of one side."""
        return self.facts_a if side is Side.A else self.facts_b

    def identity(self, side: Side) -> PublicIdentity:
        """Return the public identity of one side."""
        return self.identity_a if side is Side.A else self.identity_b


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of an existing configuration file, for the linter."""

    line: int
    name: str
    value: str


class Adapter(Protocol):
    """One VPN."""

    @property
    def info(self) -> SolutionInfo:
        """Fixed properties of the solution."""
        ...

    def discovery(self) -> Mapping[str, Command]:
        """Return read-only commands to run on a host, by name. POSIX tools only; each may fail."""
        ...

    def parse_discovery(self, outputs: Mapping[str, CommandResult], /) -> SolutionSupport:
        """Translate what these commands printed. Never raises for anything a host prints."""
        ...

    def suites(self, facts_a: HostFacts, facts_b: HostFacts, /) -> tuple[Suite, ...]:
        """Return what both hosts can do, best first; exactly one is the default, unless there is none at all."""
        ...

    def census(self, facts_a: HostFacts, facts_b: HostFacts, /) -> tuple[CensusOption, ...]:
        """Return every cipher, MAC and AEAD that the programs of both hosts list, weak ones included.

        Their suites can be planned like those of `suites`. Empty where there is nothing to choose.
        """
        ...

    def identity(self, request: PlanRequest, side: Side, /) -> IdentityRecipe:
        """Return how the key of one side is made there."""
        ...

    def parse_identity(self, outputs: Mapping[str, CommandResult], /) -> PublicIdentity:
        """Translate what the recipe's public commands printed.

        Raises:
            app.domain.errors.CommandFailed: The output is not what it should be.
        """
        ...

    def plan(self, request: PlanRequest, /) -> TunnelPlan:
        """Return files and steps for both hosts. The same request always gives the same plan."""
        ...


def find_suite(adapter: Adapter, facts_a: HostFacts, facts_b: HostFacts, name: str) -> Suite | None:
    """Return the suite of that name which an adapter offers for two hosts, from its census too; None without one."""
    for suite in adapter.suites(facts_a, facts_b):
        if suite.name == name:
            return suite
    return next((one.suite for one in adapter.census(facts_a, facts_b) if one.suite.name == name), None)


def shell_step_argv(script: str, *arguments: str) -> tuple[str, ...]:
    """Return argv for a short fixed POSIX sh script with arguments $1, $2 ….

    Args:
        script: A constant text; nothing from a host, file or form may be pasted into it.
        arguments: Passed as positional parameters.

    Returns:
        An argv list.
    """
    return ("sh", "-c", script, "tunnelmark", *arguments)


def root_command(script: str, *arguments: str, timeout_s: float) -> Command:
    """Return the command that runs such a script as root; arguments as for `shell_step_argv`."""
    return Command(shell_step_argv(script, *arguments), timeout_s=timeout_s, is_root=True)
