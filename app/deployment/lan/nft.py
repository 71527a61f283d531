"""Rules and sets of nftables that name a LAN port, with their copies for the bridge that it is joined to.

Source: nft(8); listings (`nft -s list ruleset`) of nftables 0.9.8 and 1.0.6.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.deployment.lan.matches import MARK, CannotBeCopied, InterfaceMatch, MovedRule, is_plain, means, needed_copies
from app.deployment.lan.messages import (
    RULE_BY_NUMBER,
    RULE_CHANGES_PACKETS,
    RULE_IN_COUNTED_SET,
    RULE_IN_NAMELESS,
    RULE_IN_RANGES,
    RULE_IN_TIMED_SET,
    RULE_IN_UNCALLED,
    RULE_NAMES_PART,
    RULE_OF_A_PROGRAM,
    RULE_ON_CLOCK,
    RULE_PART_UNREAD,
    RULE_UNUSUAL,
    RULE_UNUSUAL_PLACE,
    RULE_USED_TO_CHANGE,
    TABLE_CHANGES_BRIDGED,
)
from app.deployment.lan.nft_listing import TOKEN, NftBlock, blocks_of, plain, split_elements, without_texts
from app.domain.messages import error_text

OUR_COMMENT = 'comment "tunnelmark '
_KEYS = {"iif": "iifname", "iifname": "iifname", "oif": "oifname", "oifname": "oifname"}
# Texts of a rule that are no names of interfaces.
_TEXTS = frozenset({"prefix", "comment", "helper", "set", "timeout", "expectation", "name", "jump", "goto"})
_NAME = re.compile(r"[\w./-]+")
_NOT_LISTED = RULE_PART_UNREAD()
# Statements that change packets or what follows from them; those of NAT are in chains of NAT alone.
_REWRITES = re.compile(r"(?:^|\s)(?:set|notrack|dup|tproxy|synproxy|flow)(?=\s|$)")
_KINDS = re.compile(
    r"\b(?:type|typeof) (.*?)(?: (?:flags|elements|size|timeout|gc-interval|policy|counter|limit|quota|ct|last)\b|$)"
)
_CLOCK = re.compile(r"(?:^|\s)meta (?:hour|day|time)\s")
_FILTERS = re.compile(r"type filter hook (?:input|forward|output) ")
_CALL = re.compile(r"(?:(?:^|[\s:])(?:jump|goto) |@)([^\s,{}]+)")


@dataclass(frozen=True, slots=True)
class NftRules:
    """Rules of a listing that name a port.

    Attributes:
        moved: The rules to be added.
        refused: The rules that cannot be moved, each with the reason.
    """

    moved: tuple[MovedRule, ...]
    refused: tuple[tuple[str, str], ...]


def nft_rules(listing: str, port: str, bridge: str, *, left_out: frozenset[str]) -> NftRules:
    """Return the rules of a listing that have to be there for the bridge of a port as well.

    Args:
        listing: Output of `nft -s list ruleset`.
        port: Name of the LAN port.
        bridge: Name of the bridge that it is to be joined to.
        left_out: Tables that another program maintains, as family and name.
    """
    moved: list[MovedRule] = []
    refused: list[tuple[str, str]] = []
    blocks = blocks_of(listing)
    faults = _purpose_faults(blocks)
    for block in blocks:
        if block.place.rpartition(" ")[0] in left_out:
            continue
        fault = faults.get(block.place, "")
        found = (_of_chain if block.kind == "chain" else _of_set)(block, port, bridge, fault)
        for one in found:
            if isinstance(one, MovedRule):
                moved.append(one)
            else:
                refused.append(one)
    return NftRules(tuple(moved), tuple(refused))


def _purpose_faults(blocks: Sequence[NftBlock]) -> dict[str, str]:
    """Return why nothing is added to some chains and sets, by place: copies may only filter.

    Where the kernel passes bridged frames to these hooks, a copy that changes packets changes what crosses between the
    LANs, too.
    """
    chains = [one for one in blocks if one.kind == "chain"]
    callers = _callers(blocks)
    heads = {one.place: head for one in chains if (head := _hook_of(one))}
    faults: dict[str, str] = {}
    for one in blocks:
        bases = [heads[place] for place in _reached_from(one.place, callers) if place in heads]
        others = [head for head in bases if not _FILTERS.match(head)]
        if others:
            faults[one.place] = TABLE_CHANGES_BRIDGED(what=" ".join(others[0].split()[:4]))
        elif not bases and one.kind == "chain":
            faults[one.place] = RULE_IN_UNCALLED()
        elif one.kind != "chain" and _is_for_rewriting(one, chains):
            faults[one.place] = RULE_USED_TO_CHANGE()
    return faults


def _hook_of(chain: NftBlock) -> str:
    """Return the line that says where the kernel calls a chain; empty for one that other chains call."""
    return next((line for line in chain.lines if re.match(r"type \w+ hook ", line)), "")


def _callers(blocks: Sequence[NftBlock]) -> dict[str, set[str]]:
    """Return the places that use each chain, set and map; chains also call what the maps that they use call."""
    found: dict[str, set[str]] = {}
    for one in blocks:
        table = one.place.rpartition(" ")[0]
        for line in one.lines:
            for name in _CALL.findall(without_texts(line)):
                found.setdefault(f"{table} {name}", set()).add(one.place)
    return found


def _reached_from(place: str, callers: Mapping[str, set[str]]) -> set[str]:
    found, left = {place}, [place]
    while left:
        more = callers.get(left.pop(), set()) - found
        found |= more
        left += more
    return found


def _is_for_rewriting(block: NftBlock, chains: Sequence[NftBlock]) -> bool:
    table, _, name = block.place.rpartition(" ")
    own = re.compile(rf"@{re.escape(name)}(?![\w./-])")
    return any(
        own.search(line) and _REWRITES.search(without_texts(line))
        for one in chains
        if one.place.rpartition(" ")[0] == table
        for line in one.lines
    )


def _of_chain(block: NftBlock, port: str, bridge: str, fault: str) -> Iterator[MovedRule | tuple[str, str]]:
    if any(re.match(r"type \w+ hook (ingress|egress) ", line) for line in block.lines):
        return  # before the bridge
    theirs = {plain(line) for line in block.lines if OUR_COMMENT not in line}
    seen: Counter[str] = Counter()
    depth = 0
    for line in block.lines:
        seen[line] += 1
        is_nested = depth > 0 or line.endswith("{")
        depth += line.endswith("{") - (line == "}")
        if OUR_COMMENT in line:
            continue
        try:
            copies = copies_of(line, port, bridge)
        except CannotBeCopied as reason:
            yield f"{line} ({block.place})", error_text(reason)
            continue
        reason_of_place = RULE_IN_NAMELESS() if is_nested else fault or _place_fault(block)
        if copies and reason_of_place:
            yield f"{line} ({block.place})", reason_of_place
            continue
        for copy in copies:
            if copy not in theirs:
                yield MovedRule("rule", "nft", block.place, line, seen[line], f"{copy} {MARK}")


def _place_fault(block: NftBlock) -> str:
    """Return the reason why nothing can be added to a chain or set; empty for none."""
    if block.is_owned:
        return RULE_OF_A_PROGRAM()
    return "" if all(_NAME.fullmatch(word) for word in block.place.split()) else RULE_UNUSUAL_PLACE()


@dataclass(frozen=True, slots=True)
class _Found:
    """A match on interfaces within the text of a rule.

    Attributes:
        match: What it asks for.
        start: Where its text begins.
        end: Where it ends.
        key: `iifname` or `oifname`.
        mapping: `vmap` or `map`; empty for none.
        elements: Each name with what follows it within a map.
        is_set: Whether it is written as a set.
    """

    match: InterfaceMatch
    start: int
    end: int
    key: str
    mapping: str
    elements: tuple[tuple[str, str], ...]
    is_set: bool


def copies_of(rule: str, port: str, bridge: str) -> tuple[str, ...]:
    """Return the copies of a rule that a bridge needs beside it, without comments.

    Raises:
        CannotBeCopied: It names the port in a way that has no copy.
    """
    text = plain(rule)
    found = _matches(text)
    _refuse_others(text, found, port, bridge)
    wanted = needed_copies([one.match for one in found], port, bridge)
    if wanted and (not is_plain(rule) or re.search(r"(^|\s)(xt|#)\s", text)):
        raise CannotBeCopied(_NOT_LISTED)
    if wanted and _REWRITES.search(without_texts(text)):
        raise CannotBeCopied(RULE_CHANGES_PACKETS())
    if wanted and _CLOCK.search(without_texts(text)):
        raise CannotBeCopied(RULE_ON_CLOCK())
    copies = []
    for chosen in wanted:
        copy = text
        for number in sorted(chosen, reverse=True):
            one = found[number]
            copy = copy[: one.start] + _rewritten(one, port, bridge) + copy[one.end :]
        copies.append(copy)
    return tuple(copies)


def interface_matches(rule: str) -> tuple[tuple[str, InterfaceMatch], ...]:
    """Return what a rule asks of interfaces, each with `iifname` or `oifname`."""
    return tuple((one.key, one.match) for one in _matches(plain(rule)))


def _matches(text: str) -> tuple[_Found, ...]:
    tokens = list(TOKEN.finditer(text))
    found = (_match_at(text, tokens, start) for start, token in enumerate(tokens) if token[0] in _KEYS)
    return tuple(one for one in found if one is not None)


def _match_at(text: str, tokens: Sequence[re.Match[str]], start: int) -> _Found | None:
    """Read the match whose key is the token at `start`; None for one that names no interface by itself."""
    before = tokens[start - 1][0] if start else ""
    words = [*(one[0] for one in tokens[start:]), "", ""]
    # Parts of a concatenation are compared together: `_refuse_others` finds what they name.
    if "." in (before, words[1]):
        return None
    at = 2 if words[1] in ("!=", "==") else 1
    is_negated = words[1] == "!="
    mapping = words[at] if words[at] in ("vmap", "map") else ""
    at += bool(mapping)
    is_set = words[at] == "{"
    if not is_set and not words[at].startswith('"'):
        return None
    last = at
    if is_set:
        last = words.index("}", at) if "}" in words[at:] else len(tokens) - start - 1
    begin, end = tokens[start].start(), tokens[start + last].end()
    elements = tuple(_elements(text[tokens[start + at].start() : end].strip("{} ")))
    match = InterfaceMatch(tuple(name for name, _ in elements), is_negated)
    return _Found(match, begin, end, _KEYS[words[0]], mapping, elements, is_set)


def _elements(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a set, each with what follows it."""
    for element in split_elements(text):
        first = TOKEN.match(element)
        if first is not None:
            yield first[0].strip('"'), element[first.end() :]


