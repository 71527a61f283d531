"""Clamp of TCP's MSS: a firewall table of our own, with which no TCP segment through the tunnel is fragmented outside.

On a joined LAN frames are bridged, so that the table is of family `bridge`; otherwise the host routes, and it is of
family `inet`. On a joined LAN full-size frames of anything else still cross, fragmented; see `tunnel_mtu` for others.

Source: nft(8) of nftables 0.9.8, 1.0.6 and 1.1.3 (`tcp option maxseg size set`); RFC 4459 section 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.deployment.choice import DeploymentChoice
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard_choice import why_refused
from app.deployment.lan.messages import (
    ANOTHER_SUITE,
    CLAMP_TITLE,
    FITTED,
    HAS_NO_NFT,
    INSTALL_NFT,
    INSTALL_PING,
    MTU_UNKNOWN,
    NO_CLAMP,
    NO_CLAMP_NFT,
    NO_CLAMP_TABLE,
    OR_MTU_1500,
    OVERHEAD_UNKNOWN,
    OWN_TABLE,
)
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import EndpointPlan, PlanStep, TunnelPlan, root_command
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.deployment import DeploymentObstacle
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.frame_fit import FrameFit, frame_fit
from app.domain.hosts import Side
from app.domain.link import VLAN_TAG_BYTES, Link
from app.domain.messages import Message, sentences
from app.domain.script_files import bare_script
from app.domain.solutions import Carrier

_CHECK_TABLE = "tunnelmark_mss_check"
_CHECK_MSS = ("1360", "1340")
"""Any numbers do: what a plan's are is not known before its keys are."""


@dataclass(frozen=True, slots=True)
class MssClamp:
    """Firewall table of one host that clamps the MSS.

    Attributes:
        fit: Sizes that are not fragmented.
        is_bridged: Whether the tunnel is a port of a bridge.
    """

    fit: FrameFit
    is_bridged: bool

    @classmethod
    def of(cls, plan: TunnelPlan, *, is_bridged: bool) -> MssClamp | None:
        """Return what a tunnel needs; None where nothing of it is fragmented.

        Devices of a joined LAN may send VLAN tags, for which there is room.
        """
        tag_bytes = VLAN_TAG_BYTES if is_bridged else 0
        fit = frame_fit(plan.largest_unfragmented_frame_bytes, plan.inner_mtu_bytes, tag_bytes=tag_bytes)
        return None if fit is None else cls(fit, is_bridged)

    def step(self, interface: str, link: Link) -> PlanStep:
        """Return the step that makes the table, which goes before the tunnel's own.

        Args:
            interface: The interface with the tunnel's frames; it need not be there yet.
        """
        family, table = _family(is_bridged=self.is_bridged), clamp_table(link)
        mss = str(self.fit.mss_ipv4_bytes), str(self.fit.mss_ipv6_bytes)
        return PlanStep(
            title=_title(self.fit.mss_ipv4_bytes, self.fit.mss_ipv6_bytes),
            command=lan_command("lan/clamp.sh", family, table, interface, *mss),
            undo=lan_command("lan/unclamp.sh", family, table),
            health_check=lan_command("lan/clamp-healthy.sh", family, table, interface, *mss),
            is_repeatable=True,
        )


def clamp_table(link: Link) -> str:
    """Return the name of the table on both hosts."""
    return f"tunnelmark_mss_{link.names.ethernet_interface}"


def clamp_title(own: EndpointPlan, link: Link) -> str:
    """Return to what one side of a plan clamps the MSS, as a sentence; empty where it does not."""
    return next((step.title for step in own.steps if clamp_table(link) in step.command.argv), "")


def clamp_words(own: EndpointPlan, link: Link) -> tuple[str, ...]:
    """Return the arguments with which one side of a plan makes the table; empty where it makes none."""
    table = clamp_table(link)
    argv = next((step.command.argv for step in own.steps if table in step.command.argv), ())
    return argv[argv.index(table) - 1 :] if argv else ()


