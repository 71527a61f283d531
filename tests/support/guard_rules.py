"""The firewall table of a step, as nft is given it, and what it does with packets that carry frames.

It knows the few matches that our tables consist of, and fails at any other one. Source: nft(8); RFC 3931 section 4.1.1.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.domain.adapters import Encapsulation, PlanStep

L2TP = 115
PROTOCOLS = {Encapsulation.L2TPV3: L2TP, Encapsulation.GRE: 47, Encapsulation.VXLAN: 17}


@dataclass(frozen=True)
class Packet:
    """A packet with a frame inside.

    Attributes:
        session: The session's id, GRE's key, or the port of VXLAN.
        source: Where it comes from; at the hook `output`, where it goes to.
        interface: By which interface it comes in or goes out.
        family: 4 or 6.
        headers: IPv6: what its headers announce, in their order.
        has_options: IPv4: whether its header is longer than usual.
        is_in_ipsec: Whether IPsec carries it.
        inner_type: Type of the frame inside.
        kind: How the frame is inside.
        source_port: Of VXLAN.
    """

    session: int
    source: str
    interface: str
    family: int = 4
    headers: tuple[int, ...] = (L2TP,)
    has_options: bool = False
    is_in_ipsec: bool = False
    inner_type: int = 0x0800
    kind: Encapsulation = Encapsulation.L2TPV3
    source_port: int = 950

    def field(self, bit: int, length: int) -> int | None:
        """Return what lies so many bits behind the beginning of the IP header; None for what is not known."""
        if self.kind is Encapsulation.GRE:
            return {(192 + (32 if self.has_options else 0), 32): self.session}.get((bit, length))
        start = 160 + (32 if self.has_options else 0) if self.family == 4 else 320 + 64 * (len(self.headers) - 1)
        return {(start, 32): self.session, (start + 224, 16): self.inner_type}.get((bit, length))


Match = Callable[[Packet, re.Match[str]], bool]


def _numbers(text: str) -> set[int]:
    return {int(one, 0) for one in re.findall(r"0x[0-9a-f]+|\d+", text)}


def _is(value: int | None, word: str, numbers: str) -> bool:
    return value is not None and (value in _numbers(numbers)) != bool(word)


_SET = r"(?P<not>!= )?(?P<set>\{[^}]*\}|\d+)"
_MATCHES: tuple[tuple[str, Match], ...] = (
    (rf"ip protocol {_SET}", lambda one, m: one.family == 4 and _is(PROTOCOLS[one.kind], m["not"], m["set"])),
    (r"ip hdrlength > 5", lambda one, _m: one.family == 4 and one.has_options),
    (rf"ip6 nexthdr {_SET}", lambda one, m: one.family == 6 and _is(one.headers[0], m["not"], m["set"])),
    (
        rf"frag nexthdr {_SET}",
        lambda one, m: one.family == 6 and one.headers[0] == 44 and _is(one.headers[1], m["not"], m["set"]),
    ),
    (r"meta l4proto 115", lambda one, _m: one.headers[-1] == L2TP),
    (
        rf"@nh,(?P<bit>\d+),(?P<length>\d+) {_SET}",
        lambda one, m: _is(one.field(int(m["bit"]), int(m["length"])), m["not"], m["set"]),
    ),
    (r"ip saddr != (?P<address>\S+)", lambda one, m: one.family == 4 and one.source != m["address"]),
    (r"ip daddr (?P<address>\S+)", lambda one, m: one.family == 4 and one.source == m["address"]),
    (r"udp dport (?P<port>\d+)", lambda one, m: one.kind is Encapsulation.VXLAN and one.session == int(m["port"])),
    (r"udp sport > (?P<port>\d+)", lambda one, m: one.source_port > int(m["port"])),
    (r"(?:rt|meta) ipsec missing", lambda one, _m: not one.is_in_ipsec),
    (r'[io]ifname != "(?P<name>[^"]+)"', lambda one, m: one.interface != m["name"]),
)


@dataclass(frozen=True)
class Table:
    """A firewall table.

    Attributes:
        name: Family and name.
        hooks: Hook by chain.
        rules: Chain and words of each rule.
    """

    name: str
    hooks: dict[str, str]
    rules: tuple[tuple[str, str], ...]

    def drops(self, packet: Packet, hook: str) -> bool:
        """Whether it drops a packet at a hook (`input` or `output`)."""
        return any(self.hooks[chain] == hook and _drops(rule, packet) for chain, rule in self.rules)


def _drops(rule: str, packet: Packet) -> bool:
    rest = rule
    while rest != "counter drop":
        for pattern, holds in _MATCHES:
            found = re.match(pattern + r" ", rest)
            if found is not None:
                if not holds(packet, found):
                    return False
                rest = rest[found.end() :]
                break
        else:
            raise AssertionError(f"a match that is not known: {rest}")
    return True


def table_of(step: PlanStep, folder: Path) -> Table:
    """Run a step's command with a program in nft's place, and return the one table that it makes.

    Raises:
        AssertionError: It does not make one table from nothing.
    """
    return parse_table(reported(step.command.argv, folder))


def reported(argv: Sequence[str], folder: Path) -> str:
    """Run a command with programs that record nft's arguments and stdin; nothing else is done."""
    folder.mkdir(exist_ok=True)
    noted = folder / "noted"
    noted.write_text("")
    for name in ("modprobe", "ip"):
        (folder / name).write_text("#!/bin/sh\nexit 0\n")
    (folder / "nft").write_text(f'#!/bin/sh\necho "nft $*" >> {noted}\n[ "$1" != -f ] || cat >> {noted}\n')
    for name in ("modprobe", "ip", "nft"):
        (folder / name).chmod(0o755)
    subprocess.run(
        argv, env={"PATH": f"{folder}:/usr/bin:/bin"}, capture_output=True, stdin=subprocess.DEVNULL, check=True
    )
    return noted.read_text()


def parse_table(text: str) -> Table:
    """Read what nft was given."""
    lines = [line for line in text.splitlines() if line != "nft -f -"]
    (name,) = [line.removeprefix("create table ") for line in lines if line.startswith("create table ")]
    hooks: dict[str, str] = {}
    rules: list[tuple[str, str]] = []
    for line in lines:
        if line.startswith("create table "):
            continue
        chain = re.fullmatch(rf"add chain {name} (\w+) {{ type filter hook (\w+) priority 0; policy accept; }}", line)
        rule = re.fullmatch(rf"add rule {name} (\w+) (.+)", line)
        if chain is not None:
            hooks[chain[1]] = chain[2]
        elif rule is not None:
            rules.append((rule[1], rule[2]))
        else:
            raise AssertionError(f"a line that is not known: {line}")
    return Table(name, hooks, tuple(rules))
