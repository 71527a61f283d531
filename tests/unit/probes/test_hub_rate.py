"""Search of a hub's highest rate of key exchanges, on hosts whose limit and troubles are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

import pytest

from app.domain.cancel import CancelToken
from app.domain.hub_study import HubBound, HubWindow
from app.domain.hubs import FloodRequest
from app.domain.results import CpuUsage
from app.probes import hub_rate
from app.probes.hub_flood import Flooded
from app.probes.hub_rate import FIRST_RATE_S, HubRate, RateAmounts, RateSearch
from app.probes.messages import HUB_FELL_BEHIND

TRY_S, LONG_S = 2, 20


@dataclass
class Hosts:
    """A hub and clients whose CPU grows with the rate.

    Attributes:
        capacity: Rate at which the clients' CPU is at its limit, in 1/s.
        trouble: Whether a window, given its rate, its seconds and its number from 0, fails although it would fit.
        is_busy_in_trouble: Whether the clients' CPU is at its limit in such a window.
        tried: Rate and seconds of each window.
    """

    capacity: float
    trouble: Callable[[float, int, int], bool] = lambda _rate, _seconds, _number: False
    is_busy_in_trouble: bool = True
    tried: list[tuple[float, int]] = field(default_factory=list)
    _clients_pct: float = 0.0

    def flood(self, *words: object, token: CancelToken) -> Flooded:
        request = words[-1]
        assert isinstance(request, FloodRequest)
        is_bad = self.trouble(request.rate_s, request.seconds, len(self.tried))
        self.tried.append((request.rate_s, request.seconds))
        number = round(request.rate_s * request.seconds)
        done = number - 1 if is_bad or request.rate_s > self.capacity else number
        fits_pct = 85.0 * request.rate_s / self.capacity
        self._clients_pct = 95.0 if is_bad and self.is_busy_in_trouble else min(fits_pct, 99.0)
        return Flooded(HubWindow(request.rate_s, request.seconds, number, done, done), (0.0, 1.0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def wait_until_watching(self, _token: CancelToken) -> None: ...

    def usage(self, *_: tuple[float, float]) -> dict[str, CpuUsage]:
        return {
            "a": CpuUsage(30.0, 30.0, 0.0, 0.0, 0.0, 1.0),
            "b": CpuUsage(self._clients_pct, 0.0, 0.0, 0.0, 0.0, 1.0),
        }


def found(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> HubRate:
    monkeypatch.setattr(hub_rate, "flood", hosts.flood)
    monkeypatch.setattr(hub_rate, "CpuMonitor", lambda _sessions: hosts)
    amounts = RateAmounts(TRY_S, LONG_S)
    return RateSearch(None, None, None, 8, amounts, lambda _text: None, CancelToken()).found()  # type: ignore[arg-type]


def rate_of(one: HubRate) -> float:
    assert one.window is not None, one.message
    assert one.window.seconds == LONG_S
    return one.window.rate_s


def test_the_limit_of_the_clients_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = Hosts(50.0)
    one = found(hosts, monkeypatch)
    assert 50 / 1.15 < rate_of(one) <= 50
    assert one.bound is HubBound.CLIENTS
    assert hosts.tried[0] == (FIRST_RATE_S, TRY_S)
    assert len(one.windows) == len(hosts.tried) - 2, "neither the first window nor the long one is among the tries"


@pytest.mark.parametrize("bad", [0, 1, 3, 4])
def test_a_busy_moment_is_not_the_limit(monkeypatch: pytest.MonkeyPatch, bad: int) -> None:
    hosts = Hosts(50.0, trouble=lambda _rate, _seconds, number: number == bad)
    assert rate_of(found(hosts, monkeypatch)) > 50 / 1.15


def test_a_rate_beyond_the_limit_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = Hosts(50.0)
    found(hosts, monkeypatch)
    beyond = [rate for rate, _ in hosts.tried if rate > 50]
    assert len(beyond) == len(set(beyond)) > 0


def test_a_failure_in_the_long_window_is_tried_again_before_the_rate_is_reduced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def once(_rate: float, seconds: int, _number: int) -> bool:
        return seconds == LONG_S and not any(length == LONG_S for _, length in hosts.tried)

    hosts = Hosts(50.0, trouble=once, is_busy_in_trouble=False)
    assert rate_of(found(hosts, monkeypatch)) > 50 / 1.15
    assert [seconds for _, seconds in hosts.tried[-2:]] == [LONG_S, LONG_S]
    assert hosts.tried[-1] == hosts.tried[-2]


def test_where_no_rate_holds_for_long_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = Hosts(50.0, trouble=lambda _rate, seconds, _number: seconds == LONG_S)
    one = found(hosts, monkeypatch)
    assert (one.window, one.message) == (None, HUB_FELL_BEHIND(seconds=LONG_S))
    rates = [rate for rate, seconds in hosts.tried if seconds == LONG_S]
    assert rates == sorted(rates, reverse=True)
    assert 0.4 < rates[-1] / rates[0] < 0.9
