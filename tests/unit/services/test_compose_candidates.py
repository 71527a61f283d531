"""Candidates of two hosts as they are offered."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from app.discovery.candidates import check_host, find_candidates
from app.domain.hosts import Side
from support.adapter_cases import facts
from vpn_adapters.registry import ADAPTERS


@pytest.mark.parametrize("platform", ["debian-11", "debian-13"])
def test_no_two_proposed_candidates_have_the_same_title(platform: str) -> None:
    candidates, _ = find_candidates(ADAPTERS, facts(platform), facts(platform))
    titles = Counter(one.title for one in candidates if not one.is_listed_only)
    assert {title: number for title, number in titles.items() if number > 1} == {}
    assert "MACsec over L2TPv3, GCM-AES-128, static keys" in titles or platform != "debian-13", sorted(titles)


def test_a_title_is_no_longer_than_it_must_be() -> None:
    candidates, _ = find_candidates(ADAPTERS, facts("debian-11"), facts("debian-11"))
    titles = {(one.solution, one.suite): one.title for one in candidates}
    assert titles["wireguard", "chacha20-poly1305"] == ADAPTERS["wireguard"].info.title
    assert titles["openvpn-udp", "aes-256-gcm"].endswith(", AES-256-GCM")


@pytest.mark.parametrize(("cores", "words"), [(1, "cores: 1)"), (2, "cores: 2)")])
def test_a_busy_host_is_warned_of_with_its_cores(cores: int, words: str) -> None:
    host = replace(facts(), cpu_count=cores, load_1min=8.0)
    assert any(words in warning for warning in check_host(Side.A, host).warnings)
