"""The main job, as a user does it on the command line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import html5lib
import pytest
from program import PROGRAM, Run, load

from app.domain.results import AttemptStatus, CampaignStatus
from app.storage import Store

FRAME_BYTES = [60, 128, 256, 512, 1024, 1400, 1514]
SOLUTIONS = ["baseline", "wireguard", "openvpn-udp"]


@pytest.fixture(scope="module")
def compared(tunnelmark: Run, lab_name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with everything that one comparison wrote."""
    folder = tmp_path_factory.mktemp("out")
    done = tunnelmark(
        *("compare", f"lab:{lab_name}", "--solutions", ",".join(SOLUTIONS), "--profile", "quick"),
        *("--pings", "60", "--seconds", "1", "--deadline-ms", "10"),
        *("--json", str(folder / "out.json"), "--report", str(folder / "out.html")),
        *("--csv", str(folder / "out.csv"), "--pdf", str(folder / "out.pdf")),
    )
    (folder / "stdout.txt").write_text(done.stdout, encoding="utf-8")
    return folder


def test_json_has_every_candidate_with_real_figures(compared: Path) -> None:
    data = load(compared / "out.json")
    assert isinstance(data["format"], int)
    results = {result["solution"]: result for result in data["results"]}
    assert sorted(results) == sorted(SOLUTIONS)
    for result in results.values():
        assert result["status"] == "completed"
        assert [row["frame_bytes"] for row in result["latency"]] == FRAME_BYTES
        for row in result["latency"]:
            assert row["sent"] >= 60
            assert 0 < row["received"] <= row["sent"]
            assert 0 < row["p50_ms"] <= row["p95_ms"] <= row["p99_ms"] <= row["max_ms"]
            assert 0 <= row["over_deadline_pct"] <= 100
        assert result["weighted_latency_ms"] > 0
        assert set(result["throughput_mbit_s"]) == {"a_to_b", "b_to_a"}
        assert min(result["throughput_mbit_s"].values()) > 0
        assert 0 < result["cpu_pct"]["a"] <= 100
        assert 0 < result["cpu_pct"]["b"] <= 100


def test_encryption_costs_something(compared: Path) -> None:
    results = {result["solution"]: result for result in load(compared / "out.json")["results"]}
    bare = results["baseline"]
    for name in ("wireguard", "openvpn-udp"):
        # Medians of the largest frames: of 60 round trips, one that the computer held up moves every mean.
        assert results[name]["latency"][-1]["p50_ms"] > bare["latency"][-1]["p50_ms"]
        assert results[name]["throughput_mbit_s"]["a_to_b"] < bare["throughput_mbit_s"]["a_to_b"]


def test_what_is_stored_has_processors_path_and_wire_of_every_attempt(compared: Path, home: Path) -> None:
    with Store.open(home / "tunnelmark.db") as store:
        record = store.load_campaign(load(compared / "out.json")["campaign_id"])
    assert record.status is CampaignStatus.COMPLETED
    said = [(one.status, one.message) for one in record.attempts]
    assert [status for status, _ in said] == [AttemptStatus.COMPLETED] * (len(SOLUTIONS) + 1), said
    for attempt in record.attempts:
        assert all(one.received >= 0.9 * one.sent for one in attempt.latency), attempt.key
        assert all(one.mbit_s > 0.5 for one in attempt.throughput)
        assert attempt.cpu_throughput.keys() == {"a", "b"}
        assert attempt.path is not None
    by_solution = {one.key.solution: one for one in record.attempts}
    # 60 requests and replies of 1400 and of 1514 bytes make two pieces each in WireGuard; the bare link makes none.
    assert by_solution["baseline"].path.fragments_created == 0  # type: ignore[union-attr]
    assert by_solution["wireguard"].path.fragments_created == 240  # type: ignore[union-attr]
    words = [one.wire.leak.verdict.value if one.wire and one.wire.leak else "" for one in record.attempts]
    expected = {"baseline": "exempt", "wireguard": "protected", "openvpn-udp": "protected"}
    assert words == [*(expected[one.key.solution] for one in record.attempts[:-1]), ""]
    for name in ("wireguard", "openvpn-udp"):
        crossings = by_solution[name].wire.crossings  # type: ignore[union-attr]
        assert [(one.kind, one.has_crossed) for one in crossings] == [
            ("non-ip", True),
            ("multicast", True),
            ("vlan", True),
        ]


