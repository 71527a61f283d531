"""Snapshots of a host, to compare before and after."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.domain.messages import mark
from app.host.messages import PART_CHANGED, PART_IS_GONE, PART_IS_NEW

_VOLATILE = re.compile(r"\s*(valid_lft \S+|preferred_lft \S+|expires \S+|tentative|\\)")
_COUNTERS = re.compile(r"\[\d+:\d+\]|\bcounter packets \d+ bytes \d+")
# Programs that come and go by themselves, and what belongs to SSH sessions, ours among them.
_TRANSIENT = re.compile(
    r"^(?:\S*/)?(?:sshd|dropbear|sudo|doas|sleep|agetty)\b|^sshd|^\(|systemd-userwork|systemd-executor|systemd --user"
    r"|\btunnelmark-[0-9a-f]{16}|^head -c 400 /proc/|^tr \\0"
)
_VOLATILE_FILES = re.compile(
    r"/etc/resolv\.conf|/var/lib/(?:systemd/(?:random-seed|timers|timesync|linger)|dhcp|NetworkManager|chrony|logrotate"
    r"|private)\b|/root/\.(?:bash|ash)_history|/var/lib/(?:apt|dpkg)\b"
)


class SnapshotDepth(StrEnum):
    """Depth of an inspection."""

    QUICK = "quick"
    THOROUGH = "thorough"


@dataclass(frozen=True, slots=True)
class HostSnapshot:
    """State of a host at one moment.

    Attributes:
        depth: How closely it was inspected.
        parts: By part (`interface`, `route`, `file` …), texts by key (a name, a path; the text itself where there is no
            name). Everything in it came from the host and is untrusted.
    """

    depth: SnapshotDepth
    parts: Mapping[str, Mapping[str, str]]

    def part(self, name: str) -> Mapping[str, str]:
        """Return one part; empty where it was not inspected."""
        return self.parts.get(name, {})


def parse_snapshot(sections: Mapping[str, str], *, state_dir: str, depth: SnapshotDepth) -> HostSnapshot:
    """Parse the output of an inspection.

    Args:
        sections: Text per section.
        state_dir: Tunnelmark's folder there.
        depth: How closely it was inspected.
    """

    def lines(name: str) -> list[str]:
        return [line.rstrip() for line in sections.get(name, "").split("\n") if line.strip()]

    network = _sorted_network(lines("network"))
    parts: dict[str, Mapping[str, str]] = {
        mark("interface"): _interfaces(network["link"]),
        mark("address"): _plain(_steady(line.partition(":")[2]) for line in network["address"]),
        mark("route"): _plain([*map(_steady, network["route"]), *_routes6(lines("sockets"))]),
        mark("rule"): _plain(_steady(line) for line in network["rule"]),
        mark("L2TP tunnel or session"): _l2tp(sections.get("l2tp", "")),
        mark("firewall rule"): _numbered(_COUNTERS.sub("", line) for line in lines("firewall")),
        mark("socket"): _plain(_sockets(lines("sockets"))),
        mark("folder"): {state_dir: "there"} if lines("lock") else {},
    }
    if depth is SnapshotDepth.THOROUGH:
        parts[mark("IPv6 rule")] = _plain(_steady(line) for line in lines("rules6"))
        parts[mark("process")] = _plain(_processes(sections.get("processes", ""), state_dir))
        parts[mark("service")] = _plain(lines("services"))
        parts[mark("file")] = _by_path(lines("files"), _FILE)
        parts[mark("content of")] = _by_path(lines("sums"), _SUM)
    return HostSnapshot(depth, parts)


def compare_snapshots(
    before: HostSnapshot, after: HostSnapshot, *, except_parts: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Return a sentence for each difference of two snapshots.

    Args:
        after: The later one, of the same depth.
        except_parts: Parts that are left out.

    Returns:
        One sentence per difference; empty if they are equal.
    """
    found: list[str] = []
    for name in before.parts:
        if name in except_parts or name not in after.parts:
            continue
        old, new = before.part(name), after.part(name)
        found += [PART_IS_NEW(kind=name, name=_shown(key)) for key in new if key not in old]
        found += [PART_IS_GONE(kind=name, name=_shown(key)) for key in old if key not in new]
        found += [
            PART_CHANGED(kind=name, name=_shown(key), before=_shown(old[key]), after=_shown(new[key]))
            for key in new
            if key in old and old[key] != new[key]
        ]
    return tuple(found)


def _shown(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)[:300]


def _steady(line: str) -> str:
    return " ".join(_VOLATILE.sub(" ", line).split())


def _plain(lines: Iterable[str]) -> Mapping[str, str]:
    return {line: "" for line in lines if line}


