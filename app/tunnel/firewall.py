"""Steps that open a host's firewall for what a VPN needs, by the tool that owns it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import partial

from app.domain.adapters import PlanStep, shell_step_argv
from app.domain.commands import Command
from app.domain.firewall import PORT_PROTOCOLS, PROTOCOL_NUMBERS, Opening, Owner
from app.domain.script_files import bare_script
from app.tunnel.messages import OPEN_FIREWALL

# Each opens a host's firewall for one kind of packets, closes it again, and checks the opening. They need POSIX sh, or
# BusyBox, and awk. Source: nft(8) of nftables 0.9.8 and 1.0.6, iptables(8) 1.8.9, firewalld.richlanguage(5), ufw(8).
TABLES_SCRIPT = bare_script("firewall/tables.sh")
FIREWALLD_SCRIPT = bare_script("firewall/firewalld.sh")
UFW_SCRIPT = bare_script("firewall/ufw.sh")

TIMEOUT_S = 30.0
_TAG = re.compile(r"[A-Za-z0-9_-]{1,32}")
_LOWEST_PRIORITY = 32_768
"""Priorities of rich rules are from -32768 to 32767. Source: firewalld.richlanguage(5)."""


def opening_steps(
    owner: Owner, openings: Mapping[Opening, Sequence[str]], *, tag: str, interface: str
) -> tuple[PlanStep, ...]:
    """Return one step for each opening.

    Args:
        owner: The tool that owns the host's firewall; without one there is nothing to open.
        openings: What has to be accepted, each with the chains of nftables that drop it (`Firewall.places`): no other
            one is opened.
        tag: Name of the tunnel or deployment, part of the comment by which the rules are found again.
        interface: Interface of the underlay, by which packets arrive for which an opening names no other one.

    Raises:
        ValueError: The tag has other characters than letters, digits, `-` and `_`, or more than 32.
    """
    check_tag(tag)
    if owner is Owner.NONE:
        return ()
    return tuple(_step(owner, opening, places, tag, interface) for opening, places in openings.items())


def check_tag(tag: str) -> None:
    """Refuse a tag that could be more than a word of a comment.

    Raises:
        ValueError: It has other characters than letters, digits, `-` and `_`, or more than 32.
    """
    if not _TAG.fullmatch(tag):
        raise ValueError(f"{tag!r} is not a tag for rules of a firewall")


def comment_of(opening: Opening, tag: str) -> str:
    """Return the comment of an opening's rules."""
    return f"tunnelmark {tag} {opening.words}"


def rich_rule(opening: Opening, tag: str) -> str:
    """Return an opening as firewalld prints it; its priority, which depends on the tag, makes it our own."""
    priority = -1 - zlib.crc32(tag.encode()) % _LOWEST_PRIORITY
    start = f'rule priority="{priority}" family="ipv4" source address="{opening.source}"'
    if opening.protocol in PORT_PROTOCOLS:
        return f'{start} port port="{opening.port}" protocol="{opening.protocol}" accept'
    # Not every system has a name for every protocol.
    return f'{start} protocol value="{PROTOCOL_NUMBERS[opening.protocol]}" accept'


def _in_nftables(opening: Opening) -> str:
    """Return the end of the rule that firewalld makes of an opening, as a regular expression on a line of nft."""
    if opening.protocol in PORT_PROTOCOLS:
        return f"{opening.protocol} dport {opening.port} accept"
    # Without a name for a protocol, nft prints its number.
    return f"(l4proto|protocol) ({opening.protocol}|{PROTOCOL_NUMBERS[opening.protocol]}) accept"


def _step(owner: Owner, opening: Opening, places: Sequence[str], tag: str, interface: str) -> PlanStep:
    argv = partial(_argv, owner, opening, ",".join(places), tag, interface)
    return PlanStep(
        title=OPEN_FIREWALL(opening=opening.words),
        command=Command(argv("open"), timeout_s=TIMEOUT_S, is_root=True),
        undo=Command(argv("close"), timeout_s=TIMEOUT_S, is_root=True),
        health_check=Command(argv("check"), timeout_s=TIMEOUT_S, is_root=True),
        is_repeatable=True,
    )


def _argv(owner: Owner, opening: Opening, places: str, tag: str, interface: str, action: str) -> tuple[str, ...]:
    arrives_by = opening.interface or interface
    if owner is Owner.FIREWALLD:
        accepted = _in_nftables(opening)
        return shell_step_argv(FIREWALLD_SCRIPT, action, rich_rule(opening, tag), arrives_by, opening.source, accepted)
    script = UFW_SCRIPT if owner is Owner.UFW else TABLES_SCRIPT
    number = str(PROTOCOL_NUMBERS[opening.protocol])
    words = (comment_of(opening, tag), opening.protocol, number, str(opening.port), opening.source, arrives_by, places)
    return shell_step_argv(script, action, *words)
