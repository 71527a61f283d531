"""Findings name replacements that the programs of both hosts can do, with what was recorded on real hosts."""

from __future__ import annotations

import pytest

from app.discovery.candidates import find_candidates, possible_in
from app.domain.adapters import Adapter
from app.policy import ANOTHER_VPN, DEFAULT_GUIDELINES, GUIDELINES
from app.policy.names import find_rows
from support.adapter_cases import facts, platforms
from support.lint_texts import lint_text
from vpn_adapters.registry import ADAPTERS

_CHOSEN = {"cipher", "mode", "mac", "key-exchange", "signature"}


def _kinds(name: str) -> set[str]:
    return {row.kind for row in find_rows(name)}


@pytest.mark.parametrize("platform", platforms())
@pytest.mark.parametrize("guidelines", [DEFAULT_GUIDELINES, tuple(GUIDELINES)], ids=["default", "all"])
@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=lambda one: one.info.name)
def test_no_finding_recommends_what_a_host_cannot_do(
    adapter: Adapter, platform: str, guidelines: tuple[str, ...]
) -> None:
    host = facts(platform)
    candidates, _ = find_candidates({adapter.info.name: adapter}, host, host, guidelines=guidelines)
    possible = possible_in(adapter.suites(host, host), adapter.census(host, host))
    names = (*possible.proposed, *possible.listed)
    can = {find_rows(name) for name in names}
    reported = {kind for name in names for kind in _kinds(name)}
    for candidate in candidates:
        for finding in candidate.findings:
            wanted = finding.replacement.partition(",")[0]
            kinds = _kinds(wanted) & _CHOSEN
            if kinds & reported:  # the adapter says what there is of this kind
                assert find_rows(wanted) in can, (candidate.title, finding)


@pytest.mark.parametrize("platform", platforms())
def test_tinc_is_not_ordered_to_use_a_mode_that_it_does_not_have(platform: str) -> None:
    host = facts(platform)
    candidates, _ = find_candidates({"tinc": ADAPTERS["tinc"]}, host, host, guidelines=tuple(GUIDELINES))
    found = [(one.subject, one.replacement) for each in candidates for one in each.findings if one.replacement]
    assert found
    assert not [one for one in found if "GCM" in one[1] or "TLS" in one[1]]
    assert ("BF-CBC", "AES-256-CBC") in found
    assert ("null-authentication", "SHA256") in found
    assert ("tinc-1.0-protocol", ANOTHER_VPN) in found


def test_openvpn_still_gets_what_it_can_do() -> None:
    host = facts("debian-13")
    candidates, _ = find_candidates({"openvpn-udp": ADAPTERS["openvpn-udp"]}, host, host)
    found = {(one.subject, one.replacement) for each in candidates for one in each.findings}
    assert ("BF-CBC", "AES-256-GCM") in found


def test_a_file_of_tinc_is_reported_the_cipher_that_tinc_has() -> None:
    (finding,) = (
        one
        for one in lint_text("Name = a\nCipher = bf-cbc\nDigest = sha256\nMACLength = 16\n", "tinc.conf").findings
        if one.setting == "Cipher"
    )
    assert finding.replacement == "aes-256-cbc"
