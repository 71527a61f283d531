"""Overview of 2004: what was printed, today's verdicts, and successors that there are."""

from __future__ import annotations

import pytest

from app.domain.verdicts import Verdict
from app.policy.lint import rule_sets
from app.policy.overview import OVERVIEW, Carries, OverviewSystem, State, overview_systems
from app.policy.replacing import ANOTHER_VPN
from vpn_adapters.registry import ADAPTERS

SYSTEMS = {one.published.name: one for one in overview_systems()}

BY_HAND = {
    "PPP_over_SSH": 10 * (1 + 18 + 9),
    "Stunnel": 10 * (18 + 18 + 1),
    "AmritaVPN": 10 * (18 + 1),
    "LinVPN": 10 * (18 + 18 + 1),
    "Vpnd": 10 * (18 + 9),
    "Htun": 10 * (18 + 18 + 0),
    "Cipe": 10 * 18,
    "PPTP": 10 * (10 + 18 + 18),
    "L2tpd": 10 * (18 + 18 + 9),
    "OpenVPN": 10 * (18 + 1),
    "VTUN": 10 * 18,
    "VTUN_PPP": 10 * 18,
    "Tinc": 10 * (1 + 1 + 2),
    "Yavipin": 10 * (18 + 18 + 1),
    "FreeS/WAN": 10 * (10 + 10),
}
"""Totals for 10 sites by the parts of Table 5, worked out by hand."""

SLIPS = {"Vpnd": 370, "Htun": 480, "Cipe": 190, "PPTP": 480, "L2tpd": 250}
"""Totals as printed where they do not follow from the parts."""

WORDS = {"wireguard": "WireGuard", "ipsec": "IPsec with IKEv2", "openvpn-udp": "OpenVPN"}
"""Successors as the linter calls them."""


def test_tasks_for_ten_sites_are_the_sums_by_hand_and_the_printed_totals_but_for_five_slips() -> None:
    assert {name: one.published.effort.total(10) for name, one in SYSTEMS.items()} == BY_HAND
    assert {name: one.published.printed_n10 for name, one in SYSTEMS.items()} == BY_HAND | SLIPS
    assert {name for name, one in SYSTEMS.items() if not one.published.has_consistent_total} == set(SLIPS)


def test_tasks_for_other_sites_are_exact() -> None:
    assert SYSTEMS["PPTP"].published.effort.total(3) == 3 * (3 + 4 + 4)
    assert SYSTEMS["PPP_over_SSH"].published.effort.total(1000) == 1000 * (1 + 1998 + 999)


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=list(SYSTEMS))
def test_each_system_is_judged_and_has_successors_that_may_be_deployed(system: OverviewSystem) -> None:
    leaving = system.leaving
    assert leaving.successors
    assert [one for one in leaving.successors if one not in ADAPTERS or ADAPTERS[one].info.is_unprotected] == []
    assert leaving.adapter == "" or leaving.adapter in ADAPTERS
    assert leaving.compared == "" or leaving.compared in ADAPTERS
    assert leaving.compared not in leaving.successors
    assert not system.then.verdict.is_deployable
    assert system.then.verdict is not Verdict.UNKNOWN
    assert system.then.source
    has_version = leaving.state is not State.NOT_PACKAGED or leaving.heir != ""
    assert (system.now is not None) == has_version
    assert system.now is None or (system.now.verdict is not Verdict.UNKNOWN and system.now.source)


def test_current_versions_are_not_judged_as_their_ancestors() -> None:
    today = {name: one.now.verdict for name, one in SYSTEMS.items() if one.now is not None}
    assert today["OpenVPN"] is Verdict.RECOMMENDED
    assert today["Tinc"] is Verdict.LEGACY
    assert today["PPP_over_SSH"] is Verdict.LEGACY
    assert (today["PPTP"], today["VTUN"], today["L2tpd"]) == ("insecure", "insecure", "unprotected")


def test_systems_without_encryption_of_their_own_are_unprotected() -> None:
    found = {name for name, one in SYSTEMS.items() if one.then.verdict is Verdict.UNPROTECTED}
    table_4 = {
        name
        for name, one in SYSTEMS.items()
        if one.published.security is not None and not one.published.security.has_confidentiality
    }
    assert found == table_4 == {"Htun", "L2tpd"}


def test_systems_over_ppp_carry_ip() -> None:
    over_ppp = {name for name, one in SYSTEMS.items() if "ppp-ccp" in one.published.compression}
    assert {name for name in over_ppp if SYSTEMS[name].leaving.carries is not Carries.IP} == set()


@pytest.mark.parametrize(("kind", "name"), [("pptpd", "PPTP"), ("vtund", "VTUN")])
def test_linter_names_the_same_verdict_and_successors(kind: str, name: str) -> None:
    system = SYSTEMS[name]
    rules = [one for key, rules in rule_sets().items() if key == kind for one in rules.rules]
    leaving = [one for one in rules if one.replacement.startswith(ANOTHER_VPN)]
    first, second, third = (WORDS[one] for one in system.leaving.successors)
    expected = (
        f"another VPN: {first}, {second}, or {third} (tunnelmark study show {OVERVIEW} --system {system.leaving.id})"
    )
    assert {one.replacement for one in leaving} == {expected}
    assert {one.verdict for one in leaving} - {Verdict.UNPROTECTED} == {system.then.verdict}
