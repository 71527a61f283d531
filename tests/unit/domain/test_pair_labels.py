"""Hosts with the same label remain distinct: gateways behind forwarded ports have one address."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.hosts import HostSpec, PairSpec


def labels(a: HostSpec, b: HostSpec) -> tuple[str, str]:
    found = PairSpec("north", a, b, "192.0.2.1", "192.0.2.2")
    return found.a.label, found.b.label


def local(port: int | None) -> HostSpec:
    return HostSpec("127.0.0.1", "127.0.0.1", port)


@pytest.mark.parametrize(
    ("ports", "wanted"),
    [
        ((2222, 2223), ("127.0.0.1:2222", "127.0.0.1:2223")),
        ((None, 2223), ("127.0.0.1:22", "127.0.0.1:2223")),
        ((None, 22), ("127.0.0.1 (A)", "127.0.0.1 (B)")),
    ],
)
def test_one_address_is_distinguished_by_the_ports(
    ports: tuple[int | None, int | None], wanted: tuple[str, str]
) -> None:
    assert labels(local(ports[0]), local(ports[1])) == wanted


def test_labels_that_differ_remain_and_copies_add_nothing() -> None:
    assert labels(HostSpec("gateway-a", "127.0.0.1"), HostSpec("gateway-b", "127.0.0.1")) == ("gateway-a", "gateway-b")
    pair = PairSpec("north", local(2222), local(2223), "192.0.2.1", "192.0.2.2")
    assert replace(pair, name="south").a.label == "127.0.0.1:2222"
