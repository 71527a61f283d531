"""The main job, as a user does it on the command line: one comparison, on a lab that is started for it."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from program import PROGRAM, Run, load

from app.domain.capture import properties_of
from app.domain.injection import PropertyVerdict
from app.domain.link_protocols import LinkProtocol, ProtocolVerdict
from app.domain.profiles import BLOCK_PINGS
from app.domain.results import AttemptStatus, CampaignStatus
from app.measurement.adaptive.block_time import FEWEST_CYCLES
from app.storage import Store
from support.waiting import wait_until

FRAME_BYTES = [60, 128, 256, 512, 1024, 1400, 1514]
SOLUTIONS = ["baseline", "wireguard", "openvpn-udp"]
PINGS = 60
Results = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


IN_TURN = ("--profile", "quick", "--pings", str(PINGS), "--seconds", "3")
"""Candidates in turn; the default profile has them up side by side."""


BY_DEFAULT = ("--budget-min", "0.5")
by_default = pytest.mark.parametrize("compared", [BY_DEFAULT], indirect=True, ids=["by-default"])
in_turn = pytest.mark.parametrize(
    "compared", [pytest.param(IN_TURN, marks=pytest.mark.full, id="in-turn")], indirect=True
)


@pytest.fixture(
    scope="module",
    params=[pytest.param(BY_DEFAULT, id="by-default"), pytest.param(IN_TURN, marks=pytest.mark.full, id="in-turn")],
)
def compared(has_qemu: None, environment: dict[str, str], own_home: Path, request: pytest.FixtureRequest) -> Results:
    """Return the JSON record of each solution."""
    out = own_home / "out.json"
    done = subprocess.run(
        [
            *(PROGRAM, "compare", "lab:debian-13", "--solutions", ",".join(SOLUTIONS), *request.param),
            *("--deadline-ms", "10", "--json", out, "--force"),
        ],
        env={**environment, "TUNNELMARK_HOME": str(own_home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {result["solution"]: result for result in load(out)["results"]}


pytestmark = pytest.mark.timeout(1800)


def test_json_has_every_candidate_with_real_figures(compared: Results) -> None:
    assert sorted(compared) == sorted(SOLUTIONS)
    for result in compared.values():
        assert result["status"] == "completed"
        assert [row["frame_bytes"] for row in result["latency"]] == FRAME_BYTES
        for row in result["latency"]:
            assert row["sent"] >= FEWEST_CYCLES * min(BLOCK_PINGS)
            assert 0 < row["received"] <= row["sent"]
            assert 0 < row["p50_ms"] <= row["p95_ms"] <= row["p99_ms"] <= row["max_ms"]
            assert 0 <= row["over_deadline_pct"] <= 100
        assert result["weighted_latency_ms"] > 0
        assert set(result["throughput_mbit_s"]) == {"a_to_b", "b_to_a"}
        assert min(result["throughput_mbit_s"].values()) > 0
        assert 0 < result["cpu_pct"]["a"] <= 100
        assert 0 < result["cpu_pct"]["b"] <= 100


@by_default
def test_the_default_profile_measures_whole_blocks_in_turn(compared: Results, own_home: Path) -> None:
    found = load(own_home / "out.json")
    assert (found["profile"]["name"], found["status"]) == ("adaptive", "completed")
    assert found["rounds"] >= 1
    for result in compared.values():
        blocks = [row["sent"] / count for row, count in zip(result["latency"], BLOCK_PINGS, strict=True)]
        assert blocks == [blocks[0]] * len(FRAME_BYTES)
        assert blocks[0] >= FEWEST_CYCLES


def test_what_is_stored_has_processors_path_and_captures_of_every_attempt(compared: Results, own_home: Path) -> None:
    with Store.open(own_home / "tunnelmark.db") as store:
        record = store.load_campaign(load(own_home / "out.json")["campaign_id"])
    assert record.status is CampaignStatus.COMPLETED
    reported = [(one.status, one.message) for one in record.attempts]
    is_in_turn = not record.plan.profile.is_adaptive  # then the baseline is measured at the end once more
    in_round = len(SOLUTIONS) + is_in_turn
    assert {status for status, _ in reported} == {AttemptStatus.COMPLETED}, reported
    assert len(reported) >= in_round
    for attempt in record.attempts:
        assert all(one.received > 0 for one in attempt.latency), attempt.key
        assert all(one.mbit_s > 0 for one in attempt.throughput)
        assert attempt.cpu_throughput.keys() == {"a", "b"}
        assert attempt.path is not None
    captured = record.attempts[: len(SOLUTIONS)]
    words = {one.key.solution: one.capture.leak.verdict.value for one in captured if one.capture and one.capture.leak}
    assert words == {"baseline": "exempt", "wireguard": "protected", "openvpn-udp": "protected"}
    assert [one.capture for one in record.attempts[len(SOLUTIONS) : in_round]] == [None] * is_in_turn
    by_solution = {one.key.solution: one for one in captured}
    for name in ("wireguard", "openvpn-udp"):
        properties = properties_of(by_solution[name].capture)  # type: ignore[arg-type]
        assert {result.verdict for result in properties.values()} == {PropertyVerdict.HOLDS}, properties
        crossings = by_solution[name].capture.crossings  # type: ignore[union-attr]
        assert [(one.kind, one.has_crossed) for one in crossings] == [
            ("non-ip", True),
            ("multicast", True),
            ("vlan", True),
        ]
        protocols = by_solution[name].capture.protocols  # type: ignore[union-attr]
        assert {one.protocol: one.verdict for one in protocols} == dict.fromkeys(
            LinkProtocol, ProtocolVerdict.CROSSES
        ), protocols


@in_turn
def test_fragments_are_those_of_the_frames_that_do_not_fit(compared: Results, own_home: Path) -> None:
    with Store.open(own_home / "tunnelmark.db") as store:
        record = store.load_campaign(load(own_home / "out.json")["campaign_id"])
    by_solution = {one.key.solution: one for one in record.attempts}
    assert by_solution["baseline"].path.fragments_created == 0  # type: ignore[union-attr]
    wireguard = by_solution["wireguard"]
    made = wireguard.path.fragments_created  # type: ignore[union-attr]
    # Requests and replies of 1514 bytes make two fragments each in WireGuard, those of 1400 none. ping sends one more
    # request now and then, which is not counted; so does the warm-up.
    received = sum(one.received for one in wireguard.latency if one.frame_bytes > 1400)
    assert made is not None
    assert made % 2 == 0
    assert made >= 4 * received > 0


def working_folders() -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            yield str((process / "cwd").readlink())


def test_the_lab_ended_with_its_command(compared: Results, own_home: Path) -> None:
    # Each process of a lab works in the lab's folder.
    wait_until(lambda: not any(place.startswith(str(own_home)) for place in working_folders()), "the end of the lab")
    assert [path for path in (own_home / "labs").rglob("*") if path.is_socket() or path.suffix == ".qcow2"] == []


@pytest.mark.full
@pytest.mark.timed
def test_encryption_costs_something(compared: Results) -> None:
    bare = compared["baseline"]
    for name in ("wireguard", "openvpn-udp"):
        # Medians of the largest frames: of 60 round trips, one that the computer held up moves every mean.
        slower = compared[name]["latency"][-1]["p50_ms"] / bare["latency"][-1]["p50_ms"]
        narrower = compared[name]["throughput_mbit_s"]["a_to_b"] / bare["throughput_mbit_s"]["a_to_b"]
        print(f"{name}: {slower:.2f} times the round trip, {narrower:.2f} of the throughput of the bare link")
        assert slower > 1
        assert narrower < 1
        assert compared[name]["weighted_latency_ms"] > bare["weighted_latency_ms"]


def test_discover_says_what_the_hosts_are(tunnelmark: Run, lab_name: str, on_host: Callable[[str, str], str]) -> None:
    found = json.loads(_between_braces(tunnelmark("discover", f"lab:{lab_name}", "--json", "-").stdout))
    for side in ("a", "b"):
        facts = found["hosts"][side]
        assert [facts["kernel"], facts["hostname"]] == on_host(side.upper(), "uname -r; hostname").split()
        assert facts["solutions"]["wireguard"]["is_available"] is True


def _between_braces(text: str) -> str:
    return text[text.index("{") : text.rindex("\n}") + 2]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("compare", "nobody"), 2),
        (("compare", "lab:nobody"), 2),
        (("lab", "up", "--platform", "amiga-500"), 2),
        (("lab", "up", "--platform", "A=debian-11"), 2),
        (("compare", "lab:A=debian-11,B=amiga-500"), 2),
        (("lab", "up", "--name", "debian-11"), 2),
        (("lab", "up", "--name", "debian-13"), 2),
        (("pair", "add", "x", "--a", "::::", "--b", "b", "--underlay", "1.1.1.1,2.2.2.2"), 2),
        (("pair", "add", "x", "--a", "a", "--b", "b", "--underlay", "nonsense"), 2),
        (("pair", "add", "x", "--a", "root@a", "--b", "root@a:22", "--underlay", "10.0.0.1,10.0.0.2"), 2),
        (("rank", "--campaign", "999999"), 2),
        (("nonsense",), 2),
    ],
)
def test_mistakes_get_a_sentence_and_status_2(words: tuple[str, ...], status: int, tunnelmark: Run) -> None:
    done = tunnelmark(*words, status=status)
    assert len(done.stderr.strip()) > 10


def test_unreachable_hosts_are_reported_to_be(tunnelmark: Run, tmp_path: Path) -> None:
    tunnelmark(
        "pair", "add", "gone", "--a", "root@127.0.0.1:1", "--b", "root@127.0.0.1:2", "--underlay", "10.0.0.1,10.0.0.2"
    )
    done = tunnelmark("discover", "gone", status=1)
    assert "127.0.0.1" in done.stderr
