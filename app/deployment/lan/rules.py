"""Rules of a host's firewall that name a LAN port, and the step that adds them for the bridge it is joined to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.deployment.lan.forward import forward_drop
from app.deployment.lan.iptables import iptables_rules, lines_naming, lines_of
from app.deployment.lan.matches import MARK, MovedRule, shown
from app.deployment.lan.messages import (
    INTERFACE_OF_ZONE,
    RULE_BECAUSE,
    RULE_ONE_OF_MANY,
    STEP_MOVE_RULES,
    STEP_WATCH_RULES,
    ZONE_MASQUERADES,
)
from app.deployment.lan.nft import nft_rules
from app.deployment.lan.nft_listing import rule_counts, rules_naming
from app.deployment.messages import FIREWALL_UNREAD
from app.discovery.firewall import sections_of
from app.domain.adapters import PlanStep, root_command, shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import CommandFailed
from app.domain.script_files import bare_script
from app.host.remote_host import RemoteHost, new_id
from app.tunnel.firewall import check_tag

TIMEOUT_S = 30.0
MAX_RULES_BYTES = 16_777_216
_MOST_BYTES = 65_536
"""Linux takes arguments of 131072 bytes (MAX_ARG_STRLEN); rules are quoted in them."""
_ZONE = re.compile(r"[A-Za-z0-9_-]{1,32}")
_COPY = re.compile(r'comment "tunnelmark [A-Za-z0-9_-]+ lan \d+"')
# What `--list-all` and `--list-all-policies` print of NAT; policies are not distinguished.
_ZONE_REWRITES = re.compile(r"masquerade: yes|toport=|rule .*(?:masquerade|forward-port)")
_TABLES_OF_FIREWALLD = frozenset({"inet firewalld", "ip firewalld", "ip6 firewalld"})


@dataclass(frozen=True, slots=True)
class LanRules:
    """Rules of a host's firewall that concern a LAN port to be joined.

    Attributes:
        moved: Rules that the bridge needs, each behind the one that names the port.
        refused: Rules that name the port and cannot be moved, each with the reason.
        forward: Why frames between the tunnel and the LAN may be dropped, with the rule; empty where they are not.
        has_copies: Whether an earlier deployment has moved rules, which go with it.
        noted: Every rule that names the port, and the programs whose lists are compared with that later.
    """

    moved: tuple[MovedRule, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    forward: str = ""
    has_copies: bool = False
    noted: tuple[MovedRule, ...] = ()


def read_lan_rules(host: RemoteHost, port: str, bridge: str, *, token: CancelToken) -> LanRules:
    """Read the firewall of a host. Changes nothing.

    Args:
        port: Name of the LAN port.
        bridge: Name of the bridge that it is to be joined to; the port itself where that is a bridge.

    Raises:
        CommandFailed: The rules could not be read.
    """
    mark = f"#{new_id()}"
    argv = shell_step_argv(bare_script("lan/rules-read.sh"), mark, port)
    command = Command(argv, timeout_s=TIMEOUT_S, is_root=True, max_output_bytes=MAX_RULES_BYTES)
    result = host.session.run(command, token=token)
    sections = sections_of(result.stdout, mark)
    if result.is_truncated or "failed" in sections or "end" not in sections:
        raise CommandFailed(
            FIREWALL_UNREAD(host=host.label, port=port),
        )
    return parse_lan_rules(sections, port, bridge)


def parse_lan_rules(sections: Mapping[str, str], port: str, bridge: str) -> LanRules:
    """Translate what a host printed, by heading."""
    listing = sections.get("nft", "")
    older, newer = _saved_by(sections, "legacy"), _saved_by(sections, "nft")
    left = _described(listing, newer)
    saved = older | {program: _only(text, program, listing, left) for program, text in newer.items()}
    calls = tuple(name.split()[1] for name in sections if name.startswith("calls ") and name.split()[2:] == ["1"])
    if port == bridge:
        return LanRules(forward=forward_drop(listing, saved, calls, (bridge,), left_out=left))
    has_firewalld = "firewalld" in sections
    left_out = left | (_TABLES_OF_FIREWALLD if has_firewalld else frozenset())
    native = nft_rules(listing, port, bridge, left_out=left_out)
    moved, refused = list(native.moved), list(native.refused)
    for program, text in saved.items():
        more, others = iptables_rules(program, text, port, bridge, has_firewalld=has_firewalld)
        moved += more
        refused += others
    zone, _, details = sections.get("firewalld", "").strip().partition("\n")
    if _ZONE.fullmatch(zone) and _ZONE_REWRITES.search(details):
        reason = ZONE_MASQUERADES()
        refused.append((INTERFACE_OF_ZONE(port=port, zone=zone), reason))
    elif _ZONE.fullmatch(zone):
        moved.append(MovedRule("zone", "firewall-cmd", zone, port, 1, bridge))
    forward = forward_drop(listing, saved, calls, (bridge, port), left_out=left)
    noted = _noted(sections, older, newer, port)
    if len(_lines((*moved, *noted), "").encode()) > _MOST_BYTES:
        noted = ()
    if len(_lines(moved, "").encode()) > _MOST_BYTES:
        refused += [(f"{one.original} ({one.place})", RULE_ONE_OF_MANY()) for one in moved]
        moved = []
    return LanRules(tuple(moved), tuple(refused), forward, _has_copies(sections, bridge), noted)


def _saved_by(sections: Mapping[str, str], variant: str) -> dict[str, str]:
    """Return what the programs of one variant of iptables saved, by program."""
    start = f"save {variant} "
    return {name.removeprefix(start): text for name, text in sections.items() if name.startswith(start)}


def _noted(
    sections: Mapping[str, str], older: Mapping[str, str], newer: Mapping[str, str], port: str
) -> tuple[MovedRule, ...]:
    """Return the rules that name a port as the step compares them: by `nft` where it is there, and by iptables else."""
    has_nft = "nft" in sections
    known = [("nft", place, rule) for place, rule in rules_naming(sections.get("nft", ""), port)]
    lists = dict(older) if has_nft else {**newer, **older}
    for program, text in lists.items():
        known += [(program, f"{one.table} {one.chain}", one.text) for one in lines_naming(text, port)]
    # A host without rules of nftables may have some later.
    programs = (*lists, "nft") if has_nft or not newer else tuple(lists)
    watched = (MovedRule("watch", program, "-", "-", 1, "-") for program in programs)
    return (*watched, *(MovedRule("known", *one, 1, "-") for one in dict.fromkeys(known) if "\t" not in one[2]))


def _has_copies(sections: Mapping[str, str], bridge: str) -> bool:
    rules = [text for name, text in sections.items() if name == "nft" or name.startswith("save ")]
    # Interfaces of a zone have no comment.
    names = re.compile(rf"(?:^|[\s\"]){re.escape(bridge)}(?:[\s\"]|$)")
    is_in_zone = "firewalld" in sections and any(names.search(text) for text in rules)
    return is_in_zone or any(_COPY.search(text) for text in rules)


def moving_step(
    rules: Sequence[MovedRule], port: str, bridge: str, tag: str, *, noted: Sequence[MovedRule] = ()
) -> PlanStep:
    """Return the step that adds rules for a bridge, and reports rules for the port that are made later.

    Args:
        rules: The rules; empty where none is added.
        port: Name of the LAN port.
        bridge: Name of its bridge.
        tag: Name of the deployment, part of the comment by which the rules are found again.
        noted: What later rules are compared with; empty where they are not.

    Raises:
        ValueError: The tag has other characters than letters, digits, `-` and `_`, or more than 32.
    """
    check_tag(tag)
    mark = f"tunnelmark {tag} lan "
    lines = _lines((*rules, *noted), mark)

    def command(action: str) -> Command:
        script = bare_script("lan/rules-move.sh")
        return root_command(script, action, mark, bridge, port, lines, timeout_s=TIMEOUT_S)

    return PlanStep(
        title=STEP_MOVE_RULES(port=port, bridge=bridge) if rules else STEP_WATCH_RULES(port=port),
        command=command("open"),
        undo=command("close"),
        health_check=command("check"),
        is_repeatable=True,
    )


def _lines(rules: Sequence[MovedRule], mark: str) -> str:
    return "\n".join("\t".join(_fields(number, one, mark)) for number, one in enumerate(rules, start=1))


def _fields(number: int, rule: MovedRule, mark: str) -> Iterator[str]:
    comment = f'comment "{mark}{number}"'
    if rule.kind == "line":
        comment = f"-m comment --{comment}"
    yield from (rule.kind, rule.program, rule.place, str(rule.nth), rule.original, rule.copy.replace(MARK, comment))


def _family(program: str) -> str:
    return "ip6" if program.startswith("ip6") else "ip"


def _described(listing: str, saved: Mapping[str, str]) -> frozenset[str]:
    """Return the tables of nft that iptables lists in full, as many rules as nft."""
    counts = rule_counts(listing)
    found = set()
    for program, text in saved.items():
        rules = Counter(f"{_family(program)} {one.table}" for one in lines_of(text))
        found |= {table for table, number in rules.items() if counts.get(table) == number}
    return frozenset(found)


def _only(text: str, program: str, listing: str, described: frozenset[str]) -> str:
    """Return what iptables saved, without tables that it does not list in full: those are left to nft."""
    counts = rule_counts(listing)
    kept: list[str] = []
    is_kept = True
    for line in text.splitlines():
        if line.startswith("*"):
            table = f"{_family(program)} {line[1:].strip()}"
            is_kept = table in described or not counts.get(table)
        if is_kept:
            kept.append(line)
    return "\n".join(kept)


def texts_of(refused: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return rules that cannot be moved for users."""
    return tuple(RULE_BECAUSE(rule=shown(rule), why=reason) for rule, reason in refused)
