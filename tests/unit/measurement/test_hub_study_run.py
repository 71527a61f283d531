"""Cells of the study of a hub: what is kept of a hub that does not come up, of floods and of restarts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import ClassVar, Self

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import (
    Cancelled,
    CleanupFailed,
    ConnectionLost,
    DeadlineExceeded,
    EnvironmentFault,
    HostUnreachable,
    ProbeFailed,
    TunnelDown,
)
from app.domain.hub_study import HubBound, HubCell, HubKind, HubResult, HubWindow
from app.domain.hubs import FloodRequest
from app.domain.results import CpuUsage
from app.measurement import hub_study_run
from app.measurement.hub_study_run import HubChoice, HubPart, HubStudyRun
from app.probes import hub_rate
from app.probes.hub_flood import Flooded
from app.probes.hub_rate import RateAmounts
from app.probes.hub_sessions import Recovery
from app.probes.messages import NO_HUB_RATE
from vpn_adapters.registry import SESSION_HUBS

HUB = SESSION_HUBS["wireguard"]


@dataclass
class _Tunnels:
    """Hubs that come up, or not."""

    failure: TunnelDown | None = None
    sizes: list[int] = field(default_factory=list)
    busy_s: list[float] = field(default_factory=list)
    too_many: int | None = None
    error: EnvironmentFault | Cancelled = field(default_factory=lambda: CleanupFailed("gateway-b rolled back."))

    @contextmanager
    def open_group(self, choices: Sequence[object], **more: object) -> Iterator[object]:
        extensions = more["extensions"]
        assert isinstance(extensions, list)
        self.sizes.append(extensions[0].count)
        assert isinstance(more["busy_s"], float)
        self.busy_s.append(more["busy_s"])
        if self.sizes[-1] == self.too_many:
            raise self.error
        failures = {} if self.failure is None else {0: self.failure}
        yield SimpleNamespace(failures=failures, tunnels={0: SimpleNamespace(link=None)})


class _Monitor:
    """Hosts that are half busy in every window; `asked` has the windows."""

    asked: ClassVar[list[tuple[float, float]]] = []

    def __init__(self, _sessions: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def wait_until_watching(self, _token: CancelToken) -> None:
        pass

    def usage(self, *windows: tuple[float, float]) -> dict[str, CpuUsage]:
        self.asked.extend(windows)
        half = CpuUsage(50.0, 50.0, 0.0, 0.0, 0.0, 1.0)
        return {"a": half, "b": half}


def measured(kind: HubKind, tunnels: _Tunnels) -> HubResult:
    kept: list[HubResult] = []
    run_cell(HubCell(kind, "x", "X"), tunnels, kept)
    (result,) = kept
    return result


def run_cell(
    cell: HubCell,
    tunnels: _Tunnels,
    kept: list[HubResult],
    token: CancelToken | None = None,
    steps: list[str] | None = None,
) -> None:
    choice = HubChoice(cell, HUB, HUB, SimpleNamespace(title="suite"))  # type: ignore[arg-type]
    part = HubPart(RateAmounts(try_s=1, window_s=2), recovery=(8, 16, 24), tcp_s=1)
    HubStudyRun(
        *([choice], part, 4, None, None, tunnels, ()),  # type: ignore[arg-type]
        *((steps if steps is not None else []).append, kept.append, token or CancelToken()),
    ).run()


def test_a_hub_that_does_not_come_up_is_a_result() -> None:
    result = measured(HubKind.FLOOD, _Tunnels(TunnelDown("no module")))
    assert (result.value, result.message) == (None, "no module")


@pytest.mark.parametrize(
    ("capacity", "long_capacity", "found"), [(20.0, 20.0, 19.03), (20.0, 17.0, 16.55), (0.0, 0.0, 0)]
)
def test_the_rate_found_holds_for_the_long_window(
    monkeypatch: pytest.MonkeyPatch, capacity: float, long_capacity: float, found: float
) -> None:
    def flood(*words: object, token: CancelToken) -> Flooded:
        token.raise_if_cancelled()
        request = words[-1]
        assert isinstance(request, FloodRequest)
        number = int(request.rate_s * request.seconds) + 1
        is_whole = request.rate_s <= (capacity if request.seconds == 1 else long_capacity)
        done = number if is_whole else number - 1
        return Flooded(HubWindow(request.rate_s, request.seconds, number, done, done), (0.0, 12.0))

    monkeypatch.setattr(hub_rate, "flood", flood)
    monkeypatch.setattr(hub_rate, "CpuMonitor", _Monitor)
    result = measured(HubKind.FLOOD, _Tunnels())
    if not found:
        assert (result.value, result.message) == (None, NO_HUB_RATE())
        return
    assert result.value == pytest.approx(found, abs=0.01)
    assert {end - begin for begin, end in _Monitor.asked} == {1.0, 2.0}, "not what is waited for afterwards"
    assert capacity / 1.15 / 0.87**-2 <= result.value <= long_capacity
    assert result.window is not None
    assert result.window.seconds == 2
    assert result.is_lower_bound


@pytest.mark.parametrize(("most", "best"), [(11, (11.0, 16)), (8, (8.0, 8)), (5, (8.0, 8))])
def test_more_clients_are_tried_until_not_all_are_back(
    monkeypatch: pytest.MonkeyPatch, most: int, best: tuple[float, int]
) -> None:
    """If more clients keep each other from coming back, fewer were all back, and that is no lower bound."""

    def recover(*words: object, within_s: int, token: CancelToken) -> Recovery:
        token.raise_if_cancelled()
        clients = words[-1]
        assert isinstance(clients, int)
        back = clients if clients == 8 else most
        return Recovery(clients, tuple([5.0] * back + [40.0] * (clients - back)), float(within_s))

    monkeypatch.setattr(hub_study_run, "connect", lambda *_, token: token.raise_if_cancelled())
    monkeypatch.setattr(hub_study_run, "recover_clients", recover)
    tunnels = _Tunnels()
    result = measured(HubKind.RECOVERY, tunnels)
    assert tunnels.sizes == [8, 16]
    assert (result.value, result.clients, result.bound) == (*best, HubBound.TIME)
    assert not result.is_lower_bound
    assert (f"Of 16 clients, {most} were back in time." == result.message) is (best[1] == 8)


@pytest.mark.parametrize("within_s", [12, 90])
def test_clients_have_the_time_of_the_cell(monkeypatch: pytest.MonkeyPatch, within_s: int) -> None:
    given: list[int] = []

    def recover(*words: object, within_s: int, token: CancelToken) -> Recovery:
        given.append(within_s)
        return all_back(*words, within_s=within_s, token=token)

    monkeypatch.setattr(hub_study_run, "connect", lambda *_, **__: None)
    monkeypatch.setattr(hub_study_run, "recover_clients", recover)
    kept: list[HubResult] = []
    steps: list[str] = []
    cell = HubCell(HubKind.RECOVERY, "x", "X", within_s)
    run_cell(cell, _Tunnels(), kept, steps=steps)
    assert given == [within_s] * 3
    assert [one.cell for one in kept] == [cell]
    assert sum(f"which have {within_s} s to be back" in step for step in steps) == 3


def test_a_probe_that_fails_is_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: object, token: CancelToken) -> None:
        token.raise_if_cancelled()
        raise ProbeFailed("not connected")

    monkeypatch.setattr(hub_study_run, "connect", connect)
    tunnels = _Tunnels()
    assert measured(HubKind.RECOVERY, tunnels).message == "not connected"
    assert tunnels.sizes == [8]
    assert measured(HubKind.THROUGHPUT, tunnels).message == "not connected"


def all_back(*words: object, within_s: int, token: CancelToken) -> Recovery:
    token.raise_if_cancelled()
    clients = words[-1]
    assert isinstance(clients, int)
    return Recovery(clients, (5.0,) * clients, float(within_s))


@pytest.mark.parametrize("error", [CleanupFailed, ConnectionLost, DeadlineExceeded, HostUnreachable])
@pytest.mark.parametrize(("too_many", "kept_clients"), [(8, []), (24, [16])])
def test_a_host_that_so_many_clients_keep_too_busy_takes_no_result_of_fewer(
    monkeypatch: pytest.MonkeyPatch, too_many: int, kept_clients: list[int], error: type[EnvironmentFault]
) -> None:
    monkeypatch.setattr(hub_study_run, "connect", lambda *_, **__: None)
    monkeypatch.setattr(hub_study_run, "recover_clients", all_back)
    kept: list[HubResult] = []
    tunnels = _Tunnels(too_many=too_many, error=error("gateway-b rolled back."))
    with pytest.raises(error):
        run_cell(HubCell(HubKind.RECOVERY, "x", "X"), tunnels, kept)
    assert [one.clients for one in kept] == kept_clients
    assert all(one.message == "gateway-b rolled back." and one.is_lower_bound for one in kept)
    assert tunnels.busy_s == sorted(tunnels.busy_s), "many programs keep a host busy for longer: its lease is longer"
    assert tunnels.busy_s[0] > 0


@pytest.mark.parametrize("error", [Cancelled(), CleanupFailed("gateway-b was not rolled back.")])
def test_a_cell_that_is_cancelled_is_measured_again(
    monkeypatch: pytest.MonkeyPatch, error: EnvironmentFault | Cancelled
) -> None:
    token = CancelToken()

    def recover(*words: object, within_s: int, token: CancelToken) -> Recovery:
        found = all_back(*words, within_s=within_s, token=token)
        if found.clients == 16:
            token.cancel()
        return found

    monkeypatch.setattr(hub_study_run, "connect", lambda *_, **__: None)
    monkeypatch.setattr(hub_study_run, "recover_clients", recover)
    kept: list[HubResult] = []
    with pytest.raises(type(error)):
        run_cell(HubCell(HubKind.RECOVERY, "x", "X"), _Tunnels(too_many=24, error=error), kept, token)
    assert not kept
