"""Verdicts of deployments: some need a reason, some are never deployed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from app.deployment.planning import DeploymentChoice, choose
from app.discovery.pair_discovery import Discovery
from app.domain.deployment import RolloutOptions
from app.domain.errors import InvalidPlan
from app.domain.hosts import HostFacts, Side
from app.domain.solutions import Suite
from app.domain.verdicts import Verdict
from support.deploy_world import made_up_facts
from support.made_up_vpn import MadeUpVpn


class Vpn(MadeUpVpn):
    """A VPN whose only suite has one algorithm."""

    algorithm = ""

    def suites(self, _a: HostFacts, _b: HostFacts) -> tuple[Suite, ...]:
        return (Suite("only", "Only", algorithms=(self.algorithm,), is_default=True),)


def chosen(algorithm: str, reason: str) -> DeploymentChoice:
    vpn = Vpn()
    vpn.algorithm = algorithm
    checks = (SimpleNamespace(facts=made_up_facts(side)) for side in Side)
    discovery = cast(
        "Discovery", SimpleNamespace(**dict(zip("ab", checks, strict=True)), unavailable={}, candidates=())
    )
    name = vpn.info.name
    return choose({name: vpn}, discovery, (name, ""), RolloutOptions(legacy_reason=reason), guidelines=())


@pytest.mark.parametrize(("algorithm", "verdict"), [("ROT13-XYZ", Verdict.UNKNOWN), ("AES-256-CBC", Verdict.LEGACY)])
def test_what_is_unknown_or_legacy_stays_only_with_a_reason(algorithm: str, verdict: Verdict) -> None:
    for reason in ("", "  "):
        with pytest.raises(InvalidPlan, match=f"is {verdict}: it is deployed only with a reason"):
            chosen(algorithm, reason)
    assert chosen(algorithm, "until May").verdict is verdict


def test_what_is_insecure_never_stays() -> None:
    with pytest.raises(InvalidPlan, match="is insecure and is never deployed"):
        chosen("BF-CBC", "until May")
