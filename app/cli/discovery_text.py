"""Text of what was found on two hosts: a summary of one screen, or every suite."""

from __future__ import annotations

from collections.abc import Collection

from rich.console import Console

from app.cli.suites_text import print_suites, print_unavailable, suite_overview
from app.discovery.pair_discovery import Discovery, HostCheck
from app.domain.hosts import HostFacts, PairSpec, Privilege
from app.wording.language import tr, trn
from app.wording.local_forms import decimal
from app.wording.messages import local_text


def print_summary(out: Console, found: Discovery) -> None:
    """Print the hosts, what is missing on them, and a line for each solution with its default and verdict."""
    for check in (found.a, found.b):
        _print_short(out, found.pair, check)
    _print_clocks(out, found)
    suite_overview(found).print(out)
    print_unavailable(out, found, found.lacking)
    _print_blocked_names(out, found)
    text = tr("Every suite with its reason: tunnelmark discover {pair} --all").format(pair=found.pair.name)
    out.print(text, soft_wrap=True)


def print_all(out: Console, found: Discovery, solutions: Collection[str] = ()) -> None:
    """Print everything of the hosts, and every suite with the reason for its verdict, or those of some solutions."""
    for check in (found.a, found.b):
        _print_host(out, found.pair, check)
    _print_clocks(out, found)
    print_suites(out, found, solutions)
    print_blocked(out, found)


def _print_clocks(out: Console, found: Discovery) -> None:
    difference = decimal(found.clock_difference_ms, 1, "+")
    out.print(tr("B's clock minus A's: {difference} ms").format(difference=difference))


def print_blocked(out: Console, found: Discovery) -> None:
    """Print what firewalls block of each solution, and how it can be opened."""
    for solution, sentences in found.blocked.items():
        out.print(f"{solution}: {'; '.join(map(local_text, sentences))}")
    if found.blocked and found.pair.may_open_firewall:
        out.print(tr("Tunnelmark opens exactly that for each tunnel, as you agreed, and closes it again."))
    elif found.blocked:
        out.print(
            tr(
                "Allow it there, or let Tunnelmark open it for each tunnel: tunnelmark compare {pair} --open-firewall"
            ).format(pair=found.pair.name),
        )


def _print_blocked_names(out: Console, found: Discovery) -> None:
    if found.blocked:
        is_all = {one.solution for one in found.candidates} <= found.blocked.keys()
        names = tr("every solution") if is_all else ", ".join(found.blocked)
        opened = tr("Firewalls block {names}: opened for each tunnel.")
        text = opened if found.pair.may_open_firewall else tr("Firewalls block {names}: see --all and --open-firewall.")
        out.print(text.format(names=names))


def _print_short(out: Console, pair: PairSpec, check: HostCheck) -> None:
    facts = check.facts
    label = pair.host(check.side).label
    out.print(f"{label}: {facts.os_name}, Linux {facts.kernel}, {_computer(facts)}")
    if check.missing:
        missing = ", ".join(dict.fromkeys(local_text(part.what) for part in check.missing))
        can_install = any(part.package for part in check.missing)
        by_install = tr("missing: {names}; install it with: tunnelmark discover {pair} --install")
        text = (by_install if can_install else tr("missing: {names}")).format(names=missing, pair=pair.name)
        out.print(f"  {text}")
    for warning in check.warnings:
        out.print(f"  {local_text(warning)}")


def _computer(facts: HostFacts) -> str:
    free = tr("{number} MiB free").format(number=facts.memory_available_mib)
    return f"{_cores(facts)} {_aes(facts)}, {free}, {_privilege(facts)}"


def _aes(facts: HostFacts) -> str:
    return tr("with AES instructions") if facts.has_aes_instructions else tr("without AES instructions")


def _cores(facts: HostFacts) -> str:
    return trn("{number} core", "{number} cores", facts.cpu_count).format(number=facts.cpu_count)


def _privilege(facts: HostFacts) -> str:
    if facts.privilege is Privilege.ROOT:
        return tr("logged in as root")
    return tr("root via {way}").format(way=facts.privilege)


def _print_host(out: Console, pair: PairSpec, check: HostCheck) -> None:
    facts = check.facts
    out.print(f"{pair.host(check.side).label}: {facts.hostname}, {facts.os_name}, Linux {facts.kernel}")
    free = tr("{number} of {total} MiB free").format(number=facts.memory_available_mib, total=facts.memory_total_mib)
    out.print(f"  {facts.cpu_model}, {_cores(facts)}, {_aes(facts)}; {free}; {_privilege(facts)}; {facts.init_system}")
    for nic in facts.nics:
        speed = f", {nic.speed_mbit_s} Mbit/s" if nic.speed_mbit_s else ""
        out.print(f"  {nic.name}: {', '.join(nic.addresses) or tr('no address')}, MTU {nic.mtu_bytes}{speed}")
    for part in check.missing:
        text = tr("missing: {what} (for {purpose})")
        if part.package:
            text = tr("missing: {what} (for {purpose}); package {package} brings it")
        words = {"what": local_text(part.what), "purpose": local_text(part.needed_for), "package": part.package}
        out.print(f"  {text.format(**words)}")
    for warning in check.warnings:
        out.print(f"  {local_text(warning)}")