def _refuse_others(text: str, found: tuple[_Found, ...], port: str, bridge: str) -> None:
    """Refuse a rule that names the port elsewhere than in a match of its own, for example in a concatenation."""
    tokens = list(TOKEN.finditer(text))
    words = [one[0] for one in tokens]
    if not any(word in _KEYS for word in words):
        return
    for number, token in enumerate(tokens):
        is_name = token[0].startswith('"') and means(token[0].strip('"'), port)
        if not is_name or any(one.start <= token.start() < one.end for one in found):
            continue
        if number and words[number - 1] in _TEXTS:
            continue
        if f'"{bridge}"' not in words:
            raise CannotBeCopied(RULE_NAMES_PART())


def _rewritten(one: _Found, port: str, bridge: str) -> str:
    """Return a match for the bridge: an exception beside others, everything else for the bridge alone."""
    start = f"{one.key} != " if one.match.is_negated else f"{one.key} "
    if one.match.is_negated and one.is_set:
        names = (bridge if name == port else name for name, _ in one.elements)
        return start + "{ " + ", ".join(f'"{name}"' for name in names) + " }"
    if not one.mapping:
        return f'{start}"{bridge}"'
    after = next(rest for name, rest in sorted(one.elements, key=lambda two: two[0] != port) if means(name, port))
    return f'{start}{one.mapping} {{ "{bridge}"{after} }}'


