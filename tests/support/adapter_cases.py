"""Hosts, suites and requests for tests of adapters; what hosts say was recorded on real ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from app.domain.adapters import Adapter, PlanRequest, PlanStep, PublicIdentity, TunnelPlan
from app.domain.commands import Command, CommandResult
from app.domain.hosts import HostFacts, InitSystem, PackageManager, Privilege, Side, SolutionSupport
from app.domain.link import Link
from app.domain.solutions import Suite
from vpn_adapters.registry import ADAPTERS

RECORDED = Path(__file__).parents[1] / "contract" / "recorded"

NEVER_SECURE = {"vtun", "vtun-ppp", "pptp"}
"""Solutions that are insecure by design: there to be measured, and never deployed."""
PPP_IN_STREAMS = {"ppp-ssh", "stunnel"}
"""Solutions that protect PPP in a TCP connection: legacy, and never deployed."""
PPP_STREAMS = {*PPP_IN_STREAMS, "vtun-ppp"}
"""Solutions that send PPP as a stream of bytes, of which some are sent as two."""
FORMER = {*NEVER_SECURE, *PPP_IN_STREAMS, "xl2tpd"}
"""These, and a reference without cryptography, which LEGACY_PLATFORM alone has."""
COMPARED_ALONE = {*FORMER, "libreswan"}
"""These, and a sound one that is never deployed; each is on one of OWN_PLATFORMS alone."""
LEGACY_PLATFORM = "debian-12-legacy"
"""Platform of FORMER alone: what it has besides is not recorded, to be tried once less."""
LIBRESWAN_PLATFORM = "debian-13-libreswan"
"""Platform of Libreswan alone: Debian's package of it conflicts with strongSwan's."""
OWN_PLATFORMS = LEGACY_PLATFORM, LIBRESWAN_PLATFORM
"""Platforms of COMPARED_ALONE."""

CERTIFICATES = {
    Side.A: "-----BEGIN CERTIFICATE-----\nMAMCAQE=\n-----END CERTIFICATE-----\n",
    Side.B: "-----BEGIN CERTIFICATE-----\nMAMCAQI=\n-----END CERTIFICATE-----\n",
}
"""Well-formed PEM around tiny DER values: nothing here verifies them."""

SSH_KEYS = {
    Side.A: "AAAAC3NzaC1lZDI1NTE5AAAAIEFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB",
    Side.B: "AAAAC3NzaC1lZDI1NTE5AAAAIEJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJC",
}

WIREGUARD_KEYS = {
    Side.A: "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=",
    Side.B: "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI=",
}

IKE_KEYS = {
    side: f"-----BEGIN PUBLIC KEY-----\n{key}\n-----END PUBLIC KEY-----\n"
    for side, key in (
        (Side.A, "MCowBQYDK2VwAyEAQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE="),
        (Side.B, "MCowBQYDK2VwAyEAQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI="),
    )
}
"""Ed25519 keys in PEM (RFC 8410 section 4)."""


def result(stdout: str = "", *, stderr: str = "", exit_status: int | None = 0) -> CommandResult:
    """Return the outcome of some command."""
    return CommandResult(argv=("x",), exit_status=exit_status, stdout=stdout, stderr=stderr, duration_s=0.1)


@cache
def recorded(platform: str) -> Mapping[str, Mapping[str, CommandResult]]:
    """Return what a platform's host answered to every adapter's questions, by solution and question."""
    raw = json.loads((RECORDED / f"{platform}.json").read_text(encoding="utf-8"))
    if "openvpn-udp" in raw:
        raw["openvpn-tcp"] = json.loads(json.dumps(raw["openvpn-udp"]))  # one program, asked the same
    return {
        solution: {
            name: CommandResult(argv=tuple(one.pop("argv")), duration_s=0.0, **one) for name, one in answers.items()
        }
        for solution, answers in raw.items()
    }


@cache
def platforms() -> tuple[str, ...]:
    """Return the names of all recorded platforms but those of COMPARED_ALONE."""
    return tuple(sorted(path.stem for path in RECORDED.glob("*.json") if path.stem not in OWN_PLATFORMS))


@cache
def facts(platform: str = "debian-13", *, has_aes: bool = True) -> HostFacts:
    """Return a host as adapters see it: its solutions as recorded, the rest made up."""
    solutions: dict[str, SolutionSupport] = {}
    for name, adapter in ADAPTERS.items():
        solutions[name] = adapter.parse_discovery(recorded(platform).get(name, {}))
    return HostFacts(
        collected_at=datetime(2026, 3, 4, tzinfo=UTC),
        hostname="gateway",
        os_id="debian",
        os_name="Debian GNU/Linux",
        kernel="6.12.0",
        architecture="x86_64",
        cpu_model="QEMU",
        cpu_count=1,
        cpu_flags=("aes",) if has_aes else (),
        is_virtual=True,
        memory_total_mib=640,
        memory_available_mib=400,
        nics=(),
        clock_offset_ms=0.0,
        clock_error_ms=1.0,
        init_system=InitSystem.SYSTEMD,
        privilege=Privilege.ROOT,
        user="root",
        package_manager=PackageManager.APT,
        solutions=solutions,
    )


def without_solution(host: HostFacts, name: str) -> HostFacts:
    """Return a host that lacks one solution."""
    lacking = SolutionSupport(solution=name, is_available=False)
    return replace(host, solutions={**host.solutions, name: lacking})


HEX_KEYS = {side: side.value * 64 for side in Side}


@cache
def identity(adapter: Adapter, side: Side) -> PublicIdentity:
    """Return what an adapter makes of a well-formed public key."""
    outputs = {
        "certificate": result(CERTIFICATES[side]),
        "public-key": result(WIREGUARD_KEYS[side] + "\n"),
        "ike-public-key": result(IKE_KEYS[side]),
        "hex-public-key": result(HEX_KEYS[side] + "\n"),
        "rsa-public-key": result(IKE_KEYS[side]),
        "ssh-public-key": result(f"ssh-ed25519 {SSH_KEYS[side]} \n"),
    }
    return adapter.parse_identity(outputs)


def has_software(adapter: Adapter, platform: str) -> bool:
    """Whether a host of a platform can do this solution, as it was recorded."""
    return facts(platform).solutions[adapter.info.name].is_available


@cache
def home(adapter: Adapter) -> str:
    """Return the newest platform that has the software of an adapter."""
    return next(name for name in (*sorted(platforms(), reverse=True), *OWN_PLATFORMS) if has_software(adapter, name))


def request(adapter: Adapter, suite: Suite, *, platform: str = "") -> PlanRequest:
    """Return a request for a plan with both identities, on the adapter's newest platform unless another is named."""
    host = facts(platform or home(adapter))
    return PlanRequest(
        link=Link(underlay_a="192.0.2.1", underlay_b="192.0.2.2"),
        suite=suite,
        facts_a=host,
        facts_b=host,
        identity_a=identity(adapter, Side.A),
        identity_b=identity(adapter, Side.B),
        header=("Generated by Tunnelmark 0.1.0.", "Policy: tunnelmark 2026.1."),
    )


