"""Values that rules compare with, as nftables and iptables write them."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from app.discovery.firewall.model import UNKNOWN, Field, Span, Value

_PROTOCOLS = {
    "icmp": 1,
    "igmp": 2,
    "ipip": 4,
    "ipencap": 4,
    "tcp": 6,
    "udp": 17,
    "dccp": 33,
    "ipv6": 41,
    "gre": 47,
    "esp": 50,
    "ipv6-crypt": 50,
    "ah": 51,
    "ipv6-auth": 51,
    "ipv6-icmp": 58,
    "icmpv6": 58,
    "ospf": 89,
    "ospfigp": 89,
    "pim": 103,
    "comp": 108,
    "ipcomp": 108,
    "vrrp": 112,
    "l2tp": 115,
    "sctp": 132,
    "udplite": 136,
}
"""Names of protocols. Source: /etc/protocols of Debian 12, datatype inet_proto of nft(8)."""

_ICMP_TYPES = {
    "echo-reply": 0,
    "destination-unreachable": 3,
    "source-quench": 4,
    "redirect": 5,
    "echo-request": 8,
    "router-advertisement": 9,
    "router-solicitation": 10,
    "time-exceeded": 11,
    "parameter-problem": 12,
    "timestamp-request": 13,
    "timestamp-reply": 14,
    "info-request": 15,
    "info-reply": 16,
    "address-mask-request": 17,
    "address-mask-reply": 18,
}
"""Source: datatype icmp_type of nft(8)."""

_TCP_FLAGS = {"fin": 1, "syn": 2, "rst": 4, "psh": 8, "ack": 16, "urg": 32, "ecn": 64, "cwr": 128}
"""Source: datatype tcp_flag of nft(8)."""

_FAMILIES = {"ip": "ipv4", "ipv4": "ipv4", "2": "ipv4", "2048": "ipv4", "0x0800": "ipv4", "0x800": "ipv4"}
_NUMBER_NAMES = {Field.PROTOCOL: _PROTOCOLS, Field.ICMP_TYPE: _ICMP_TYPES, Field.TCP_FLAGS: _TCP_FLAGS}
_NUMBERS = frozenset({*_NUMBER_NAMES, Field.SOURCE_PORT, Field.PORT, Field.MARK})
_ADDRESSES = frozenset({Field.SOURCE, Field.DESTINATION})


def protocol_number(name: str) -> int | None:
    """Return the number of a protocol's name; None for a name that is not known."""
    return _PROTOCOLS.get(name)


def value_of(field: Field, raw: object) -> Value:
    """Return a value that a rule compares a property with; UNKNOWN where it is not understood. Never raises."""
    if isinstance(raw, dict):
        return _composed(field, raw)
    if field is Field.RETURN_INTERFACE:
        return "" if str(raw) in ("False", "0") else "*" if raw is True else word(raw)
    if isinstance(raw, bool) or not isinstance(raw, str | int):
        return UNKNOWN
    if field in _ADDRESSES:
        return _address(str(raw))
    if field in _NUMBERS:
        return _number(field, raw)
    if field is Field.FAMILY:
        return _FAMILIES.get(str(raw), str(raw))
    if field is Field.PACKET_TYPE and raw == "unicast":
        return "host"
    return UNKNOWN if field is Field.OTHER else word(raw)


def word(raw: object) -> Value:
    """Return a word; UNKNOWN for anything else, and for a number, whose meaning the listing does not give."""
    return raw if isinstance(raw, str) and raw and not raw.isdigit() else UNKNOWN


def _number(field: Field, raw: str | int) -> Value:
    names = _NUMBER_NAMES.get(field, {})
    if isinstance(raw, str) and raw.lower() in names:
        return Span(names[raw.lower()], names[raw.lower()])
    try:
        number = int(raw) if isinstance(raw, int) else int(raw, 0)
    except ValueError:
        return UNKNOWN
    return Span(number, number)


def _address(text: str) -> Value:
    try:
        network = IPv4Network(text, strict=False)
    except ValueError:
        return UNKNOWN
    return Span(int(network[0]), int(network[-1]))


def _composed(field: Field, raw: dict[object, object]) -> Value:
    """Return the value of a range or a prefix."""
    bounds, prefix = raw.get("range"), raw.get("prefix")
    if isinstance(bounds, list) and len(bounds) == 2:
        first, last = (value_of(field, one) if not isinstance(one, dict) else UNKNOWN for one in bounds)
        if isinstance(first, Span) and isinstance(last, Span):
            return Span(first.first, last.last)
    if isinstance(prefix, dict) and field in _ADDRESSES:
        return _address(f"{prefix.get('addr')}/{prefix.get('len')}")
    return UNKNOWN


def address_span(first: str, last: str) -> Value:
    """Return the span of two addresses."""
    try:
        return Span(int(IPv4Address(first)), int(IPv4Address(last)))
    except ValueError:
        return UNKNOWN