def _of_set(block: NftBlock, port: str, bridge: str, fault: str) -> Iterator[MovedRule | tuple[str, str]]:
    """Yield the elements of a named set or map that the bridge needs, so that whatever uses the set means it, too."""
    text = " ".join(" ".join(block.lines).split())
    head, _, listed = text.partition("elements = { ")
    parts = _key_parts(text)
    places = _places_of_interfaces(parts)
    if block.kind not in ("set", "map") or not listed or not places:
        return
    elements = [one for one in split_elements(listed.rpartition(" }")[0]) if OUR_COMMENT not in one]
    keys = {_key(one) for one in elements}
    if len(parts) == 1 and any(_covers(key, places, bridge) for key in keys):
        return
    for element in elements:
        new = _for_bridge(_key(element), places, port, bridge)
        if not new or new in keys:
            continue
        reason = fault or _why_not_added(block, head, element, parts)
        if reason:
            yield f"{element} ({block.kind} {block.place})", reason
        else:
            yield MovedRule("element", "nft", block.place, element, 1, _copy_of(block, element, new))


def _key_parts(text: str) -> list[str]:
    """Return the types of the parts of a set's keys; of a map, without that of its data."""
    kinds = _KINDS.search(text)
    return [part.split()[-1] for part in kinds[1].partition(" : ")[0].split(" . ")] if kinds is not None else []


