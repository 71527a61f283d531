"""Titles and sentences of every adapter are translated: what a made-up language does not bracket is a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import astuple

import pytest

from app.domain.adapters import Adapter
from app.domain.hosts import Side
from app.domain.solutions import Suite
from app.wording.messages import local_text
from app.wording.titles import local_title
from support.adapter_cases import all_cases, facts, platforms, request, result
from support.pseudo_language import LiteralBrackets, brackets, words_outside
from vpn_adapters.registry import ADAPTERS

_NAMES = frozenset(
    {"sshd", "ssh", "freelan", "tincd", "fastd", "vtund", "pppd", "pptpd", "pptp", "xl2tpd", "stunnel", "tap"}
)
"""Programs, and the name by which OpenSSH opens its interface."""
_MODULES = frozenset({"freelan", "tun", "ppp", "generic", "async", "mppe", "tp"})


@pytest.mark.parametrize(
    ("adapter", "suite"), all_cases(), ids=[f"{adapter.info.name}-{suite.name}" for adapter, suite in all_cases()]
)
def test_titles_of_a_plan(adapter: Adapter, suite: Suite) -> None:
    asked = request(adapter, suite)
    names = {word for name in astuple(asked.link.names) for word in re.findall(r"[A-Za-z]{2,}", str(name))}
    with brackets(LiteralBrackets):
        left = {title: words_outside(local_text(title)) - names - _NAMES for title in _titles(adapter, suite)}
    assert {title: words for title, words in left.items() if words} == {}


def _titles(adapter: Adapter, suite: Suite) -> Iterator[str]:
    asked = request(adapter, suite)
    for side in Side:
        recipe, own = adapter.identity(asked, side), adapter.plan(asked).on(side)
        yield from (one.title for one in (*recipe.steps, *recipe.shared, *own.steps, *own.up_checks, *own.breakages))
        if own.negotiated is not None:
            yield own.negotiated.title


def test_titles_of_solutions_and_suites() -> None:
    titles = {f"{adapter.info.title}, {suite.title}" for adapter, suite in all_cases()}
    parts = {part for title in titles for part in title.split(", ") if " " in part}
    with brackets(LiteralBrackets):
        assert {part for part in parts if "⟦" not in local_title(part)} == {"freelan 2"}


@pytest.mark.parametrize("platform", platforms())
def test_what_a_host_lacks(platform: str) -> None:
    host = facts(platform)
    with brackets(LiteralBrackets):
        notes = {one.note: words_outside(local_text(one.note)) for one in host.solutions.values() if one.note}
        modules = {
            part.what: words_outside(local_text(part.what))
            for one in host.solutions.values()
            for part in one.missing
            if " " in part.what
        }
    assert {text: words for text, words in (notes | modules).items() if words - _MODULES} == {}


def test_reasons_of_programs_that_are_too_old() -> None:
    with brackets(LiteralBrackets):
        texts = [local_text(note) for note in _refusals()]
    assert len(texts) == 6
    assert [words_outside(text) for text in texts] == [set()] * len(texts)


def _refusals() -> Iterator[str]:
    """Return why hosts with programs of other versions cannot do it."""
    old = {
        "openvpn-udp": {"version": "OpenVPN 2.3.4 x86_64-pc-linux-gnu\nlibrary versions: OpenSSL 1.1.1n  15 Mar 2022"},
        "tinc": {"version": "tinc version 1.1pre18 (built)"},
        "ssh": {"version": "OpenSSH_6.7p1, OpenSSL 1.0.1t"},
        "fastd": {"version": "fastd v20"},
        "stunnel": {"stunnel": "stunnel 5.30 on x86_64-pc-linux-gnu platform"},
        "freelan": {"version": "freelan 2.0.0", "options": "--fscp.cipher_suite_capability"},
    }
    for name, outputs in old.items():
        support = ADAPTERS[name].parse_discovery({key: result(text) for key, text in outputs.items()})
        yield support.note
