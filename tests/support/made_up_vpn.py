"""A made-up VPN for tests of deploying: a key, a file, an interface and a daemon that sleeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.adapters import (
    EndpointPlan,
    IdentityRecipe,
    PlanRequest,
    PlanStep,
    PublicIdentity,
    TunnelPlan,
    UpCheck,
    shell_step_argv,
)
from app.domain.commands import Command, CommandResult, FileToWrite
from app.domain.errors import CommandFailed
from app.domain.hosts import HostFacts, Side, SolutionSupport
from app.domain.link import STATE_DIR
from app.domain.script_files import host_script
from app.domain.solutions import Carrier, CensusOption, SecurityProperties, SolutionInfo, Space, Suite

MADE_DIR = f"{STATE_DIR}-host"
"""A folder of the host that is not Tunnelmark's."""

LIMIT_S = 30.0
"""Time limit for a step or its undo, in seconds: it takes ms, and seconds where the disk of a busy computer stalls."""

SUITE = Suite("strong", "Strong", is_default=True)

_START = 'cd /; echo "$$ begins" > "$1/daemon.log"; sleep 600 & echo $! > "$1/pid"'
# Its process is gone afterwards: until then it could be taken for one that was left behind.
_STOP = f"""
{host_script("end-processes.sh")}
if [ -s "$1/pid" ]; then end_processes TERM 100 "$(cat "$1/pid")"; fi
rm -f "$1/pid"
exit 0
"""


def step(title: str, script: str, undo: str | None, *arguments: str, retry_s: float = 0.0) -> PlanStep:
    """Return a step from two scripts with the same arguments."""
    back = Command(shell_step_argv(undo, *arguments), timeout_s=LIMIT_S, is_root=True) if undo is not None else None
    return PlanStep(title, Command(shell_step_argv(script, *arguments), timeout_s=LIMIT_S, is_root=True), back, retry_s)


def link_step(name: str) -> PlanStep:
    """Return a step that makes a made-up interface."""
    return PlanStep(
        f"Make {name}",
        Command(("ip", "link", "add", name), timeout_s=LIMIT_S, is_root=True),
        Command(("ip", "link", "del", name), timeout_s=LIMIT_S, is_root=True),
    )


@dataclass
class MadeUpVpn:
    """Implements Adapter: a key, a file, an interface and a daemon that sleeps."""

    steps: Mapping[Side, tuple[PlanStep, ...]] = field(default_factory=dict)
    files: Mapping[Side, tuple[FileToWrite, ...]] = field(default_factory=dict)
    up_checks: tuple[UpCheck, ...] = ()
    negotiated: UpCheck | None = None
    interface: str = "tmk0"
    has_identity: bool = True
    up_timeout_s: float = 3.0
    fatal_log_pattern: str = ""

    @property
    def info(self) -> SolutionInfo:
        security = SecurityProperties(True, True, True, True, True)
        return SolutionInfo("made-up", "Made up", "For tests.", Space.USER, Carrier.UDP, security, 1, 2)

    def discovery(self) -> Mapping[str, Command]:
        return {}

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        return SolutionSupport("made-up", is_available=True)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        return (SUITE,)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        if not self.has_identity:
            return IdentityRecipe()
        path = f"{request.link.run_dir}/key"
        make = step("Make a key", 'echo "secret of $2" > "$1"', 'rm -f "$1"', path, side.value)
        show = Command(shell_step_argv('echo "public"; tail -c 2 "$1"', path), is_root=True)
        return IdentityRecipe((make,), {"public": show})

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        words = outputs["public"].stdout.split()
        if outputs["public"].exit_status != 0 or len(words) != 2:
            raise CommandFailed("The host printed no public key.")
        return PublicIdentity({"public": "-".join(words)})

    def plan(self, request: PlanRequest) -> TunnelPlan:
        return TunnelPlan(
            solution="made-up",
            suite=request.suite,
            a=self._end(request, Side.A),
            b=self._end(request, Side.B),
            probe_address_a=request.link.inner_ip(Side.A),
            probe_address_b=request.link.inner_ip(Side.B),
            inner_mtu_bytes=1500,
            overhead_bytes=0,
            largest_unfragmented_frame_bytes=None,
            up_timeout_s=self.up_timeout_s,
        )

    def _end(self, request: PlanRequest, side: Side) -> EndpointPlan:
        peer = request.identity(side.other).values.get("public", f"<public-of-{side.other}>")
        log = f"{request.link.run_dir}/daemon.log"
        if not self.interface:
            return EndpointPlan((), (), "")
        default = (link_step(self.interface), daemon_step(request.link.run_dir))
        return EndpointPlan(
            files=(
                FileToWrite(f"{request.link.run_dir}/config", f"peer {peer}\n".encode()),
                *self.files.get(side, ()),
            ),
            steps=self.steps.get(side, default),
            interface=self.interface,
            up_checks=self.up_checks,
            negotiated=self.negotiated,
            log_paths=(log,),
            fatal_log_pattern=self.fatal_log_pattern,
            listens=(("udp", 21194),),
        )

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        return ()


def daemon_step(run_dir: str, start: str = _START) -> PlanStep:
    """Return a step that starts a daemon with a pid file."""
    return step("Start the daemon", start, _STOP, run_dir)