def _numbered(lines: Iterable[str]) -> Mapping[str, str]:
    """Keep lines whose order matters and which may be repeated."""
    return {str(number): line for number, line in enumerate(lines, 1)}


def _sorted_network(lines: Iterable[str]) -> Mapping[str, list[str]]:
    """Classify the lines of `ip -o`: links, addresses and rules; all others are routes.

    Source: iproute2 6.15 and BusyBox 1.35, `N: NAME: <FLAGS>`, `N: NAME    inet ADDRESS`, `N:<tab>from …`.
    """
    found: dict[str, list[str]] = {"link": [], "address": [], "rule": [], "route": []}
    kinds = {
        "link": re.compile(r"\d+: \S+: <"),
        "address": re.compile(r"\d+: \S+\s+(?:inet|link|peer|family)"),
        "rule": re.compile(r"\d+:\s+(?:not )?from"),
    }
    for line in lines:
        found[next((kind for kind, pattern in kinds.items() if pattern.match(line)), "route")].append(line)
    return found


def _routes6(lines: Iterable[str]) -> Iterable[str]:
    """Read /proc/net/ipv6_route: destination, its prefix length, …, next hop (5th), metric, …, interface (10th).

    Source: Linux 6.12, net/ipv6/route.c, rt6_info_route / ipv6_route_native_seq_show.
    """
    for line in lines:
        words = line.split()
        if len(words) == 10 and len(words[0]) == 32:
            try:
                destination = ipaddress.IPv6Address(int(words[0], 16))
                yield f"{destination}/{int(words[1], 16)} via {words[4]} metric {int(words[5], 16)} dev {words[9]}"
            except ValueError:
                continue


def _interfaces(lines: Iterable[str]) -> Mapping[str, str]:
    """Read `ip -o link show`: number, name, and the rest."""
    found: dict[str, str] = {}
    for line in lines:
        match = re.match(r"\d+: ([^:@ ]+)(@[^: ]+)?: (.*)", line)
        if match:
            found[match[1]] = _steady(match[3])
    return found


def _l2tp(text: str) -> Mapping[str, str]:
    """Read `ip l2tp show`: each entry begins at the margin and goes on with indented lines. Cookies are left out."""
    entries: list[str] = []
    for line in text.split("\n"):
        if re.match(r"\s+(peer )?cookie ", line):
            continue
        if line.startswith((" ", "\t")) and entries:
            entries[-1] += " " + line.strip()
        elif line.strip():
            entries.append(line.strip())
    return _plain(entries)


def _sockets(lines: Iterable[str]) -> Iterable[str]:
    """Read /proc/net/tcp, tcp6, udp and udp6, in turn, each with its title line. Source: proc_net(5).

    Listening TCP sockets (state 0A) and UDP sockets that are not connected (07).
    """
    protocols = iter(("tcp", "tcp6", "udp", "udp6"))
    protocol = ""
    for line in lines:
        words = line.split()
        if words[:1] == ["sl"]:
            protocol = next(protocols, "")
        elif len(words) > 3 and words[3] == ("07" if protocol.startswith("udp") else "0A"):
            yield f"{protocol} {_socket_address(words[1])}"


def _socket_address(text: str) -> str:
    address, _, port = text.partition(":")
    try:
        words = [int(address[start : start + 8], 16).to_bytes(4, "little") for start in range(0, len(address), 8)]
        return f"{ipaddress.ip_address(b''.join(words))} port {int(port, 16)}"
    except (ValueError, OverflowError):
        return text


def _processes(text: str, state_dir: str) -> Iterable[str]:
    """Read what `head /proc/[0-9]*/cmdline` printed; kernel threads have no command line."""
    ours = re.compile(rf"\b\w*sh (?:-s -- )?{re.escape(state_dir)}(?: |/(?:watch|undo)\.sh)")
    for piece in re.split(r"==> /proc/\d+/cmdline <==(?:\n|$)", text)[1:]:
        command = " ".join(piece.split())
        if command and not _TRANSIENT.search(command) and not ours.search(command):
            yield command


_FILE = re.compile(r"(?P<text>\S+ \S+ \S+ \S+) (?P<key>.*)")
_SUM = re.compile(r"(?P<text>[0-9a-f]{64}) [ *](?P<key>.*)")


def _by_path(lines: Iterable[str], pattern: re.Pattern[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for line in lines:
        match = pattern.fullmatch(line)
        path, arrow, target = match["key"].partition(" -> ") if match else ("", "", "")
        if match and not _VOLATILE_FILES.search(path):
            found[path.removesuffix(" ->")] = match["text"] + arrow + target
    return found
