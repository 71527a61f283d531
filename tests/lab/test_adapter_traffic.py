"""Every adapter between gateways of two ages: one tunnel, of which all is asserted.

Up as asked, all frame sizes cross, nothing readable, overhead as computed, closed when the protection breaks, and
nothing left. In every run, kernels' VPNs that both platforms have are tried between Debian 11 and Debian 13, so that
the programs of both are at work in one tunnel; who is A, and with that the server where there is one, changes from one
VPN to the next. Those of user space are tried on hosts made of namespaces (test_adapter_hosts.py). Between gateways
they are in `make test-full`, and so are two gateways of the same platform, and the other way round. How quickly a
tunnel is made and removed is in tests/bench.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from app.domain.adapters import Adapter
from app.domain.link import STATE_DIR
from support.adapter_cases import default_cases
from support.bare_tunnel import BareTunnel
from support.injection_checks import check_nothing_gets_in, copy_slowly
from support.lab_pairs import MIXED, NEWEST, OLD, LabPairs, Platforms
from support.lab_sessions import sh
from support.tunnel_checks import (
    USER_SPACE,
    by_a_transaction,
    by_its_steps,
    check_fails_closed,
    check_unreadable,
    check_up,
)
from vpn_adapters.macsec.suites import AGREED_KEYS, KEYS
from vpn_adapters.registry import ADAPTERS

WATCHERS_GROUP = f'read -r p _ < {STATE_DIR}/watcher; cat "/proc/${{p%%:*}}/cgroup"'


@dataclass(frozen=True)
class Case:
    """One adapter on one pair.

    Attributes:
        adapter: The VPN.
        pair: The gateways.
    """

    adapter: Adapter
    pair: Platforms

    def __str__(self) -> str:
        return f"{self.adapter.info.name}-on-{self.pair}"

    @property
    def is_by_transaction(self) -> bool:
        """Whether it is made as a comparison does it; else by the adapter's steps alone.

        Those of user space are made by a transaction on hosts made of namespaces.
        """
        return self.pair.of_lab == NEWEST or (self.pair.of_lab == MIXED and self.adapter.info.name not in USER_SPACE)


def _cases() -> tuple[list[Case], list[Case]]:
    """Return what is tried in every run, and what is left for `make test-full`."""
    mixed = [adapter for adapter, _ in default_cases(*MIXED)]
    in_every_run = [
        Case(adapter, Platforms(MIXED, number % 2 == 1))
        for number, adapter in enumerate(mixed)
        if adapter.info.name not in USER_SPACE  # they are on hosts in every run: test_adapter_hosts.py
    ]
    # Between the two platforms, MACsec has static keys: they know different kinds of key agreement.
    in_every_run.append(Case(ADAPTERS["macsec"], Platforms(NEWEST)))
    others = [Case(adapter, Platforms(MIXED, is_turned)) for adapter in mixed for is_turned in (False, True)]
    others += [Case(adapter, Platforms(same)) for same in (NEWEST, OLD) for adapter, _ in default_cases(*same)]
    return in_every_run, [case for case in others if case not in in_every_run]


def _parameters() -> list[object]:
    """Return all cases as parameters; most are left to `make test-full`."""
    in_every_run, others = _cases()
    return [
        *(pytest.param(one, id=str(one)) for one in in_every_run),
        *(pytest.param(one, id=str(one), marks=pytest.mark.full) for one in others),
    ]


every_case = pytest.mark.parametrize("built", _parameters(), indirect=True)


@pytest.fixture(scope="module")
def built(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> Iterator[BareTunnel]:
    """Give each solution's safe default, up; and see afterwards that nothing of it is left."""
    case: Case = request.param
    pair = lab_pairs.of(case.pair)
    if not case.is_by_transaction:
        with by_its_steps(pair, case.adapter) as tunnel:
            yield tunnel
        return
    with by_a_transaction(pair, case.adapter) as tunnel:
        groups = tunnel.both(lambda side: sh(tunnel.session(side), WATCHERS_GROUP))
        assert groups == ("0::/\n", "0::/\n"), "the rollback timer must not end with an SSH session"
        yield tunnel


@every_case
def test_comes_up_as_asked_and_carries_every_frame_size(built: BareTunnel) -> None:
    check_up(built)


@every_case
def test_nothing_is_readable_and_the_overhead_is_what_theory_says(
    built: BareTunnel, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_unreadable(built)
    if built.request.suite.settings.get(KEYS) == AGREED_KEYS:
        copy_slowly(monkeypatch)
    check_nothing_gets_in(built)


@every_case
def test_it_fails_closed(built: BareTunnel) -> None:
    # The last one, for what is broken is not mended.
    check_fails_closed(built)
