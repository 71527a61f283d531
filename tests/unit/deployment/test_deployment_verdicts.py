"""Verdicts of deployments: some need a reason, some are never deployed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from app.deployment.choice import DeploymentChoice, choose
from app.deployment.messages import REASON_MISSING, VERDICT_FORBIDS
from app.deployment.planning import RequestedDeployment, plan_deployment
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidPlan
from app.domain.hosts import HostFacts, Side
from app.domain.messages.words import VERDICTS
from app.domain.solutions import Suite
from app.domain.verdicts import Verdict
from support.deploy_world import made_up_facts
from support.made_up_vpn import MadeUpVpn
from support.message_checks import has_message


class Vpn(MadeUpVpn):
    """A VPN whose only suite has one algorithm."""

    algorithm = ""

    def suites(self, _a: HostFacts, _b: HostFacts) -> tuple[Suite, ...]:
        return (Suite("only", "Only", algorithms=(self.algorithm,), is_default=True),)


def discovered() -> Discovery:
    checks = (SimpleNamespace(facts=made_up_facts(side)) for side in Side)
    found = SimpleNamespace(**dict(zip("ab", checks, strict=True)), unavailable={}, candidates=())
    return cast("Discovery", found)


def chosen(algorithm: str, reason: str) -> DeploymentChoice:
    vpn = Vpn()
    vpn.algorithm = algorithm
    name = vpn.info.name
    return choose({name: vpn}, discovered(), (name, ""), DeploymentOptions(legacy_reason=reason), guidelines=())


@pytest.mark.parametrize(("algorithm", "verdict"), [("ROT13-XYZ", Verdict.UNKNOWN), ("AES-256-CBC", Verdict.LEGACY)])
def test_what_is_unknown_or_legacy_remains_only_with_a_reason(algorithm: str, verdict: Verdict) -> None:
    for reason in ("", "  "):
        with pytest.raises(InvalidPlan, check=has_message(REASON_MISSING, verdict=VERDICTS[verdict]())):
            chosen(algorithm, reason)
    assert chosen(algorithm, "until May").verdict is verdict


def test_what_is_insecure_never_remains() -> None:
    with pytest.raises(InvalidPlan, check=has_message(VERDICT_FORBIDS, verdict=VERDICTS[Verdict.INSECURE]())):
        chosen("BF-CBC", "until May")


@pytest.mark.parametrize("key", [("none-such", ""), (Vpn().info.name, "none-such"), (Vpn().info.name, "")])
def test_refusal_comes_before_any_login(key: tuple[str, str]) -> None:
    vpn = Vpn()
    vpn.algorithm = "BF-CBC"
    options, adapters = DeploymentOptions(legacy_reason="until May"), {vpn.info.name: vpn}
    wanted = RequestedDeployment(discovered(), key, options, adapters, (), lambda: pytest.fail("nothing is read"), ())
    with pytest.raises(InvalidPlan):
        plan_deployment(wanted, lambda: pytest.fail("no host is connected"), token=CancelToken())
