"""A host's network: interfaces, addresses, routes, ports that are taken."""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict

from app.discovery.text import MAX_ENTRIES, clean, lines_of, to_int
from app.domain.hosts import Nic

_IFF_UP = 0x1  # Source: netdevice(7)
_MAX_MTU = 0x7FFFFFFF
_MAX_ADDRESSES = 64
_LISTENING = {"tcp": "0A", "udp": "07"}  # Source: Linux include/net/tcp_states.h
_ROUTE_TYPES = {"unicast", "local", "broadcast", "multicast", "unreachable", "blackhole", "prohibit", "throw", "nat"}


def parse_nics(nics: str, addresses: str) -> tuple[Nic, ...]:
    """Return the interfaces.

    Args:
        nics: One line `name|MAC|MTU|flags|speed` each, as sysfs says it.
        addresses: Output of `ip -o addr show`, or of `ifconfig -a`.
    """
    by_name = parse_addresses(addresses)
    found = []
    for line in lines_of(nics)[:MAX_ENTRIES]:
        parts = line.split("|")
        if len(parts) != 5 or not parts[0]:
            continue
        name, mac, mtu, flags, speed = (clean(part, 64) for part in parts)
        mtu_bytes = to_int(mtu)
        speed_mbit_s = to_int(speed, default=-1)
        found.append(
            Nic(
                name=name,
                mac="" if mac == "00:00:00:00:00:00" else mac,
                mtu_bytes=mtu_bytes if 0 <= mtu_bytes <= _MAX_MTU else 0,
                speed_mbit_s=speed_mbit_s if speed_mbit_s > 0 else None,  # drivers say -1 or 0 where they do not know
                is_up=bool(_hexadecimal(flags) & _IFF_UP),
                addresses=tuple(by_name.get(name, ())),
            )
        )
    return tuple(found)


def _hexadecimal(text: str) -> int:
    return int(text, 16) if re.fullmatch(r"(0x)?[0-9a-fA-F]{1,8}", text) else 0


def parse_addresses(text: str) -> dict[str, list[str]]:
    """Return IP addresses with prefix length by interface, from `ip -o addr show` or `ifconfig -a`."""
    found: dict[str, list[str]] = defaultdict(list)
    current = ""
    for line in lines_of(text):
        match = re.match(r"\d+: +([^ ]+?)(?:@[^ ]+)? +inet6? +([^ ]+)(?: +peer +([^ ]+))?", line)
        if match:
            local = match[2] if "/" in match[2] or not match[3] else f"{match[2]}/{match[3].partition('/')[2]}"
            _add(found, match[1], local)
        elif re.match(r"[^ \t:]", line):
            current = re.split(r"[ \t]", line, maxsplit=1)[0].rstrip(":")
        elif current:
            for address in _ifconfig_addresses(line):
                _add(found, current, address)
    return dict(found)


def _ifconfig_addresses(line: str) -> list[str]:
    """Read one line of BusyBox' or net-tools' ifconfig."""
    four = re.search(r"inet (?:addr:)?([0-9.]+) .*?(?:Mask:|netmask )([0-9.]+)", line)
    six = re.search(r"inet6 (?:addr: ?)?([0-9a-fA-F:.]+)(?:/(\d+)| +prefixlen (\d+))", line)
    found = [f"{four[1]}/{four[2]}"] if four else []
    return [*found, f"{six[1]}/{six[2] or six[3]}"] if six else found


def _add(found: dict[str, list[str]], name: str, text: str) -> None:
    interface = clean(name, 64)
    if len(found) >= MAX_ENTRIES or len(found[interface]) >= _MAX_ADDRESSES:
        return
    try:
        address = str(ipaddress.ip_interface(text[:64]))
    except ValueError:
        return
    if address not in found[interface]:
        found[interface].append(address)


def parse_routes(text: str) -> tuple[str, ...]:
    """Return destinations of IPv4 routes without the default one, from `ip route` or from /proc/net/route."""
    found: dict[str, None] = {}
    for line in lines_of(text):
        words = line[:512].split()
        is_kernel_table = (
            len(words) >= 8 and re.fullmatch(r"[0-9A-F]{8}", words[1]) and re.fullmatch(r"[0-9A-F]{8}", words[7])
        )
        if is_kernel_table:
            network = _network(f"{_little_endian(words[1])}/{_little_endian(words[7])}")
        else:
            destination = next((word for word in words[:2] if word not in _ROUTE_TYPES), "")
            network = _network(destination)
        if network is not None and network.prefixlen > 0 and len(found) < MAX_ENTRIES:
            found[str(network)] = None
    return tuple(found)


def _network(text: str) -> ipaddress.IPv4Network | None:
    try:
        return ipaddress.IPv4Network(text[:64], strict=False)
    except ValueError:
        return None


def _little_endian(hexadecimal: str) -> str:
    """Source: proc_net(5): /proc/net/route prints addresses in the machine's byte order, little-endian here."""
    return str(ipaddress.IPv4Address(bytes.fromhex(hexadecimal)[::-1]))


def parse_ports(text: str) -> tuple[str, ...]:
    """Return ports that a program listens on, as `udp/1194`, from lines `protocol|address:port|state`."""
    found: set[tuple[str, int]] = set()
    for line in lines_of(text):
        protocol, _, rest = line.partition("|")
        family = protocol.removesuffix("6")
        match = re.fullmatch(r"[0-9A-F]{8,32}:([0-9A-F]{4})\|([0-9A-F]{2})", rest.strip())
        if match and _LISTENING.get(family) == match[2] and len(found) < MAX_ENTRIES:
            found.add((family, int(match[1], 16)))
    return tuple(f"{family}/{port}" for family, port in sorted(found))


def parse_l2tp(text: str) -> tuple[int, ...]:
    """Return ids of L2TP tunnels from `ip l2tp show tunnel`. Source: iproute2 ip/ipl2tp.c, print_tunnel."""
    found = (to_int(number) for number in re.findall(r"Tunnel (\d{1,10}), encap", text))
    return tuple(sorted(set(found)))[:MAX_ENTRIES]