def clamp_text(host: EndpointStatus, deployed: str) -> str:
    """Return to what a host clamps the MSS, as a sentence; empty where it does not.

    Args:
        host: The host as it was found.
        deployed: The sentence of its deployment, for where the host does not say.
    """
    if host.clamp is None:
        return deployed if host.deployment_id or not host.is_reachable else ""
    if not host.clamp.is_there:
        return ""
    found = _title(host.clamp.mss_ipv4_bytes, host.clamp.mss_ipv6_bytes)
    return _with_mtu_of(deployed, found) if host.deployment_id else found


def _with_mtu_of(deployed: str, clamp: str) -> str:
    """Return a sentence on the MSS with the MTU that a deployment set, if it did."""
    if isinstance(deployed, Message) and deployed.code == FITTED.code:
        return FITTED(clamp=clamp, mtu=deployed.data["mtu"])
    return clamp


def clamp_texts(found: PairStatus) -> Iterator[str]:
    """Yield where TCP should be fitted to the path and is not, and what to do."""
    for host in (found.a, found.b):
        if host.clamp is not None and not host.clamp.is_there:
            if host.clamp.has_nft:
                yield NO_CLAMP_TABLE(host=host.label)
            else:
                yield sentences((NO_CLAMP_NFT(host=host.label), INSTALL_NFT()))


def _title(mss_ipv4_bytes: int, mss_ipv6_bytes: int) -> str:
    return OWN_TABLE(title=CLAMP_TITLE(ipv4=mss_ipv4_bytes, ipv6=mss_ipv6_bytes))


def clamp_obstacles(
    sessions: SessionPair,
    discovery: Discovery,
    choice: DeploymentChoice,
    plan: TunnelPlan,
    link: Link,
    bridging: Mapping[Side, Bridging],
    *,
    token: CancelToken,
) -> Iterator[DeploymentObstacle]:
    """Yield why the MSS cannot be clamped, by a host or at all, where it would be. Changes nothing.

    Args:
        choice: The VPN and its suite.
        plan: With all steps of the deployment.
        bridging: What each end is joined with.
    """
    if plan.largest_unfragmented_frame_bytes is None and choice.adapter.info.carrier is not Carrier.TCP:
        # Not a stream, which has no fragments: the suite's arithmetic is unknown.
        hint = sentences((ANOTHER_SUITE(), OR_MTU_1500()))
        yield DeploymentObstacle(None, OVERHEAD_UNKNOWN(title=choice.title), hint, is_blocking=True)
        return
    if not discovery.is_mtu_probed:
        yield DeploymentObstacle(None, MTU_UNKNOWN(), sentences((INSTALL_PING(), OR_MTU_1500())), is_blocking=True)
        return
    for side, session, check in ((Side.A, sessions.a, discovery.a), (Side.B, sessions.b, discovery.b)):
        if not clamp_title(plan.on(side), link):
            continue
        family = _family(is_bridged=side in bridging)
        why = _why_not(session, family, link, token=token) if "nft" in check.facts.tools else HAS_NO_NFT()
        if why:
            yield DeploymentObstacle(
                side,
                NO_CLAMP(host=discovery.pair.host(side).label, why=why),
                sentences((INSTALL_NFT(), OR_MTU_1500())),
                is_blocking=True,
            )


def _why_not(session: HostSession, family: str, link: Link, *, token: CancelToken) -> str:
    words = (family, _CHECK_TABLE, link.names.ethernet_interface, *_CHECK_MSS, "-c")
    return why_refused(session.run(lan_command("lan/clamp-check.sh", *words), token=token))


def _family(*, is_bridged: bool) -> str:
    return "bridge" if is_bridged else "inet"


def lan_command(script: str, *words: str) -> Command:
    """Return the command that runs a script of ours which fits a tunnel to its path."""
    return root_command(bare_script(script), *words, timeout_s=10.0)
