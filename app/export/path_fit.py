"""Fit of TCP to the path in an export: refused where it is not known what fits, and what the README says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC

from app.deployment.lan.clamp import clamp_title, clamp_words
from app.deployment.lan.messages import ANOTHER_SUITE, HAS_NO_NFT, NO_CLAMP, OVERHEAD_UNKNOWN
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import TunnelPlan
from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.hosts import Side
from app.domain.link import ICMP_HEADER_BYTES, IPV4_HEADER_BYTES, Link
from app.domain.messages import sentences
from app.domain.solutions import Carrier
from app.export.messages import (
    INSTALL_NFT_FIRST,
    OR_WITHOUT_FIT,
    PATH_MTU_GIVEN,
    PATH_MTU_MEASURED,
    PATH_MTU_RANGE,
    PATH_MTU_UNKNOWN,
)
from app.export.request import ExportRequest
from app.probes.path_mtu import SMALLEST_MTU_BYTES


def path_of(discovery: Discovery, given_bytes: int | None) -> tuple[Link, str]:
    """Return the link with the MTU of its path, and where that comes from, as a sentence; empty where it is unknown.

    Args:
        discovery: What is known of the pair.
        given_bytes: The MTU that the user gave; None: the measured one.

    Raises:
        InvalidOption: No packet of that size crosses the hosts' interfaces, or smaller ones have to.
    """
    link = discovery.link
    if given_bytes is not None:
        most = min(_interface_mtu(discovery, side) for side in Side)
        if not SMALLEST_MTU_BYTES <= given_bytes <= most:
            raise InvalidOption(PATH_MTU_RANGE(least=SMALLEST_MTU_BYTES, most=most))
        return replace(link, underlay_mtu_bytes=given_bytes), PATH_MTU_GIVEN(mtu=given_bytes)
    if not discovery.is_mtu_probed:
        return link, ""
    moment = min(discovery.a.facts.collected_at, discovery.b.facts.collected_at).astimezone(UTC)
    day, time = f"{moment:%Y-%m-%d}", f"{moment:%H:%M}"
    return link, PATH_MTU_MEASURED(mtu=link.underlay_mtu_bytes, day=day, time=time)


def _interface_mtu(discovery: Discovery, side: Side) -> int:
    """Return the MTU of the interface with a host's underlay address."""
    address = discovery.link.underlay(side)
    nics = discovery.facts[side.value].nics
    return next(nic.mtu_bytes for nic in nics for text in nic.addresses if text.partition("/")[0] == address)


def check_fit(request: ExportRequest, plan: TunnelPlan, link: Link) -> None:
    """Refuse to fit TCP to a path where it is not known what fits, or where a host cannot.

    Raises:
        InvalidPlan: The VPN's overhead or the path's MTU is not known, or a host has no nft.
    """
    if not request.options.fits_path_mtu:
        return
    if plan.largest_unfragmented_frame_bytes is None and request.adapter.info.carrier is not Carrier.TCP:
        hint = sentences((ANOTHER_SUITE(), OR_WITHOUT_FIT()))
        raise InvalidPlan(OVERHEAD_UNKNOWN(title=request.title), hint=hint)
    if not request.path_from:
        raise InvalidPlan(PATH_MTU_UNKNOWN())
    for side in Side:
        if clamp_title(plan.on(side), link) and "nft" not in request.facts(side).tools:
            host = request.pair.host(side).label
            hint = sentences((INSTALL_NFT_FIRST(), OR_WITHOUT_FIT()))
            raise InvalidPlan(NO_CLAMP(host=host, why=HAS_NO_NFT()), hint=hint)


def clamps_of(plan: TunnelPlan, link: Link) -> Mapping[Side, Mapping[str, str]]:
    """Return how each host shows its table that clamps the MSS, and the sizes in it; without hosts that have none."""
    found = {}
    for side in Side:
        if words := clamp_words(plan.on(side), link):
            family, table, _interface, ipv4, ipv6 = words
            found[side] = {"command": f"nft list table {family} {table}", "mss4": ipv4, "mss6": ipv6}
    return found


def path_checks(link: Link, side: Side) -> Iterator[str]:
    """Yield two commands for a host: a packet of the path's MTU, which its peer answers, and one larger by a byte."""
    payload = link.underlay_mtu_bytes - IPV4_HEADER_BYTES - ICMP_HEADER_BYTES
    for size in (payload, payload + 1):
        yield f"ping -M do -c 1 -W 2 -s {size} {link.underlay(side.other)}"
