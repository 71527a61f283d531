"""A comparison of a pair of one's own, made of namespaces: its reports, its ranking, and hosts as they were before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import html5lib
import pytest
from program import load

from app.host.snapshots import HostSnapshot, compare_snapshots
from support.net_desk import Desk, Ran, need_namespaces, wait_until_nothing_is_left
from support.net_hosts import NetHost, NetHosts, NetPair, net_hosts
from support.waiting import wait_until

FRAME_SIZES = 7
SOLUTIONS = ["baseline", "openvpn-udp", "tinc"]


@dataclass(frozen=True)
class Compared:
    """Outcome of a comparison.

    Attributes:
        pair: The hosts.
        desk: The user's computer.
        before: Both hosts before it.
        done: How the program ended.
        folder: Holds what it wrote: out.json, out.html, out.csv and out.pdf.
    """

    pair: NetPair
    desk: Desk
    before: list[HostSnapshot]
    done: Ran
    folder: Path


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetHosts]:
    need_namespaces()
    with net_hosts(tmp_path_factory.mktemp("hosts")) as started:
        yield started


@pytest.fixture(scope="module")
def compared(hosts: NetHosts, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    folder = tmp_path_factory.mktemp("out")
    (pair,) = hosts.pairs
    desk = Desk(hosts, folder / "desk")
    desk.know(pair)
    before = [host.inspect() for host in pair.hosts]
    done = desk.tunnelmark(
        *(
            "compare",
            pair.name,
            "--solutions",
            ",".join(SOLUTIONS),
            "--profile",
            "quick",
            "--allow-load",
            "--load-cap",
            "200",
        ),
        *("--pings", "30", "--seconds", "2", "--json", str(folder / "out.json"), "--report", str(folder / "out.html")),
        *("--csv", str(folder / "out.csv"), "--pdf", str(folder / "out.pdf")),
    )
    assert done.status == 0, done.out + done.err
    return Compared(pair, desk, before, done, folder)


def test_every_candidate_is_measured_and_protected(compared: Compared) -> None:
    results = {result["solution"]: result for result in load(compared.folder / "out.json")["results"]}
    assert sorted(results) == sorted(SOLUTIONS)
    for result in results.values():
        assert result["status"] == "completed"
        assert len(result["latency"]) == FRAME_SIZES
        assert all(0 < row["received"] <= row["sent"] for row in result["latency"])
        assert min(result["throughput_mbit_s"].values()) > 0


def test_references_are_not_ranked_and_one_round_is_a_tie(compared: Compared) -> None:
    ranks = {row["solution"]: row["rank"] for row in load(compared.folder / "out.json")["ranking"]}
    assert ranks["baseline"] is None
    assert {ranks[name] for name in SOLUTIONS if name != "baseline"} == {1}


def test_report_is_one_valid_file_that_fetches_nothing(compared: Compared) -> None:
    text = (compared.folder / "out.html").read_text(encoding="utf-8")
    html5lib.HTMLParser(strict=True).parse(text)
    assert "<script" not in text
    assert 'src="http' not in text
    assert "openvpn" in text.lower()


def test_pdf_and_csv_are_there(compared: Compared) -> None:
    assert (compared.folder / "out.pdf").read_bytes().startswith(b"%PDF-")
    lines = (compared.folder / "out.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) > len(SOLUTIONS) * FRAME_SIZES


def test_stdout_ends_with_a_recommendation_and_the_reports_path(compared: Compared) -> None:
    text = compared.done.out
    assert str(compared.folder / "out.html") in text.replace("\n", "")
    assert "openvpn" in text.lower()


def runs_no_probe(host: NetHost) -> bool:
    return host.run("pgrep -a 'openvpn|tincd|iperf3|ping|tcpdump' || :").strip() == ""


def test_hosts_are_as_they_were_before(compared: Compared) -> None:
    # The shell of a probe notices within a second that its connection has ended.
    wait_until_nothing_is_left(compared.pair.hosts)
    for host, before in zip(compared.pair.hosts, compared.before, strict=True):
        wait_until(partial(runs_no_probe, host), "the end of every probe")
        assert compare_snapshots(before, host.inspect()) == ()


def test_rank_and_history_work_from_what_is_stored(compared: Compared) -> None:
    stored = load(compared.folder / "out.json")
    again = json.loads(compared.desk.tunnelmark("rank", compared.pair.name, "--json", "-").out)
    assert again["results"] == stored["results"]
    assert compared.pair.name in compared.desk.tunnelmark("history").out


def test_dry_run_touches_nothing_and_shows_commands(compared: Compared) -> None:
    before = [host.inspect() for host in compared.pair.hosts]
    done = compared.desk.tunnelmark("compare", compared.pair.name, "--solutions", "openvpn-udp", "--dry-run")
    assert done.status == 0, done.err
    assert "openvpn" in done.out
    assert "ip link" in done.out
    assert "PRIVATE KEY" not in done.out
    for host, old in zip(compared.pair.hosts, before, strict=True):
        assert compare_snapshots(old, host.inspect()) == ()
