"""Matches of nftables' rules, from their JSON.

Source: libnftables-json(5), sections "match", "payload", "meta", "ct", "fib"; outputs of nftables 1.0.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from app.discovery.firewall.model import NOT_UNDERSTOOD, UNKNOWN, Field, Match, Span, Value
from app.discovery.firewall.values import protocol_number, value_of

Sets = Mapping[str, object]
"""Elements of a table's named sets and maps."""

_META = {
    "l4proto": Field.PROTOCOL,
    "iifname": Field.INTERFACE,
    "iif": Field.INTERFACE,
    "nfproto": Field.FAMILY,
    "protocol": Field.FAMILY,
    "pkttype": Field.PACKET_TYPE,
    "mark": Field.MARK,
}
_CT = {"state": Field.STATE, "status": Field.STATUS, "direction": Field.DIRECTION}
_PAYLOAD = {
    ("ip", "saddr"): Field.SOURCE,
    ("ip", "daddr"): Field.DESTINATION,
    ("ip", "protocol"): Field.PROTOCOL,
    ("tcp", "sport"): Field.SOURCE_PORT,
    ("tcp", "dport"): Field.PORT,
    ("tcp", "flags"): Field.TCP_FLAGS,
    ("udp", "sport"): Field.SOURCE_PORT,
    ("udp", "dport"): Field.PORT,
    ("th", "sport"): Field.SOURCE_PORT,
    ("th", "dport"): Field.PORT,
    ("icmp", "type"): Field.ICMP_TYPE,
    ("ether", "type"): Field.FAMILY,
}
_NUMBERS = frozenset({Field.MARK, Field.TCP_FLAGS, Field.PROTOCOL, Field.SOURCE, Field.DESTINATION, Field.ICMP_TYPE})
_NUMBERS_WITH_ORDER = _NUMBERS | {Field.PORT, Field.SOURCE_PORT}
_MOST_NUMBER = 2**32 - 1


@dataclass(frozen=True, slots=True)
class _Left:
    """Left side of a match.

    Attributes:
        fields: Its properties.
        needs: Matches that nft adds without listing them, for example the protocol of a port.
        mask: Bits that are compared; 0 for all.
    """

    fields: tuple[Field, ...]
    needs: tuple[Match, ...] = ()
    mask: int = 0


_OTHER = _Left((Field.OTHER,))


def match_of(body: object, sets: Sets) -> tuple[Match, ...]:
    """Return a match of a rule, with those that it implies. Never raises."""
    if not isinstance(body, dict):
        return (NOT_UNDERSTOOD,)
    left = _left(body.get("left"))
    return (*left.needs, _compared(left, str(body.get("op")), body.get("right"), sets))


def matches_for_key(key: object, element: object) -> tuple[Match, ...]:
    """Return the matches for one element of a verdict map."""
    left = _left(key)
    return (*left.needs, Match(left.fields, (_alternative(left, element),), mask=left.mask))


def _compared(left: _Left, operator: str, right: object, sets: Sets) -> Match:
    if operator in ("==", "!="):
        alternatives = tuple(_alternatives(left, right, sets))
        return Match(left.fields, alternatives, is_negated=operator == "!=", mask=left.mask)
    (field, *more) = left.fields
    if more or left.mask:
        return NOT_UNDERSTOOD
    if operator in ("in", "!"):
        words = right if isinstance(right, list) else [right]
        if field is Field.TCP_FLAGS:
            return Match((field,), ((Span(0, 0),),), is_negated=operator == "in", mask=_bits(field, words))
        if field in (Field.STATE, Field.STATUS):
            return Match((field,), tuple((value_of(field, one),) for one in words), is_negated=operator == "!")
    bound = value_of(field, right)
    if field not in _NUMBERS_WITH_ORDER or not isinstance(bound, Span):
        return NOT_UNDERSTOOD
    spans = {
        "<": Span(0, bound.first - 1),
        "<=": Span(0, bound.last),
        ">": Span(bound.last + 1, _MOST_NUMBER),
        ">=": Span(bound.first, _MOST_NUMBER),
    }
    return Match((field,), ((spans.get(operator),),))


