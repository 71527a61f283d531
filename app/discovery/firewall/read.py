"""A host's firewall: one read-only script, and the answers that its output gives."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from app.discovery.firewall.evaluate import dropping, fate
from app.discovery.firewall.iptables import parse_iptables
from app.discovery.firewall.model import BaseChain, Ruleset, RuleVerdict
from app.discovery.firewall.nft import parse_nft, rules_of_iptables
from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.firewall import Blocked, Fate, Opening, Owner
from app.domain.script_files import bare_script

MAX_OUTPUT_BYTES = 1_048_576
TIMEOUT_S = 30.0

_SCRIPT = bare_script("firewall/read.sh")

_ADDRESS = re.compile(r"^\d+:\s+(?P<name>\S{1,15})\s+inet (?P<address>\d{1,3}(?:\.\d{1,3}){3})[/ ]")
_NATIVE = re.compile(r"(?:ip|inet) \S+ \S+")
_OURS = re.compile(r'\bcomment "?tunnelmark ')


@dataclass(frozen=True, slots=True)
class Firewall:
    """A host's firewall.

    Attributes:
        owner: The tool that owns it.
        ruleset: The rules that were read.
    """

    owner: Owner = Owner.NONE
    ruleset: Ruleset = field(default_factory=Ruleset)

    def blocked(self, openings: Iterable[Opening], interface: str) -> tuple[Blocked, ...]:
        """Return the openings whose first packet is dropped."""
        found = ((one, *fate(self.ruleset, one, interface)) for one in openings)
        return tuple(Blocked(one, rule) for one, end, rule in found if end is Fate.DROPPED)

    def places(self, opening: Opening, interface: str) -> tuple[str, ...]:
        """Return the base chains of nftables that drop the first packet of an opening: family, table and chain."""
        names = (f"{base.table.name} {base.name}" for base in dropping(self.ruleset, opening, interface))
        return tuple(name for name in names if _NATIVE.fullmatch(name))


def read_firewall(host: HostSession, *, token: CancelToken) -> Firewall:
    """Read the firewall of a host; nothing is changed, and no kernel module is loaded.

    Raises:
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As `HostSession.run`.
    """
    mark = f"#{secrets.token_hex(8)}"
    argv = shell_step_argv(_SCRIPT, mark)
    command = Command(argv, timeout_s=TIMEOUT_S, is_root=True, max_output_bytes=MAX_OUTPUT_BYTES)
    return parse_firewall_output(host.run(command, token=token).stdout, mark)


def parse_firewall_output(text: str, mark: str) -> Firewall:
    """Return the firewall that the script's output describes. Never raises.

    Args:
        mark: First word of its headings.
    """
    sections = sections_of(text, mark)
    owners = frozenset(sections.get("owners", "").split())
    if "end" not in sections:
        return Firewall(_named_owner(owners) or Owner.NONE)  # the output was cut
    saved = sections.get("iptables", "")
    left_out = _described_by(saved, sections.get("nft", ""))
    if "nft" not in sections:
        left_out = frozenset({"*"})
    native = parse_nft(sections["nft"], sections["end"], left_out=left_out) if "nft" in sections else Ruleset()
    if native is None:
        native, left_out = Ruleset(), frozenset({"*"})  # nft may be built without JSON
    of_iptables = _only(parse_iptables(saved), left_out)
    older = [name for name in sections if name.startswith("legacy ")]
    legacy = Ruleset()
    for name in older:
        legacy = legacy + parse_iptables(sections[name], name.split()[-1])
    owner = _named_owner(owners, (*of_iptables.base_chains, *legacy.base_chains)) or _owner(native, of_iptables, legacy)
    addresses = _addresses(sections.get("addresses", ""))
    ruleset = replace(_of_others(native + of_iptables + legacy), addresses=addresses)
    return Firewall(owner, ruleset)


def sections_of(text: str, mark: str) -> dict[str, str]:
    """Return the output of a script that reads a firewall, by heading: a line that begins with the mark."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith(f"{mark} "):
            lines = found.setdefault(line[len(mark) + 1 :], [])
        else:
            lines.append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def _described_by(saved: str, listing: str) -> frozenset[str]:
    """Return the tables that iptables-save describes in full: as many rules as nft lists, in iptables' own chains."""
    counts: Counter[str] = Counter()
    table = ""
    for line in saved.splitlines():
        if line.startswith("*"):
            table = line[1:].strip()
            counts[table] += 0
        elif line.startswith("-A "):
            counts[table] += 1
    listed = rules_of_iptables(listing)
    return frozenset(name for name, number in counts.items() if listed.get(name) == number)


def _only(ruleset: Ruleset, tables: frozenset[str]) -> Ruleset:
    """Return a ruleset with chains of some tables only; `*` means all."""
    kept = (base for base in ruleset.base_chains if "*" in tables or base.table.name.split()[0] in tables)
    return replace(ruleset, base_chains=tuple(kept))


def _of_others(ruleset: Ruleset) -> Ruleset:
    """Return a ruleset without what Tunnelmark made for other tunnels, which goes with them."""
    kept = []
    for base in ruleset.base_chains:
        if any(word.startswith("tunnelmark_") for word in base.table.name.split()):
            continue
        chains = {
            name: tuple(rule for rule in rules if not _OURS.search(rule.text))
            for name, rules in base.table.chains.items()
        }
        kept.append(replace(base, table=replace(base.table, chains=chains)))
    return replace(ruleset, base_chains=tuple(kept))


def _addresses(text: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        match = _ADDRESS.match(line)
        if match and all(int(part) < 256 for part in match["address"].split(".")):
            address = ".".join(str(int(part)) for part in match["address"].split("."))
            found[match["name"]] = (*found.get(match["name"], ()), address)
    return found


def _named_owner(owners: frozenset[str], chains: Iterable[BaseChain] = ()) -> Owner | None:
    """Return the owner that has a service of its own."""
    if "firewalld" in owners:
        return Owner.FIREWALLD
    if "ufw" in owners and any("ufw-user-input" in base.table.chains for base in chains):
        return Owner.UFW
    return Owner.FW4 if "fw4" in owners else None


def _owner(native: Ruleset, of_iptables: Ruleset, legacy: Ruleset) -> Owner:
    """Return the tool whose rules for input may drop packets; without such rules the one that has any."""
    found = [
        *((Owner.NFTABLES, base) for base in native.base_chains),
        *((Owner.IPTABLES, base) for base in of_iptables.base_chains),
        *((_legacy_owner(base), base) for base in legacy.base_chains),
    ]
    used = [(owner, base) for owner, base in found if base.policy is RuleVerdict.DROP or base.rules]
    of_input = (owner for owner, base in used if base.hook == "input" and base.kind == "filter")
    return next(of_input, used[0][0] if used else Owner.NONE)


def _legacy_owner(base: BaseChain) -> Owner:
    return Owner.IPTABLES_LEGACY if base.table.name.endswith("iptables-legacy") else Owner.IPTABLES
