"""Clients that remain connected to a hub: their outages when it is restarted."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import BatchLineSink, Command, CommandResult, LineSink, SessionPair, Stream
from app.domain.errors import ProbeFailed
from app.domain.hub_study import LEAST_WITHIN_S, MOST_WITHIN_S
from app.domain.hubs import MAX_CLIENTS
from app.domain.link import Link
from app.domain.messages.inputs import WAITED_IN_VAIN
from app.domain.script_files import bare_script
from app.probes import hub_sessions
from app.probes.hub_sessions import Recovery, answered_before, connect, parse_outages, recover_clients
from app.probes.messages import HUB_CLIENTS_BEGIN, HUB_CLIENTS_SILENT, HUB_NOT_CONNECTED, HUB_NOT_RESTARTED
from support.message_checks import has_message
from vpn_adapters.registry import SESSION_HUBS

HUB, LINK = SESSION_HUBS["wireguard"], Link("192.0.2.1", "192.0.2.2")


def test_a_client_without_an_outage_noticed_no_restart_and_does_not_count() -> None:
    text = "@begin\nclient 0.00 7.80\nclient 0.10 0.40\n@alive 2\nclient 0.10 -\nclient 0.20 31.00\n"
    assert parse_outages(text) == (7.8, 31.0)
    assert Recovery(4, parse_outages(text), 30.0).back == 1


@dataclass
class _Hosts:
    """Both hosts: clients that print once the hub was restarted, and a hub that may not start."""

    exit_status: int = 0
    printed: str = "client 0.00 7.80\nclient 0.00 7.90\n"
    watch_status: int = 0
    restarted: threading.Event = field(default_factory=threading.Event)
    watched: list[Command] = field(default_factory=list)

    def run(self, command: Command, *, token: CancelToken, on_line: LineSink | None = None) -> CommandResult:
        if on_line is None:
            return CommandResult(command.argv, self.exit_status, "", "no", 0.1)
        self.watched.append(command)
        on_line(Stream.STDOUT, "@begin")
        token.wait_for(self.restarted.is_set, timeout_s=120.0, what="the restart", interval_s=0.005)
        return CommandResult(command.argv, self.watch_status, f"@begin\n{self.printed}", "icmp", 0.1)

    def run_batch(
        self,
        commands: tuple[Command, ...],
        *,
        token: CancelToken,
        on_line: BatchLineSink | None = None,
        should_stop_at_failure: bool = False,
    ) -> tuple[CommandResult, ...]:
        token.raise_if_cancelled()
        assert should_stop_at_failure
        assert on_line is None
        self.restarted.set()
        return tuple(CommandResult(one.argv, self.exit_status, "", "no", 0.1) for one in commands)


def recovered(hosts: _Hosts, within_s: int = 30) -> Recovery:
    sessions = SessionPair(hosts, hosts)  # type: ignore[arg-type]
    return recover_clients(sessions, HUB, LINK, 2, within_s=within_s, token=CancelToken())


@pytest.fixture(autouse=True)
def no_lead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_sessions, "LEAD_S", 0.01)


def test_the_hub_is_restarted_while_clients_ask_it() -> None:
    assert recovered(_Hosts()) == Recovery(2, (7.8, 7.9), 30.0)


@pytest.mark.parametrize("within_s", [LEAST_WITHIN_S, 30, MOST_WITHIN_S])
def test_what_watches_the_clients_lasts_as_long_as_they_have_time(within_s: int) -> None:
    hosts = _Hosts()
    assert recovered(hosts, within_s).within_s == within_s
    (watch,) = hosts.watched
    limit_s, seconds = int(watch.argv[-7]), int(watch.argv[-2])
    assert seconds == within_s + 2, "after a lead of next to nothing"
    assert limit_s >= seconds + 20, "all of them begin before"
    assert watch.timeout_s is not None
    assert watch.timeout_s > limit_s


def test_a_hub_that_does_not_start_again_is_no_result() -> None:
    with pytest.raises(ProbeFailed, check=has_message(HUB_NOT_RESTARTED)):
        recovered(_Hosts(exit_status=1))


@pytest.mark.parametrize(
    ("printed", "watch_status", "ready"),
    [
        ("client 0.00 7.80\n", 0, 1),
        ("client 0.00 7.80\nclient - -\n", 0, 1),
        ("client 0.00 7.80\nclient 0.50 0.00\n", 0, 1),
        ("client 0.00 7.80\nclient 0.00 -\n", 1, 2),
    ],
    ids=["no line", "no answer", "none before the restart", "its program failed"],
)
def test_a_restart_that_not_all_clients_noticed_is_no_result(printed: str, watch_status: int, ready: int) -> None:
    with pytest.raises(ProbeFailed, check=has_message(HUB_CLIENTS_SILENT, ready=ready, clients=2)):
        recovered(_Hosts(printed=printed, watch_status=watch_status))


@dataclass
class _SilentHosts(_Hosts):
    """Clients that do not begin in time."""

    silent_s: float = 60.0

    def run(self, command: Command, *, token: CancelToken, on_line: LineSink | None = None) -> CommandResult:
        assert on_line is not None
        token.sleep(self.silent_s)
        return CommandResult(command.argv, 0, "", "", 0.1)


def test_clients_that_do_not_begin_are_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_sessions, "_BEGIN_S", 0.01)
    monkeypatch.setattr(hub_sessions, "_BEGIN_EACH_S", 0.01)
    with pytest.raises(ProbeFailed, check=has_message(WAITED_IN_VAIN, seconds=0.03, what=HUB_CLIENTS_BEGIN())):
        recovered(_SilentHosts())


def test_many_clients_have_more_time_to_begin_than_they_wait_for_each_other() -> None:
    begin = re.search(r"begin=\$\(\(\S+ \+ (\d+) \+ count / (\d+)\)\)", bare_script("nodes/each.sh"))
    assert begin is not None
    fixed_s, per_s = map(int, begin.groups())
    for clients in (1, MAX_CLIENTS):
        allowed_s = hub_sessions._BEGIN_S + hub_sessions._BEGIN_EACH_S * clients
        assert allowed_s >= 2 * (fixed_s + clients / per_s)


def test_clients_that_do_not_connect_are_no_result() -> None:
    hosts = _Hosts(exit_status=1)
    with pytest.raises(ProbeFailed, check=has_message(HUB_NOT_CONNECTED)):
        connect(SessionPair(hosts, hosts), HUB, LINK, 2, token=CancelToken())  # type: ignore[arg-type]


@pytest.mark.parametrize(("stalls_at_s", "counts"), [(0.3, False), (3.9, True)], ids=["before", "after"])
def test_only_an_outage_after_the_lead_counts(tmp_path: Path, stalls_at_s: float, *, counts: bool) -> None:
    """A client that is stopped for 1.2 s: what it missed before the hub is restarted is no outage of the restart."""
    program = tmp_path / "outage.pl"
    program.write_text(bare_script("nodes/outage.pl"))
    begin_s = float(Path("/proc/uptime").read_text().split()[0]) + 0.5
    argv = ("perl", str(program), "1", "1", f"{begin_s:.2f}", "127.0.0.1", "9" if counts else "4.5", "3.7")
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == "@begin\n"
        time.sleep(stalls_at_s)
        client.send_signal(signal.SIGSTOP)
        time.sleep(1.2)
        client.send_signal(signal.SIGCONT)
        printed = client.stdout.read()
    assert answered_before(printed, 3.0) == 1
    assert bool(parse_outages(printed)) == counts