def _alternatives(left: _Left, right: object, sets: Sets) -> Iterator[tuple[Value, ...]]:
    """Yield the values that a right side means."""
    elements: object = right
    if isinstance(right, str) and right.startswith("@"):
        elements = sets.get(right[1:])
    elif isinstance(right, dict) and "set" in right:
        elements = right["set"]
    elif isinstance(right, list) and left.fields == (Field.TCP_FLAGS,):
        elements = [_bits(Field.TCP_FLAGS, right)]
    elif isinstance(right, list):
        elements = None  # several bits at once
    else:
        elements = [right]
    if isinstance(elements, str):
        elements = [elements]
    if not isinstance(elements, list):
        yield (UNKNOWN,) * len(left.fields)
        return
    for element in elements:
        yield _alternative(left, element)


def _alternative(left: _Left, element: object) -> tuple[Value, ...]:
    if isinstance(element, dict) and isinstance(element.get("elem"), dict):
        element = element["elem"].get("val")
    parts = element.get("concat") if isinstance(element, dict) else None
    if len(left.fields) > 1:
        if not isinstance(parts, list) or len(parts) != len(left.fields):
            return (UNKNOWN,) * len(left.fields)
        return tuple(value_of(field, part) for field, part in zip(left.fields, parts, strict=True))
    return (value_of(left.fields[0], element),)


def _joined(parts: Sequence[_Left]) -> _Left:
    """Return the left side of a concatenation."""
    if any(len(one.fields) != 1 or one.mask for one in parts):
        return _Left((Field.OTHER,) * len(parts))
    return _Left(tuple(one.fields[0] for one in parts), tuple(need for one in parts for need in one.needs))


def _left(expression: object) -> _Left:
    if not isinstance(expression, dict) or len(expression) != 1:
        return _OTHER
    ((kind, body),) = expression.items()
    if kind == "concat" and isinstance(body, list) and body:
        return _joined([_left(one) for one in body])
    if kind == "&" and isinstance(body, list) and len(body) == 2:
        return _masked(_left(body[0]), body[1])
    if not isinstance(body, dict):
        return _OTHER
    if kind == "payload":
        return _payload(str(body.get("protocol")), str(body.get("field")))
    if kind == "fib":
        return _fib(str(body.get("result")), body.get("flags"))
    names = {"meta": _META, "ct": _CT}.get(str(kind), {})
    return _Left((names.get(str(body.get("key")), Field.OTHER),))


def _payload(protocol: str, name: str) -> _Left:
    field = _PAYLOAD.get((protocol, name), Field.OTHER)
    if protocol == "ip":
        return _Left((field,), (Match((Field.FAMILY,), (("ipv4",),)),))
    if protocol in ("ip6", "icmpv6"):
        return _Left((field,), (Match((Field.FAMILY,), (("ipv6",),)),))
    number = protocol_number(protocol)
    if number is None:
        return _Left((field,))
    return _Left((field,), (Match((Field.PROTOCOL,), ((Span(number, number),),)),))


def _fib(result: str, flags: object) -> _Left:
    words = flags if isinstance(flags, list) else [flags]
    if result == "type":
        return _Left((Field.DESTINATION_TYPE if "daddr" in words else Field.SOURCE_TYPE,))
    if "saddr" in words and result in ("oif", "oifname", "check"):
        return _Left((Field.RETURN_INTERFACE,))
    return _OTHER


def _masked(left: _Left, mask: object) -> _Left:
    (field, *more) = left.fields
    bits = _bits(field, mask if isinstance(mask, list) else [mask])
    if more or left.mask or field not in _NUMBERS or not bits:
        return _Left((Field.OTHER,) * len(left.fields), left.needs)
    return _Left(left.fields, left.needs, bits)


def _bits(field: Field, words: Sequence[object]) -> int:
    """Return the bits that words mean; 0 where one of them is not understood."""
    values = [value_of(field, one) for one in words]
    if not all(isinstance(one, Span) for one in values):
        return 0
    return reduce(or_, (one.first for one in values if isinstance(one, Span)), 0)