@cache
def all_cases() -> tuple[tuple[Adapter, Suite], ...]:
    """Return every adapter with every suite that two hosts of its newest platform have in common."""
    hosts = [(adapter, facts(home(adapter))) for adapter in ADAPTERS.values()]
    return tuple((adapter, suite) for adapter, host in hosts for suite in adapter.suites(host, host))


def default_cases(platform_a: str, platform_b: str) -> list[tuple[Adapter, Suite]]:
    """Return every adapter that makes a tunnel between two platforms, with its safe default there."""
    hosts = facts(platform_a), facts(platform_b)
    cases = [(adapter, suite) for adapter in ADAPTERS.values() for suite in adapter.suites(*hosts) if suite.is_default]
    return [(adapter, suite) for adapter, suite in cases if adapter.info.name != "baseline"]


def steps_of(adapter: Adapter, plan_request: PlanRequest) -> list[PlanStep]:
    """Return every step of both sides, of identity and of plan."""
    plan = adapter.plan(plan_request)
    steps: list[PlanStep] = []
    for side in Side:
        steps += [*adapter.identity(plan_request, side).steps, *plan.on(side).steps]
    return steps


def render(plan: TunnelPlan, side: Side) -> str:
    """Return one end of a plan as text: everything that is put on the host and run there."""
    end = plan.on(side)
    parts = [f"solution {plan.solution}, suite {plan.suite.name}: {plan.suite.title}"]
    parts.append(f"inner MTU {plan.inner_mtu_bytes}, overhead {plan.overhead_bytes}")
    parts.append(f"largest unfragmented frame {plan.largest_unfragmented_frame_bytes}")
    parts.append(f"interface {end.interface or '-'}, listens {end.listens}, modules {end.kernel_modules}")
    parts += [f"\n=== file {file.path} {file.mode:04o}\n{file.content.decode()}" for file in end.files]
    for step in end.steps:
        parts.append(f"\n=== step {step.title}\n{command_text(step.command)}")
        parts.append(f"--- undo\n{command_text(step.undo) if step.undo else '-'}")
    checks = [*end.up_checks, *([end.negotiated] if end.negotiated else [])]
    parts += [
        f"\n=== check {check.title}\n{command_text(check.command)}\npattern {check.stdout_pattern!r}"
        for check in checks
    ]
    parts.append(f"\nlogs {end.log_paths}")
    return "\n".join(parts) + "\n"


def command_text(command: Command) -> str:
    """Return a command with one argument per line."""
    return "\n".join(command.argv) + f"\n[{command.timeout_s:g} s{', root' if command.is_root else ''}]"
