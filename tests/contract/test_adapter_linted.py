"""Files of the adapters pass the linter: Tunnelmark finds no fault with its own configurations."""

from __future__ import annotations

import pytest

from app.domain.adapters import Adapter
from app.domain.hosts import Side
from app.domain.linting import LintFinding
from app.domain.solutions import Suite
from app.domain.verdicts import FindingQuestion, Verdict
from app.linting.files import LintOptions, lint_bytes
from support.adapter_cases import FORMER, OWN_PLATFORMS, PPP_IN_STREAMS, default_cases, platforms, request
from vpn_adapters.config_formats import sniff_kind

UNAVOIDABLE = {
    "tinc": {
        "experimentalprotocol",
        "cipher",
        "rsa public key",
    },  # tinc 1.0's protocol, which the solution itself names
    "openvpn-udp": {"tls-crypt"},  # OpenVPN 2.5 knows no fingerprints: the peer's own certificate is the authority
    "openvpn-tcp": {"tls-crypt"},
    **{name: {"noauth"} for name in PPP_IN_STREAMS},  # what carries PPP has authenticated both hosts
    "stunnel": {"noauth", "exec"},  # it starts pppd, which is what the solution is
}
"""Settings of a solution that a linter finds fault with, and why they are kept; none of them is more than outdated."""

CASES = [(platform, *case) for platform in (*platforms(), *OWN_PLATFORMS) for case in default_cases(platform, platform)]


def faults(platform: str, adapter: Adapter, suite: Suite) -> list[tuple[str, LintFinding]]:
    plan = adapter.plan(request(adapter, suite, platform=platform))
    return [
        (file.path, finding)
        for side in Side
        for file in plan.on(side).files
        if sniff_kind(file.content.decode(), file.path) is not None
        for finding in lint_bytes(file.content, file.path, LintOptions()).findings
        if finding.question in (FindingQuestion.INSECURE, FindingQuestion.MISSING)
    ]


@pytest.mark.parametrize(
    ("platform", "adapter", "suite"),
    CASES,
    ids=[f"{platform}-{adapter.info.name}-{suite.name}" for platform, adapter, suite in CASES],
)
def test_own_configurations_pass(platform: str, adapter: Adapter, suite: Suite) -> None:
    found = faults(platform, adapter, suite)
    if adapter.info.name in FORMER - PPP_IN_STREAMS:
        assert Verdict.INSECURE in {one.verdict for _, one in found}
        return
    known = UNAVOIDABLE.get(adapter.info.name, set())
    assert [one for one in found if one[1].setting.lower() not in known] == []
    assert all(one.verdict is Verdict.LEGACY for _, one in found)
