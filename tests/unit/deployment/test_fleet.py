"""Many pairs at once: order, limits, failures, and the file that names them."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.fleet import FleetRow, read_fleet
from app.cli.main import main
from app.cli.messages import (
    FLEET_BROADCASTS,
    FLEET_DEFAULTS,
    FLEET_FILE_EMPTY,
    FLEET_FILE_UNREADABLE,
    FLEET_HALF_PAIR,
    FLEET_KEY_UNKNOWN,
    FLEET_KEY_WANTED,
    FLEET_NAME_TWICE,
    FLEET_NO_SOLUTION,
    FLEET_PAIR_DIFFERS,
    FLEET_PAIR_NAME,
    FLEET_TEXT,
    FLEET_TRUE_OR_FALSE,
    FLEET_TWO_ADDRESSES,
)
from app.deployment.fleet import FleetEntry, FleetOutcome, FleetState, run_fleet
from app.deployment.messages import FLEET_OWN_FAULT
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import Cancelled, InvalidFile, TunnelDown
from app.domain.link import Link
from app.domain.messages import Message
from app.domain.verdicts import Verdict
from support.export_cases import pair
from support.message_checks import HasMessage, has_message, shows

AT = datetime(2026, 11, 21, tzinfo=UTC)

FILE = """
[defaults]
solution = "wireguard"

[[pair]]
name = "one"
bridge = { a = "eth2" }