def test_references_are_not_ranked_and_one_round_is_a_tie(compared: Path) -> None:
    ranking = load(compared / "out.json")["ranking"]
    ranks = {row["solution"]: row["rank"] for row in ranking}
    assert ranks["baseline"] is None
    assert {ranks[name] for name in SOLUTIONS if name != "baseline"} == {1}


def test_report_is_one_valid_file_that_fetches_nothing(compared: Path) -> None:
    text = (compared / "out.html").read_text(encoding="utf-8")
    html5lib.HTMLParser(strict=True).parse(text)
    assert "<script" not in text
    assert 'src="http' not in text
    assert "wireguard" in text.lower()


def test_pdf_and_csv_are_there(compared: Path) -> None:
    assert (compared / "out.pdf").read_bytes().startswith(b"%PDF-")
    lines = (compared / "out.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) > len(SOLUTIONS) * len(FRAME_BYTES)


def test_stdout_ends_with_a_recommendation_and_the_reports_path(compared: Path) -> None:
    text = (compared / "stdout.txt").read_text(encoding="utf-8")
    assert str(compared / "out.html") in text
    assert "wireguard" in text.lower() or "openvpn" in text.lower()


def test_hosts_are_clean_afterwards(compared: Path, on_host: Callable[[str, str], str]) -> None:
    for side in ("A", "B"):
        assert on_host(side, "test -e /run/tunnelmark && echo left; ip -o link").count("tmk") == 0
        assert "left" not in on_host(side, "test -e /run/tunnelmark && echo left; true")
        assert on_host(side, "pgrep -a 'openvpn|iperf3|ping|tcpdump'; true").strip() == ""


def test_rank_and_history_work_from_what_is_stored(compared: Path, tunnelmark: Run, lab_name: str) -> None:
    stored = load(compared / "out.json")
    again = json.loads(tunnelmark("rank", f"lab:{lab_name}", "--json", "-").stdout)
    assert again["results"] == stored["results"]
    assert f"lab:{lab_name}" in tunnelmark("history").stdout


def test_discover_says_what_the_hosts_are(tunnelmark: Run, lab_name: str, on_host: Callable[[str, str], str]) -> None:
    found = json.loads(_between_braces(tunnelmark("discover", f"lab:{lab_name}", "--json", "-").stdout))
    for side in ("a", "b"):
        facts = found["hosts"][side]
        assert facts["kernel"] == on_host(side.upper(), "uname -r").strip()
        assert facts["hostname"] == on_host(side.upper(), "hostname").strip()
        assert facts["solutions"]["wireguard"]["is_available"] is True


def _between_braces(text: str) -> str:
    return text[text.index("{") : text.rindex("\n}") + 2]


def test_dry_run_touches_nothing_and_shows_commands(
    tunnelmark: Run, lab_name: str, on_host: Callable[[str, str], str]
) -> None:
    done = tunnelmark("compare", f"lab:{lab_name}", "--solutions", "wireguard", "--dry-run")
    assert "wg" in done.stdout
    assert "PRIVATE KEY" not in done.stdout
    assert "left" not in on_host("A", "test -e /run/tunnelmark && echo left; true")


def test_a_lab_started_for_a_command_ends_with_it(environment: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "own-lab.json"
    home = tmp_path / "home"
    done = subprocess.run(
        [
            PROGRAM,
            "compare",
            "lab:debian-13",
            "--solutions",
            "baseline",
            "--pings",
            "10",
            "--seconds",
            "1",
            "--json",
            out,
        ],
        env={**environment, "TUNNELMARK_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert load(out)["results"][0]["status"] == "completed"
    left = subprocess.run(["pgrep", "-af", f"qemu.*{home}"], capture_output=True, text=True, check=False).stdout
    assert left == ""
    assert [path for path in (home / "labs").rglob("*") if path.is_socket() or path.suffix == ".qcow2"] == []


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
        (("rank", "--campaign", "999999"), 2),
        (("nonsense",), 2),
    ],
)
def test_mistakes_get_a_sentence_and_status_2(words: tuple[str, ...], status: int, tunnelmark: Run) -> None:
    done = tunnelmark(*words, status=status)
    assert len(done.stderr.strip()) > 10


def test_unreachable_hosts_are_said_to_be(tunnelmark: Run, tmp_path: Path) -> None:
    tunnelmark(
        "pair", "add", "gone", "--a", "root@127.0.0.1:1", "--b", "root@127.0.0.1:1", "--underlay", "10.0.0.1,10.0.0.2"
    )
    done = tunnelmark("discover", "gone", status=1)
    assert "127.0.0.1" in done.stderr
