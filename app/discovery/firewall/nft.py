"""Rules of nftables, from the JSON that `nft -j list ruleset` prints.

Source: libnftables-json(5) of nftables 0.9.8 to 1.1.3; outputs of nftables 1.0.6.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from app.discovery.firewall.model import (
    HARMLESS_TARGETS,
    NEVER,
    NOT_UNDERSTOOD,
    BaseChain,
    FirewallRule,
    FirewallTable,
    Match,
    Ruleset,
    RuleVerdict,
)
from app.discovery.firewall.nft_matches import Sets, match_of, matches_for_key
from app.discovery.messages import RULE_WITH_HANDLE, TOO_MANY_RULES

_FAMILIES = ("ip", "inet", "netdev")
_HOOKS = ("ingress", "prerouting", "input")
_VERDICTS = {
    "accept": RuleVerdict.ACCEPT,
    "drop": RuleVerdict.DROP,
    "reject": RuleVerdict.DROP,
    "return": RuleVerdict.RETURN,
    "continue": RuleVerdict.NONE,
    "jump": RuleVerdict.JUMP,
    "goto": RuleVerdict.GOTO,
}
_WITHOUT_EFFECT = frozenset(
    {"counter", "log", "comment", "notrack", "ct helper", "ct timeout", "dup", "flow", "mangle"}
)
_LIMITS = frozenset({"limit", "quota", "ct count", "set"})
_TERMINAL = frozenset({"queue", "dnat", "snat", "redirect", "masquerade", "tproxy", "synproxy", "fwd"})
_HANDLE = re.compile(r"^(?P<text>.*?) # handle (?P<handle>\d{1,18})$")
_CHAINS_OF_IPTABLES = ("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING")
_MOST_RULES = 100_000

Items = Sequence[Mapping[str, object]]
Key = tuple[str, str]
"""Family and name of a table."""


def parse_nft(text: str, listing: str = "", *, left_out: frozenset[str] = frozenset()) -> Ruleset | None:
    """Return the rules that packets for the host pass. Never raises.

    Args:
        text: Output of `nft -j list ruleset`.
        listing: Output of `nft -a list ruleset`, to quote rules from; may be cut.
        left_out: Tables of family `ip` that are known otherwise.

    Returns:
        The rules; None where the text is not such an output.
    """
    items = _loaded(text)
    if items is None:
        return None
    kept = [item for item in items if not _is_left_out(item, left_out)]
    return _ruleset(kept, _texts(listing))


def _loaded(text: str) -> Items | None:
    """Return the items of the JSON; None where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    items = found.get("nftables") if isinstance(found, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else None


def rules_of_iptables(text: str) -> Mapping[str, int]:
    """Return the number of rules of each table of family `ip` whose chains are iptables' own. Never raises.

    Args:
        text: Output of `nft -j list ruleset`.
    """
    found = _loaded(text) or []
    chains = [body for body in _bodies(found, "chain") if body.get("family") == "ip"]
    tables = dict.fromkeys((str(body.get("table")) for body in chains), 0)
    for body in chains:
        if body.get("hook") is not None and body.get("name") not in _CHAINS_OF_IPTABLES:
            tables.pop(str(body.get("table")), None)
    for body in _bodies(found, "rule"):
        if body.get("family") == "ip" and str(body.get("table")) in tables:
            tables[str(body.get("table"))] += 1
    return tables


def _is_left_out(item: Mapping[str, object], left_out: frozenset[str]) -> bool:
    body = next(iter(item.values()), None)
    return isinstance(body, dict) and body.get("family") == "ip" and str(body.get("table")) in left_out


def _ruleset(items: Items, texts: Mapping[tuple[str, ...], str]) -> Ruleset:
    sets = _sets(items)
    tables: dict[Key, dict[str, list[FirewallRule]]] = {}
    for body in _bodies(items, "chain"):
        tables.setdefault(_table(body), {}).setdefault(str(body.get("name")), [])
    statements: list[object] = []
    for number, body in enumerate(_bodies(items, "rule")):
        if number >= _MOST_RULES:
            return Ruleset((_unreadable(),))
        chain = tables.setdefault(_table(body), {}).setdefault(str(body.get("chain")), [])
        expressions = body.get("expr")
        expressions = expressions if isinstance(expressions, list) else []
        statements += expressions
        handle = str(body.get("handle"))
        text = texts.get((*_table(body), str(body.get("chain")), handle), RULE_WITH_HANDLE(handle=handle))
        chain += _rules(expressions, text, sets.get(_table(body), {}))
    made = {
        key: FirewallTable(" ".join(key), {name: tuple(rules) for name, rules in chains.items()})
        for key, chains in tables.items()
    }
    return Ruleset(
        tuple(_base_chains(items, made)),
        sets_marks=any(_sets_mark(one) for one in statements),
        untracks=any(_statement(one)[0] == "notrack" for one in statements),
    )


def _unreadable() -> BaseChain:
    rule = FirewallRule((), RuleVerdict.OTHER, text=TOO_MANY_RULES())
    return BaseChain(FirewallTable("ruleset", {"all": (rule,)}), "all", "input", RuleVerdict.ACCEPT)


def _bodies(items: Items, kind: str) -> Iterator[Mapping[str, object]]:
    for item in items:
        body = item.get(kind)
        if isinstance(body, dict) and body.get("family") in _FAMILIES:
            yield body


def _table(body: Mapping[str, object]) -> Key:
    return str(body.get("family")), str(body.get("table"))


def _base_chains(items: Items, tables: Mapping[Key, FirewallTable]) -> Iterator[BaseChain]:
    for body in _bodies(items, "chain"):
        hook = body.get("hook")
        if hook not in _HOOKS:
            continue
        devices = body.get("dev") or [""]
        policy = RuleVerdict.DROP if body.get("policy") == "drop" else RuleVerdict.ACCEPT
        for device in devices if isinstance(devices, list) else [devices]:
            yield BaseChain(
                *(tables[_table(body)], str(body.get("name")), str(hook), policy),
                *(str(body.get("type")), str(device)),
            )


def _sets(items: Items) -> Mapping[Key, Sets]:
    """Return elements of named sets and maps, by table and name; None where they are not listed."""
    found: dict[Key, dict[str, object]] = {}
    for kind in ("set", "map"):
        for body in _bodies(items, kind):
            found.setdefault(_table(body), {})[str(body.get("name"))] = body.get("elem", [])
    return found


def _sets_mark(statement: object) -> bool:
    mangle = statement.get("mangle") if isinstance(statement, dict) else None
    return isinstance(mangle, dict) and mangle.get("key") == {"meta": {"key": "mark"}}


def _rules(expressions: Sequence[object], text: str, sets: Sets) -> Iterator[FirewallRule]:
    """Yield a rule; more than one where it has a verdict map, none where it has no verdict."""
    matches: list[Match] = []
    may_be_verdict = False
    for statement in expressions:
        name, body = _statement(statement)
        if name == "match":
            matches += match_of(body, sets)
        elif name == "vmap":
            yield from _mapped(tuple(matches), body, text, sets)
            return
        elif name in _VERDICTS or name in _TERMINAL or _is_target(name, body):
            target = str(body.get("target")) if isinstance(body, dict) else ""
            yield FirewallRule(tuple(matches), _verdict(name, body), target, text)
            return
        elif name == "limit" and _is_per_second(body):
            matches += [NEVER] if isinstance(body, dict) and body.get("inv") else []
        elif name not in _WITHOUT_EFFECT:
            matches.append(NOT_UNDERSTOOD)
            may_be_verdict = may_be_verdict or name not in _LIMITS
    if may_be_verdict:
        yield FirewallRule(tuple(matches), RuleVerdict.OTHER, text=text)


def _verdict(name: str, body: object) -> RuleVerdict:
    if isinstance(body, dict) and name == "xt" and str(body.get("name")) in HARMLESS_TARGETS:
        return RuleVerdict.NONE
    return _VERDICTS.get(name, RuleVerdict.OTHER)


def _is_per_second(limit: object) -> bool:
    """Whether a limit allows packets in every second: the first one of a connection is then taken for one of them."""
    return isinstance(limit, dict) and limit.get("per") == "second" and limit.get("rate_unit", "packets") == "packets"


def _is_target(name: str, body: object) -> bool:
    return name == "xt" and isinstance(body, dict) and body.get("type") == "target"


def _statement(statement: object) -> tuple[str, object]:
    if isinstance(statement, dict) and len(statement) == 1:
        ((name, body),) = statement.items()
        return str(name), body
    # Statements without values are words in some versions.
    return (statement, None) if isinstance(statement, str) else ("", None)


def _mapped(before: tuple[Match, ...], body: object, text: str, sets: Sets) -> Iterator[FirewallRule]:
    """Yield a rule for each element of a verdict map."""
    data = body.get("data") if isinstance(body, dict) else None
    key = body.get("key") if isinstance(body, dict) else None
    elements = data.get("set") if isinstance(data, dict) else None
    if isinstance(data, str) and data.startswith("@"):
        elements = sets.get(data[1:])
    if not isinstance(elements, list):
        yield FirewallRule(before, RuleVerdict.OTHER, text=text)
        return
    for element in elements:
        pair = element if isinstance(element, list) and len(element) == 2 else [None, None]
        name, target = _statement(pair[1])
        to = str(target.get("target")) if isinstance(target, dict) else ""
        verdict = _VERDICTS.get(name, RuleVerdict.OTHER)
        yield FirewallRule(before + matches_for_key(key, pair[0]), verdict, to, text)


def _texts(listing: str) -> Mapping[tuple[str, ...], str]:
    """Return rules as text by family, table, chain and handle."""
    found: dict[tuple[str, ...], str] = {}
    place = ["", "", ""]
    for line in listing.splitlines():
        words = line.split()
        if line.startswith("table ") and len(words) >= 3:
            place = [words[1], words[2], ""]
        elif line.startswith("\tchain ") and len(words) >= 2:
            place[2] = words[1]
        elif line.startswith("\t\t") and (match := _HANDLE.match(line.strip())):
            found[*place, match["handle"]] = re.sub(r"counter packets \d+ bytes \d+ ?", "", match["text"])
    return found
