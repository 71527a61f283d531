"""Text of what was found on two hosts: a summary of one screen, or every suite."""

from __future__ import annotations

from collections.abc import Collection

from rich.console import Console

from app.cli.suites_text import print_suites, print_unavailable, suite_overview
from app.discovery.pair_discovery import Discovery, HostCheck
from app.domain.hosts import HostFacts, PairSpec, Privilege


def print_summary(out: Console, found: Discovery) -> None:
    """Print the hosts, what is missing on them, and a line for each solution with its default and verdict."""
    for check in (found.a, found.b):
        _print_short(out, found.pair, check)
    out.print(f"B's clock minus A's: {found.clock_difference_ms:+.1f} ms", markup=False)
    suite_overview(found).print(out)
    print_unavailable(out, found)
    _print_blocked_names(out, found)
    out.print(f"Every suite with its reason: tunnelmark discover {found.pair.name} --all", markup=False, soft_wrap=True)


def print_all(out: Console, found: Discovery, solutions: Collection[str] = ()) -> None:
    """Print everything of the hosts, and every suite with the reason for its verdict, or those of some solutions."""
    for check in (found.a, found.b):
        _print_host(out, found.pair, check)
    out.print(f"B's clock minus A's: {found.clock_difference_ms:+.1f} ms", markup=False)
    print_suites(out, found, solutions)
    print_blocked(out, found)


def print_blocked(out: Console, found: Discovery) -> None:
    """Print what firewalls block of each solution, and how it can be opened."""
    for solution, sentences in found.blocked.items():
        out.print(f"{solution}: {'; '.join(sentences)}", markup=False)
    if found.blocked and found.pair.may_open_firewall:
        out.print("Tunnelmark opens exactly that for each tunnel, as you agreed, and closes it again.", markup=False)
    elif found.blocked:
        out.print(
            "Allow it there, or let Tunnelmark open it for each tunnel: "
            f"tunnelmark compare {found.pair.name} --open-firewall",
            markup=False,
        )


def _print_blocked_names(out: Console, found: Discovery) -> None:
    if found.blocked:
        is_all = {one.solution for one in found.candidates} <= found.blocked.keys()
        names = "every solution" if is_all else ", ".join(found.blocked)
        how = "opened for each tunnel" if found.pair.may_open_firewall else "see --all and --open-firewall"
        out.print(f"Firewalls block {names}: {how}.", markup=False)


def _print_short(out: Console, pair: PairSpec, check: HostCheck) -> None:
    facts = check.facts
    label = pair.host(check.side).label
    out.print(f"{label}: {facts.os_name}, Linux {facts.kernel}, {_computer(facts)}", markup=False)
    if check.missing:
        missing = ", ".join(dict.fromkeys(part.what for part in check.missing))
        can_install = any(part.package for part in check.missing)
        how = f"; install it with: tunnelmark discover {pair.name} --install" if can_install else ""
        out.print(f"  missing: {missing}{how}", markup=False)
    for warning in check.warnings:
        out.print(f"  {warning}", markup=False)


def _computer(facts: HostFacts) -> str:
    aes = "with AES instructions" if facts.has_aes_instructions else "without AES instructions"
    return f"{_cores(facts)} {aes}, {facts.memory_available_mib} MiB free, {_privilege(facts)}"


def _cores(facts: HostFacts) -> str:
    return "1 core" if facts.cpu_count == 1 else f"{facts.cpu_count} cores"


def _privilege(facts: HostFacts) -> str:
    return "logged in as root" if facts.privilege is Privilege.ROOT else f"root via {facts.privilege}"


def _print_host(out: Console, pair: PairSpec, check: HostCheck) -> None:
    facts = check.facts
    out.print(f"{pair.host(check.side).label}: {facts.hostname}, {facts.os_name}, Linux {facts.kernel}", markup=False)
    aes = "with AES instructions" if facts.has_aes_instructions else "without AES instructions"
    out.print(
        f"  {facts.cpu_model}, {_cores(facts)}, {aes}; {facts.memory_available_mib} of "
        f"{facts.memory_total_mib} MiB free; {_privilege(facts)}; {facts.init_system}",
        markup=False,
    )
    for nic in facts.nics:
        speed = f", {nic.speed_mbit_s} Mbit/s" if nic.speed_mbit_s else ""
        out.print(f"  {nic.name}: {', '.join(nic.addresses) or 'no address'}, MTU {nic.mtu_bytes}{speed}", markup=False)
    for part in check.missing:
        brought = f"; package {part.package} brings it" if part.package else ""
        out.print(f"  missing: {part.what} (for {part.needed_for}){brought}", markup=False)
    for warning in check.warnings:
        out.print(f"  {warning}", markup=False)