[[pair]]
name = "two"
a = "root@10.1.0.1:22"
b = "10.2.0.1"
underlay = ["10.1.0.1", "10.2.0.1"]
solution = "openvpn-udp"
suite = "aes-256-gcm"
inner = ["10.9.0.1/24", "10.9.0.2/24"]
"""


def entries(count: int) -> list[FleetEntry]:
    """Return pairs whose hosts are all different."""
    found = []
    for number in range(count):
        a, b = (
            replace(host, address=f"{side}{number}.example")
            for side, host in zip("ab", (pair().a, pair().b), strict=True)
        )
        found.append(FleetEntry(replace(pair(), name=f"pair-{number}", a=a, b=b), "wireguard"))
    return found


def done(entry: FleetEntry, _token: CancelToken) -> Deployment:
    """Return a deployment that was confirmed."""
    return Deployment(
        id="11" * 8,
        pair=entry.pair,
        solution=entry.solution,
        suite="chacha20-poly1305",
        title="WireGuard",
        verdict=Verdict.RECOMMENDED,
        options=entry.options,
        slot="58fca5ac",
        link=Link(entry.pair.underlay_a, entry.pair.underlay_b),
        by="eve on laptop",
        prepared_at=AT,
        state=DeploymentState.CONFIRMED,
        state_at=AT,
    )


def run(
    wanted: list[FleetEntry], work: Any, *, parallel: int = 4, stop_after: int = 1, **more: Any
) -> list[FleetState]:
    outcomes = run_fleet(
        wanted, work, parallel=parallel, stop_after=stop_after, token=more.pop("token", CancelToken()), **more
    )
    assert [outcome.entry for outcome in outcomes] == wanted
    return [outcome.state for outcome in outcomes]


def test_every_pair_is_worked_on_once_and_reported() -> None:
    reported: list[FleetOutcome] = []
    assert run(entries(20), done, report=reported.append) == [FleetState.CONFIRMED] * 20
    assert sorted(one.entry.pair.name for one in reported if one.state is FleetState.RUNNING) == sorted(
        entry.pair.name for entry in entries(20)
    )


def test_so_many_at_the_same_time_and_no_more() -> None:
    lock, at_once = threading.Lock(), [0, 0]
    together = threading.Barrier(3, timeout=120)

    def work(entry: FleetEntry, token: CancelToken) -> Deployment:
        with lock:
            at_once[0] += 1
            at_once[1] = max(at_once)
        together.wait()  # passes only if three of them are here at the same time
        with lock:
            at_once[0] -= 1
        return done(entry, token)

    assert run(entries(9), work, parallel=3) == [FleetState.CONFIRMED] * 9
    assert at_once == [0, 3]


def test_nothing_is_begun_after_too_many_failures_and_what_runs_comes_to_its_end() -> None:
    both = threading.Barrier(2, timeout=120)
    failed = threading.Event()

    def work(entry: FleetEntry, token: CancelToken) -> Deployment:
        both.wait()
        if entry.pair.name == "pair-0":
            raise TunnelDown("It did not come up.", hint="Look at the underlay.")
        assert failed.wait(120)
        return done(entry, token)

    def report(outcome: FleetOutcome) -> None:
        if outcome.state is FleetState.FAILED:
            assert outcome.message == "It did not come up. Look at the underlay."
            failed.set()

    states = run(entries(5), work, parallel=2, report=report)
    assert states == [FleetState.FAILED, FleetState.CONFIRMED, *[FleetState.NOT_BEGUN] * 3]


def test_as_many_failures_as_are_allowed() -> None:
    def work(entry: FleetEntry, token: CancelToken) -> Deployment:
        if entry.pair.name in ("pair-0", "pair-2"):
            raise ValueError("x")
        return done(entry, token)

    states = run(entries(5), work, parallel=1, stop_after=2)
    assert states == [FleetState.FAILED, FleetState.CONFIRMED, FleetState.FAILED, *[FleetState.NOT_BEGUN] * 2]


def test_a_deployment_that_one_host_alone_keeps_counts_as_a_failure() -> None:
    def work(entry: FleetEntry, token: CancelToken) -> Deployment:
        return replace(done(entry, token), state=DeploymentState.HALF_CONFIRMED, message="B could not be asked.")

    (outcome,) = run_fleet(entries(1), work, parallel=1, stop_after=1, token=CancelToken())
    assert (outcome.state, outcome.message) == (FleetState.FAILED, "B could not be asked.")
    assert outcome.deployment is not None


def test_a_fault_of_ours_on_one_pair_is_reported_as_such() -> None:
    def work(_entry: FleetEntry, _token: CancelToken) -> Deployment:
        raise KeyError("x")

    (outcome,) = run_fleet(entries(1), work, parallel=1, stop_after=1, token=CancelToken())
    assert has_message(FLEET_OWN_FAULT)(outcome.message)


def test_pairs_with_the_same_host_come_in_turn() -> None:
    wanted = entries(6)
    wanted = [replace(entry, pair=replace(entry.pair, b=wanted[0].pair.b)) for entry in wanted]
    lock, at_once = threading.Lock(), [0, 0]

    def work(entry: FleetEntry, token: CancelToken) -> Deployment:
        with lock:
            at_once[0] += 1
            at_once[1] = max(at_once)
        with lock:
            at_once[0] -= 1
        return done(entry, token)

    assert run(wanted, work, parallel=6) == [FleetState.CONFIRMED] * 6
    assert at_once[1] == 1


def test_cancelling_keeps_what_was_confirmed_and_begins_nothing_more() -> None:
    token = CancelToken()

    def work(entry: FleetEntry, own: CancelToken) -> Deployment:
        if entry.pair.name == "pair-1":
            token.cancel()
            raise Cancelled
        return done(entry, own)

    states = run(entries(4), work, parallel=1, token=token)
    assert states == [FleetState.CONFIRMED, FleetState.CANCELLED, FleetState.NOT_BEGUN, FleetState.NOT_BEGUN]


def written(folder: Path, text: str) -> Path:
    path = folder / "fleet.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_file(tmp_path: Path) -> None:
    one, two = read_fleet(written(tmp_path, FILE))
    assert one == FleetRow(name="one", solution="wireguard", bridge={"a": "eth2"})
    assert (two.solution, two.suite, two.underlay) == ("openvpn-udp", "aes-256-gcm", ("10.1.0.1", "10.2.0.1"))


def test_rules_of_lan_ports_are_moved_for_all_pairs_or_some(tmp_path: Path) -> None:
    pairs = "".join(f'[[pair]]\nname = "{name}"\nsolution = "y"\n' for name in ("x", "z"))
    rows = read_fleet(written(tmp_path, f"[defaults]\nmove-lan-rules = true\n{pairs}move-lan-rules = false\n"))
    assert [row.move_lan_rules for row in rows] == [True, False]


def wanted(key: str, what: Message) -> HasMessage:
    return has_message(FLEET_KEY_WANTED, key=key, wanted=what)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", has_message(FLEET_FILE_EMPTY)),
        ("[[pair]\n", has_message(FLEET_FILE_UNREADABLE)),
        ('[[pair]]\nname = "x"\n', has_message(FLEET_NO_SOLUTION)),
        ('[[pair]]\nsolution = "x"\n', has_message(FLEET_PAIR_NAME)),
        ('[[pair]]\nname = "a b"\nsolution = "x"\n', has_message(FLEET_PAIR_NAME)),
        ('[[pair]]\nname = "x"\nsolution = "y"\nspeed = 1\n', has_message(FLEET_KEY_UNKNOWN, key="speed")),
        ('[[pair]]\nname = "x"\nsolution = "y"\nblock_dhcp = true\n', has_message(FLEET_KEY_UNKNOWN, key="block_dhcp")),
        ('[[pair]]\nname = "x"\nsolution = "y"\na = 1\n', wanted("a", FLEET_TEXT())),
        ('[[pair]]\nname = "x"\nsolution = "y"\nbridge = "eth2"\n', has_message(FLEET_KEY_WANTED, key="bridge")),
        ('[[pair]]\nname = "x"\nsolution = 1\n', wanted("solution", FLEET_TEXT())),
        (
            '[[pair]]\nname = "x"\nsolution = "y"\nmove-lan-rules = "no"\n',
            wanted("move-lan-rules", FLEET_TRUE_OR_FALSE()),
        ),
        ('[[pair]]\nname = "x"\nsolution = "y"\na = "h"\n', has_message(FLEET_HALF_PAIR)),
        (
            '[[pair]]\nname = "x"\nsolution = "y"\nbridge = { c = "eth2" }\n',
            has_message(FLEET_KEY_WANTED, key="bridge"),
        ),
        ('[[pair]]\nname = "x"\nsolution = "y"\ninner = ["10.0.0.1/24"]\n', wanted("inner", FLEET_TWO_ADDRESSES())),
        ('[[pair]]\nname = "x"\nsolution = "y"\n' * 2, has_message(FLEET_NAME_TWICE, name="x")),
        ('[[pair]]\nname = "x"\nsolution = "y"\nblock-dhcp = "yes"\n', wanted("block-dhcp", FLEET_TRUE_OR_FALSE())),
        (
            '[[pair]]\nname = "x"\nsolution = "y"\nbroadcast-limit = true\n',
            wanted("broadcast-limit", FLEET_BROADCASTS()),
        ),
        ('[defaults]\nname = "x"\n[[pair]]\nname = "y"\nsolution = "z"\n', has_message(FLEET_DEFAULTS, key="name")),
        ('speed = 1\n[[pair]]\nname = "y"\nsolution = "z"\n', has_message(FLEET_FILE_EMPTY)),
    ],
)
def test_a_wrong_file_is_refused_in_words(tmp_path: Path, text: str, refusal: HasMessage) -> None:
    with pytest.raises(InvalidFile, check=refusal):
        read_fleet(written(tmp_path, text))


@pytest.mark.parametrize(
    "words",
    [
        ["--all"],
        ["--all", "works", "--from", "x.toml"],
        ["--all", "--from", "x.toml", "--parallel", "0"],
        ["--all", "--from", "x.toml", "--stop-after", "0"],
        ["--all", "--from", "x.toml", "--dry-run"],
        ["--all", "--from", "missing.toml"],
        ["--from", "x.toml"],
        ["works", "wireguard", "--parallel", "2"],
        [],
    ],
)
def test_words_that_do_not_go_together(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["deploy", *words]) == ExitCode.INVALID


def test_a_file_does_not_replace_a_stored_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    assert main(["pair", "add", "two", "--a", "x", "--b", "y", "--underlay", "10.1.0.1,10.2.0.1"]) == 0
    new = '[[pair]]\nname = "new"\na = "10.3.0.1"\nb = "10.4.0.1"\nunderlay = ["10.3.0.1", "10.4.0.1"]\n'
    path = tmp_path / "fleet.toml"
    path.write_text(FILE.replace('[[pair]]\nname = "one"\nbridge = { a = "eth2" }\n', new))
    capsys.readouterr()
    assert main(["deploy", "--all", "--from", str(path)]) == ExitCode.INVALID
    assert shows(capsys.readouterr().err, FLEET_PAIR_DIFFERS.text, pair="two")
    assert main(["pair", "list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]] == ["two"], "nothing was stored"


def test_a_stored_pair_that_the_file_describes_again_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However the path of its key is written; its consents are kept."""
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "key").write_text("x")
    hosts = ["--a", "root@127.0.0.1:1", "--b", "root@127.0.0.1:2", "--underlay", "10.1.0.1,10.2.0.1"]
    assert main(["pair", "add", "two", *hosts, "--identity", str(tmp_path / "key"), "--load-cap", "5"]) == 0
    path = tmp_path / "fleet.toml"
    path.write_text(
        '[[pair]]\nname = "two"\na = "root@127.0.0.1:1"\nb = "root@127.0.0.1:2"\nidentity = "~/key"\n'
        'underlay = ["10.1.0.1", "10.2.0.1"]\nsolution = "wireguard"\n'
    )
    assert main(["deploy", "--all", "--from", str(path)]) == ExitCode.FAILED, "nobody answers there"
    capsys.readouterr()
    assert main(["pair", "show", "two"]) == 0
    assert '"load_cap_mbit_s": 5.0' in capsys.readouterr().out


def test_a_file_that_is_missing_is_reported_without_error_numbers(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    with pytest.raises(InvalidFile) as error:
        read_fleet(path)
    assert has_message(FLEET_FILE_UNREADABLE, path=str(path), reason="No such file or directory")(error.value)
