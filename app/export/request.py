"""Request for an export."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from app.deployment.choice import refuse_never_deployed
from app.deployment.deployment_steps import DeploymentSteps
from app.deployment.lan.bridge import Bridging
from app.deployment.lan.guard import LanGuard
from app.deployment.slots import bridge_name, persistent_link, slot_of
from app.domain.adapters import Adapter, PlanRequest, Purpose
from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidPlan
from app.domain.hosts import HostFacts, PairSpec, Side
from app.domain.link import Link
from app.domain.messages import mark
from app.domain.messages.words import VERDICTS
from app.domain.solutions import Suite
from app.domain.verdicts import Finding, Verdict
from app.export.messages import (
    DERIVED_SECRET,
    EXPORT_FORBIDDEN,
    EXPORT_NO_SUCH_PORT,
    NO_NFT,
    PORT_CARRIES_SSH,
    PORT_CARRIES_UNDERLAY,
    SHARED_SECRET,
)
from app.tunnel import DeployRequest


@dataclass(frozen=True)
class ExportRequest:
    """Inputs of an export for one pair.

    Attributes:
        pair: The hosts.
        adapter: The VPN.
        suite: One of the suites that the adapter offered for these hosts.
        link: Outer addresses and MTU.
        facts_a: Facts about A.
        facts_b: Facts about B.
        options: LAN ports, addresses, why a legacy suite is used.
        verdict: The policy's verdict on the suite.
        findings: Reasons for the verdict.
        facts_from: Source of the facts, as a sentence.
        index: Number of the slot on these hosts, see `app.deployment.slots`.
        header: Comment lines, without sign, that generated files begin with.
        version: Tunnelmark's version.
        present_bridges: Sides where what the tunnel is joined with is a bridge already.
        path_from: Source of the path's MTU, as a sentence; empty where it was neither measured nor given.
    """

    pair: PairSpec
    adapter: Adapter
    suite: Suite
    link: Link
    facts_a: HostFacts
    facts_b: HostFacts
    options: DeploymentOptions
    verdict: Verdict
    findings: tuple[Finding, ...]
    facts_from: str
    index: int
    header: tuple[str, ...]
    version: str
    present_bridges: frozenset[Side] = frozenset()
    path_from: str = ""

    def facts(self, side: Side) -> HostFacts:
        """Return what was found on one side."""
        return self.facts_a if side is Side.A else self.facts_b

    @property
    def slot(self) -> str:
        """The pair's place on its hosts."""
        return slot_of(self.pair)

    @property
    def deployment_id(self) -> str:
        """Name of the deployment: the same whenever the same is asked for, so that it can be brought up to date."""
        return self._digest("deployment")

    @property
    def mark(self) -> str:
        """Tag that the tunnel's processes carry in their environment."""
        return self._digest("mark")

    @property
    def title(self) -> str:
        """Solution and suite for people."""
        return f"{self.adapter.info.title}, {self.suite.title}"

    def deploy_request(self) -> DeployRequest:
        """Return the request that a deployment would be made with."""
        link = persistent_link(
            self.link,
            self.deployment_id,
            self.index,
            inner_a=self.options.inner_a,
            inner_b=self.options.inner_b,
        )
        bridging = {side: self._bridging(side, link) for side in Side if self.options.bridge(side)}
        return DeployRequest(
            pair=self.pair,
            adapter=self.adapter,
            suite=self.suite,
            link=link,
            facts_a=self.facts_a,
            facts_b=self.facts_b,
            header=self.header,
            purpose=Purpose.DEPLOYMENT,
            keepalive=self.options.keepalive,
            extension=DeploymentSteps("", bridging, self.options.fits_path_mtu),
        )

    def _bridging(self, side: Side, link: Link) -> Bridging:
        port = self.options.bridge(side)
        guard = LanGuard.of(self.options) if "nft" in self.facts(side).tools else None
        return Bridging(port if side in self.present_bridges else bridge_name(link), port, guard=guard)

    def _digest(self, what: str) -> str:
        words = (
            what,
            self.slot,
            str(self.index),
            self.adapter.info.name,
            self.suite.name,
            self.options.bridge_a,
            self.options.bridge_b,
            self.options.inner_a,
            self.options.inner_b,
            *_chosen_words(self.options),
        )
        return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def _chosen_words(options: DeploymentOptions) -> list[str]:
    """Return what was chosen otherwise than by default: an earlier export of the same keeps its name."""
    fields = ("broadcast_limit", "blocks_dhcp", "blocks_router_advertisements", "keepalive", "fits_path_mtu")
    defaults = DeploymentOptions()
    return [f"{one}={getattr(options, one)}" for one in fields if getattr(options, one) != getattr(defaults, one)]


def default_suite(adapter: Adapter, link: Link, facts_a: HostFacts, facts_b: HostFacts) -> Suite | None:
    """Return the best suite that can be exported, the safe default if it can be; None where there is none.

    A key that both hosts derive from each other's values takes more exchanges than an export has.
    """
    for suite in sorted(adapter.suites(facts_a, facts_b), key=lambda one: not one.is_default):
        asked = PlanRequest(link, suite, facts_a, facts_b)
        if not any(adapter.identity(asked, side).encapsulated for side in Side):
            return suite
    return None


def check_request(request: ExportRequest) -> None:
    """Refuse what must not or cannot be exported.

    Raises:
        InvalidPlan: The VPN is never deployed, the suite is insecure or unprotected or needs a secret that both hosts
            share or derive, or a LAN port is none.
    """
    info = request.adapter.info
    refuse_never_deployed(request.title, request.suite, info)
    if request.verdict in (Verdict.INSECURE, Verdict.UNPROTECTED):
        raise InvalidPlan(EXPORT_FORBIDDEN(title=request.title, verdict=VERDICTS[request.verdict]()))
    for side in Side:
        _check_lan_port(request, side)
        recipe = request.adapter.identity(request.deploy_request().plan_request(), side)
        if recipe.shared:
            raise InvalidPlan(SHARED_SECRET(title=info.title))
        if recipe.encapsulated:
            raise InvalidPlan(DERIVED_SECRET(title=request.title))


def _check_lan_port(request: ExportRequest, side: Side) -> None:
    port = request.options.bridge(side)
    if not port:
        return
    host = request.pair.host(side)
    nic = next((one for one in request.facts(side).nics if one.name == port), None)
    if nic is None:
        known = ", ".join(one.name for one in request.facts(side).nics if one.name != "lo")
        raise InvalidPlan(EXPORT_NO_SUCH_PORT(host=host.label, port=port, known=known or mark("none")))
    addresses = {address.partition("/")[0] for address in nic.addresses}
    if request.pair.underlay(side) in addresses:
        raise InvalidPlan(
            PORT_CARRIES_UNDERLAY(port=port, host=host.label, address=request.pair.underlay(side)),
        )
    options = request.options
    if (options.blocks_dhcp or options.blocks_router_advertisements) and "nft" not in request.facts(side).tools:
        raise InvalidPlan(
            NO_NFT(host=host.label),
        )
    if host.address in addresses:
        raise InvalidPlan(PORT_CARRIES_SSH(host=host.label, port=port, address=host.address))
