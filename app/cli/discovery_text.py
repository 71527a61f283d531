"""Text of what was found on two hosts: a summary of one screen, or every suite."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from app.domain.hosts import HostFacts, PairSpec
from app.domain.results import Candidate
from app.domain.verdicts import PostQuantum, deciding_finding
from app.wizard import Discovery, HostCheck

_SUITE = 1


def print_summary(out: Console, found: Discovery) -> None:
    """Print the hosts, what is missing on them, and a line for each solution with its default and verdict."""
    for check in (found.a, found.b):
        _print_short(out, found.pair, check)
    out.print(f"B's clock minus A's: {found.clock_difference_ms:+.1f} ms", markup=False)
    rows = [("solution", "default suite", "verdict", "post-\nquantum", "others")]
    for solution, candidates in _by_solution(found).items():
        first = _default_of(found, candidates)
        others = str(len(candidates) - 1) if len(candidates) > 1 else ""
        rows.append((solution, first.suite, str(first.verdict), _post_quantum_word(first), others))
    rows += [(solution, f"not possible here: {reason}", "", "", "") for solution, reason in found.unavailable.items()]
    table = Table(*rows[0], title="What both can do")
    widths = [max(_width(row[number]) for row in rows) for number in range(len(table.columns))]
    for column in table.columns:
        column.no_wrap = True
    # The one that is cut where there is no room; each column has two blanks and a line.
    room = out.width - (sum(widths) - widths[_SUITE]) - 3 * len(widths) - 1
    table.columns[_SUITE].max_width = max(len(rows[0][_SUITE]), room)
    for row in rows[1:]:
        table.add_row(*row)
    out.print(table)
    _print_blocked_names(out, found)
    out.print(f"Every suite with the reason for its verdict: tunnelmark discover {found.pair.name} --all", markup=False)


def print_all(out: Console, found: Discovery) -> None:
    """Print everything of the hosts, and every suite with the reason for its verdict."""
    for check in (found.a, found.b):
        _print_host(out, found.pair, check)
    out.print(f"B's clock minus A's: {found.clock_difference_ms:+.1f} ms", markup=False)
    table = Table("solution", "suite", "verdict", "post-quantum", "reason", title="What both can do")
    for candidate in found.candidates:
        deciding = deciding_finding(candidate.findings)
        why = deciding.reason if deciding is not None else ""
        ticked = " (default)" if (candidate.solution, candidate.suite) in found.defaults else ""
        table.add_row(
            candidate.solution, candidate.suite + ticked, candidate.verdict, _post_quantum_word(candidate), why
        )
    out.print(table)
    for name, reason in found.unavailable.items():
        out.print(f"{name}: not possible here: {reason}", markup=False)
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
        how = "is opened for each tunnel" if found.pair.may_open_firewall else "stops them, see --open-firewall"
        out.print(f"Firewalls block {', '.join(found.blocked)}; what exactly, see --all. It {how}.", markup=False)


def _post_quantum_word(candidate: Candidate) -> str:
    """Return what a candidate does against a later quantum computer; empty for what has no keys."""
    if candidate.is_unprotected or candidate.post_quantum is None:
        return ""
    return "no" if candidate.post_quantum is PostQuantum.NONE else candidate.post_quantum.value


def _width(text: str) -> int:
    return max(len(line) for line in text.split("\n"))


def _by_solution(found: Discovery) -> dict[str, list[Candidate]]:
    solutions: dict[str, list[Candidate]] = {}
    for candidate in found.candidates:
        solutions.setdefault(candidate.solution, []).append(candidate)
    return solutions


def _default_of(found: Discovery, candidates: list[Candidate]) -> Candidate:
    """Return the default of one solution; where none is, the one with the best verdict."""
    ticked = [one for one in candidates if (one.solution, one.suite) in found.defaults]
    return ticked[0] if ticked else min(candidates, key=lambda one: one.verdict.severity)


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
    cores = "1 core" if facts.cpu_count == 1 else f"{facts.cpu_count} cores"
    return f"{cores} {aes}, {facts.memory_available_mib} MiB free, root by {facts.privilege}"


def _print_host(out: Console, pair: PairSpec, check: HostCheck) -> None:
    facts = check.facts
    out.print(f"{pair.host(check.side).label}: {facts.hostname}, {facts.os_name}, Linux {facts.kernel}", markup=False)
    aes = "with AES instructions" if facts.has_aes_instructions else "without AES instructions"
    out.print(
        f"  {facts.cpu_model}, {facts.cpu_count} cores, {aes}; {facts.memory_available_mib} of "
        f"{facts.memory_total_mib} MiB free; root by {facts.privilege}; {facts.init_system}",
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
