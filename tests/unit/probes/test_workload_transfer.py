"""The workload transfer with files of other sizes."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.probes.transfer import Transferred
from app.probes.workloads import WORKLOADS, WorkloadPath, chosen_workloads, transfer


def ran(monkeypatch: pytest.MonkeyPatch, size_mb: int) -> tuple[dict[str, float], list[Command], list[int]]:
    """Run it without hosts, each file in 8 s; return figures, commands on A, and seconds that the server lives."""
    commands: list[Command] = []
    lives_s: list[int] = []
    flushed: list[Command] = []

    @contextmanager
    def server(*_words: Any, limit_s: int, **_more: Any) -> Any:
        lives_s.append(limit_s)
        yield SimpleNamespace(ports=(5001, 5002), wait_until_listening=lambda: None)

    def run(command: Command, **_more: Any) -> Any:
        (flushed if "tcp_metrics" in command.argv else commands).append(command)
        return SimpleNamespace(exit_status=0, stdout="", stderr="")

    def read(_text: str, _errors: str, _label: str, size_bytes: int) -> Transferred:
        assert size_bytes == size_mb * 1_000_000
        return Transferred(8.0, size_bytes, 0, "cubic")

    monkeypatch.setattr(transfer, "IperfServer", server)
    monkeypatch.setattr(transfer, "read_transfer", read)
    host = SimpleNamespace(run=run, spec=SimpleNamespace(label="gateway-a"))
    path = WorkloadPath(
        SessionPair(cast("HostSession", host), cast("HostSession", host)),
        *("10.0.0.1", "10.0.0.2"),
        *(("192.0.2.1", "192.0.2.2"), "", 5001, 0.0, CancelToken()),
    )
    found = dict(transfer.sized(size_mb).run(path))
    assert {one.argv[-1] for one in flushed} == {"10.0.0.1", "10.0.0.2"}, "what is remembered of others remains"
    return found, commands, lives_s


def test_the_file_has_the_size_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found, commands, _ = ran(monkeypatch, 16)
    assert found == {"b-to-a": 8.0, "a-to-b": 8.0, "mbit-s": 16.0}
    sizes = [command.argv[command.argv.index("-n") + 1] for command in commands]
    assert sizes == ["16000000", "16000000"]


@pytest.mark.parametrize(("size_mb", "limit_s"), [(1, 180), (4, 180), (20, 900), (1_000, 3_600)])
def test_the_time_limit_grows_with_the_file(monkeypatch: pytest.MonkeyPatch, size_mb: int, limit_s: int) -> None:
    _, commands, lives_s = ran(monkeypatch, size_mb)
    assert {command.argv[3] for command in commands} == {str(limit_s)}
    assert all(command.timeout_s is not None and command.timeout_s > limit_s for command in commands)
    assert lives_s[0] > 2 * limit_s


def test_its_title_and_its_time_have_the_size() -> None:
    (usual,) = chosen_workloads(["transfer"], 4)
    assert usual.title == WORKLOADS["transfer"].title == "File transfer of 4 MB"
    voice, larger = sorted(chosen_workloads(["transfer", "voice"], 50), key=lambda one: one.name, reverse=True)
    assert voice is WORKLOADS["voice"]
    assert larger.title == "File transfer of 50 MB"
    assert larger.seconds > usual.seconds
    assert larger.figures == usual.figures
