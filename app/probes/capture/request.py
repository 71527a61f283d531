"""Request for the packet captures of a tunnel, and what its hosts lack for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.adapters import TunnelPlan
from app.domain.commands import SessionPair
from app.domain.hosts import HostFacts, Privilege, Side, ToolFlavour
from app.domain.link import Link
from app.domain.messages import sentences
from app.domain.packages import package_for
from app.probes.capture.messages import NO_MARKING_PING, NO_ROOT_TO_CAPTURE, NO_TCPDUMP


@dataclass(frozen=True, slots=True)
class CaptureTestsRequest:
    """Inputs of the packet tests.

    Attributes:
        link: What the tunnel is built on.
        plan: What was built.
        facts: What was found on the hosts, by `a` and `b`.
        frame_bytes: Frame sizes whose cost is measured; of the largest one, whether it crosses, where it is brief.
        is_unprotected: Whether it has no cryptography on purpose.
        is_stream: Whether the carrier is TCP.
        is_brief: Whether this is enough: leaks, breakages, the frame sizes, and whether the largest of them crosses.
    """

    link: Link
    plan: TunnelPlan
    facts: Mapping[str, HostFacts]
    frame_bytes: tuple[int, ...]
    is_unprotected: bool
    is_stream: bool
    is_brief: bool = False


def missing_for_capture(sessions: SessionPair, facts: Mapping[str, HostFacts]) -> str:
    """Return what both hosts lack for captures, as sentences with the remedy; empty if nothing."""
    found: list[str] = []
    for host, own in ((sessions.a, facts[Side.A.value]), (sessions.b, facts[Side.B.value])):
        label = host.spec.label
        if host.privilege is Privilege.NONE:
            found.append(NO_ROOT_TO_CAPTURE(host=label))
        tcpdump, ping = own.tools.get("tcpdump"), own.tools.get("ping")
        if tcpdump is None or tcpdump.flavour is ToolFlavour.MISSING:
            package = package_for("tcpdump", own.package_manager) or "tcpdump"
            found.append(NO_TCPDUMP(host=label, package=package))
        if ping is None or ping.flavour is not ToolFlavour.IPUTILS:
            package = package_for("ping", own.package_manager) or "iputils"
            found.append(NO_MARKING_PING(host=label, package=package))
    return sentences(found)