def _places_of_interfaces(parts: Sequence[str]) -> list[int]:
    return [number for number, part in enumerate(parts) if part in ("ifname", "iface_index", *_KEYS)]


def _copy_of(block: NftBlock, element: str, new: str) -> str:
    """Return an element of a set under another name, with our mark; that of a map has its data as well."""
    data = element.partition(_key(element))[2]
    return f"{new} {MARK}" + (f" : {data.rpartition(' : ')[2]}" if block.kind == "map" else "")


def _for_bridge(key: str, places: list[int], port: str, bridge: str) -> str:
    """Return an element with the bridge in place of the port; empty where it does not name the port alone."""
    words = key.split(" . ")
    at = [number for number in places if number < len(words) and means(words[number].strip('"'), port)]
    if not at or _covers(key, places, bridge):
        return ""
    return " . ".join(f'"{bridge}"' if number in at else word for number, word in enumerate(words))


def _key(element: str) -> str:
    """Return an element without its comment, its data and what else belongs to it."""
    parts = re.match(r'(?:"[^"]*"|[^\s"]+)(?: \. (?:"[^"]*"|[^\s"]+))*', element)
    return parts[0] if parts else element


def _covers(key: str, places: list[int], bridge: str) -> bool:
    names = [part.strip('"') for part in key.split(" . ")]
    return any(number < len(names) and means(names[number], bridge) for number in places)


def _why_not_added(block: NftBlock, head: str, element: str, parts: list[str]) -> str:
    if any(part in ("iface_index", "iif", "oif") for part in parts):
        return RULE_BY_NUMBER()
    if re.search(r"\b(timeout|dynamic|constant)\b", head) or re.search(r" (timeout|expires) ", element):
        return RULE_IN_TIMED_SET()
    if re.search(r"\binterval\b", head):
        return RULE_IN_RANGES()
    if re.search(r"\b(counter|limit|quota|ct count|last)\b", f"{head} {without_texts(element)}"):
        return RULE_IN_COUNTED_SET()
    return _place_fault(block) if is_plain(element) else RULE_UNUSUAL()
