"""Tables of the terminal: identifiers are whole at every width."""

from __future__ import annotations

import ast
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sample_records import pair, sample_record

import app.cli
from app.cli.census import census_table
from app.cli.deployments_monitor import loss_table
from app.cli.doctor import _Check, check_table
from app.cli.fleet import fleet_table
from app.cli.history import history_table
from app.cli.labs import lab_table
from app.cli.pairs import pair_table
from app.cli.policy import answer_table, guideline_table, verdict_table
from app.cli.records import deployment_table
from app.cli.results import ranking_table
from app.cli.suites_text import print_suites, suite_overview
from app.cli.tables import Column, Kind, Table
from app.cli.terminal import CleanConsole
from app.deployment.fleet import FleetEntry, FleetOutcome, FleetState
from app.deployment.monitor_log import Health, Loss
from app.domain.deployment import DeploymentOptions, DeploymentState
from app.domain.history import EntryKind, HistoryEntry, Winner
from app.domain.hosts import HostSpec, PairSpec
from app.domain.pairs import PairChoice
from app.domain.results import CampaignRecord
from app.lab import CpuKind, LabStatus
from app.policy import GUIDELINES, all_rows
from app.ranking import rank
from support.fake_solutions import discovery
from support.stored_deployments import DEPLOYMENT

WIDTHS = (80, 100, 120, 160)
LONG = "plant-north-2031.pumping-station-17.intake"
SUITE = "mac-hmac-sha2-512-etm-at-openssh.com+curve25519-mlkem768x25519"
TITLE = "IPsec (IKEv2, ESP in UDP) with L2TPv3, AES-256-GCM with X25519 and ML-KEM-768"
ADDRESS_A = "maintenance-operator@gateway-a.pumping-station-17.example.org:50022"
ADDRESS_B = "maintenance-operator@[2001:db8:17:4:5054:ff:fe12:3456]:50022"
AT = datetime(2026, 3, 6, 8, 15, tzinfo=UTC)

HOST_A = HostSpec("A", "gateway-a.pumping-station-17.example.org", 50022, "maintenance-operator")
HOST_B = HostSpec("B", "[2001:db8:17:4:5054:ff:fe12:3456]", 50022, "maintenance-operator")
LONG_PAIR = PairSpec(LONG, HOST_A, HOST_B, "2001:db8:17:4:5054:ff:fe12:1", "2001:db8:17:4:5054:ff:fe12:2")


def record() -> CampaignRecord:
    """Return a comparison with long titles and intervals of wide figures."""
    made = sample_record()
    plan = replace(made.plan, pair=LONG_PAIR)
    candidates = tuple(
        replace(one, title=TITLE) if one.solution == "wireguard" else one for one in made.plan.candidates
    )
    return replace(made, plan=replace(plan, candidates=candidates))


def labs() -> Table:
    return lab_table(
        [
            LabStatus(
                LONG, ("debian-11", "debian-13"), CpuKind.NO_AES, (True, False), (41234, 41235), (1, None), AT, None
            )
        ]
    )


def pairs() -> Table:
    return pair_table([PairChoice(LONG_PAIR, "2026-03-06 08:15, standard")])


def found() -> Any:
    made = discovery(LONG_PAIR)
    return replace(made, candidates=tuple(replace(one, suite=f"{SUITE}.{n}") for n, one in enumerate(made.candidates)))


def deployments() -> Table:
    one = SimpleNamespace(
        id="4f1c2d3e-20260306-081500",
        pair=LONG_PAIR,
        solution="openvpn-udp",
        suite=SUITE,
        state="half-confirmed",
        is_refused=False,
        is_rolled_back=False,
        state_at=AT,
        by="maintenance-operator@engineering-workstation-3",
    )
    return deployment_table(cast("Any", [one]))


def fleet() -> Table:
    entry = FleetEntry(LONG_PAIR, "openvpn-udp", SUITE, DeploymentOptions())
    message = "gateway-b.example.org cannot be reached: connection refused. Is the host on?"
    return fleet_table([FleetOutcome(entry, FleetState.FAILED, message=message, seconds=12.0)])


def census() -> Table:
    item = SimpleNamespace(solution="openvpn-udp-with-a-long-name")
    solution = SimpleNamespace(solution=item.solution, working=101, failed=202, total=303, unprotected=12)
    plan = SimpleNamespace(items=[item] * 400)
    results = SimpleNamespace(record=SimpleNamespace(census_id=7, pair=LONG_PAIR, plan=plan), solutions=[solution])
    return census_table(cast("Any", results))


def losses() -> Table:
    why = "gateway-b.example.org: the tunnel is down; gateway-a.pumping-station-17.example.org: no answer"
    return loss_table([Loss(AT, Health.LOST, why)], AT)


def history() -> Table:
    winner, note = Winner(f"{TITLE} (tied)", "ipsec", SUITE), "before the new firmware\nof both gateways"
    return history_table(
        [
            HistoryEntry(EntryKind.COMPARISON, "1234", AT, LONG, "interrupted", "standard", 5, 0, 2, winner, note),
            HistoryEntry(EntryKind.CENSUS, "c3", AT, LONG, "completed", "20 echo requests", 625, 614, 11),
            HistoryEntry(EntryKind.DEPLOYMENT, "4f1c2d3e4f1c2d3e", AT, LONG, "half-confirmed", winner=winner),
        ]
    )


TABLES: dict[str, tuple[Callable[[], Table], Sequence[str]]] = {
    "lab status": (labs, (LONG, f"lab:{LONG}", "B is off")),
    "pair list": (pairs, (LONG, ADDRESS_A, ADDRESS_B)),
    "discover": (lambda: suite_overview(found()), ("openvpn-udp", "wireguard", f"{SUITE}.2")),
    "rank": (lambda: ranking_table(record(), rank(record())), (LONG, TITLE, "Recommended", "1.102", "42.5")),
    "history": (
        history,
        (
            "1234",
            LONG,
            "2 failed, 0 of 5 VPNs",
            "c3",
            "11 failed, 614 of 625 options",
            "on one host only",
        ),
    ),
    "census": (census, (LONG, "openvpn-udp-with-a-long-name", "101 / 202 / 303")),
    "deploy --all": (fleet, (LONG, "failed")),
    "deployments": (deployments, ("4f1c2d3e-20260306-081500", LONG, "openvpn-udp", SUITE, "on one host only")),
    "status --watch": (losses, (f"{AT.astimezone():%Y-%m-%d %H:%M:%S}",)),
    "doctor": (lambda: check_table([_Check(LONG, True, True, f"/home/{LONG}/images")]), (LONG,)),
    "policy list": (lambda: verdict_table(None), tuple(row.title for row in all_rows())),
    "policy list, guidelines": (lambda: guideline_table(()), tuple(GUIDELINES)),
    "policy show": (lambda: answer_table("BF-CBC", ()), ("Is it insecure?", "CVE-2016-6329;", "AES-256-GCM")),
}


def printed(table: Table, width: int) -> list[str]:
    out = CleanConsole(width=width, file=io.StringIO(), color_system=None, highlight=False)
    table.print(out)
    return cast("io.StringIO", out.file).getvalue().splitlines()


def test_in_a_pipe_no_row_is_broken_or_filled_up() -> None:
    sentence = "Unlock or install the system's keyring, or type the password each time it is asked for. " * 2
    lines = printed(check_table([_Check("keyring", False, False, sentence), _Check("Qt", True, True, "6")]), 10_000)
    assert any(sentence.strip() in line for line in lines)
    assert len(lines) == 5
    assert [line for line in lines if line != line.rstrip()] == []


def test_in_a_pipe_a_long_cell_widens_neither_the_rule_nor_other_rows() -> None:
    table = Table([Column("study"), Column("source", Kind.PROSE), Column("part"), Column("number", Kind.FIGURE)])
    table.add_row("industrial", "A. Author, A study of tunnels. " * 8 + "A study of tunnels.", "quick", "7")
    table.add_row("satcom", "B. Author", "all", "12")
    heads, rule, long, short = printed(table, 10_000)
    assert set(rule) == {"─"}
    assert len(rule) == len(heads) < 130
    assert short.index("all") == heads.index("part")
    assert (len(short), len(heads)) == (len(rule), len(rule)), "figures end below the end of their heading"
    assert long.endswith("A study of tunnels.  quick       7"), "it is whole, and on one line"


def test_in_a_pipe_a_long_last_cell_leaves_the_rule_as_long_as_a_line() -> None:
    table = Table([Column("study"), Column("source", Kind.PROSE)])
    table.add_row("industrial", "A. Author, A study of tunnels. " * 9)
    assert [len(line) for line in printed(table, 10_000)[:2]] == [18, 100]


def test_in_a_pipe_headings_of_several_lines_are_above_their_columns() -> None:
    table = Table([Column("VPN"), Column("latency\nms", Kind.FIGURE), Column("state")])
    table.add_row("wireguard", "1.10", "first\nsecond")
    assert printed(table, 10_000) == [
        "           latency",
        "VPN             ms  state",
        "─" * 26,
        "wireguard     1.10  first",
        "                    second",
    ]


def words(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", list(TABLES))
def test_no_identifier_is_cut(name: str, width: int) -> None:
    make, identifiers = TABLES[name]
    lines = printed(make(), width)
    assert not [line for line in lines if "…" in line]
    for identifier in identifiers:
        assert any(identifier in line for line in lines), f"{identifier} at {width} columns:\n" + "\n".join(lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_suites_are_whole_on_lines_of_their_own(width: int) -> None:
    out = CleanConsole(width=width, file=io.StringIO(), color_system=None, highlight=False)
    print_suites(out, found(), is_for_option=True)
    lines = cast("io.StringIO", out.file).getvalue().splitlines()
    for one in found().candidates:
        assert sum(line.split()[:1] == [f"{one.solution}:{one.suite}"] for line in lines) == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_ranking_of_usual_names_is_a_table_with_names_and_figures(width: int) -> None:
    made = sample_record()
    lines = printed(ranking_table(made, rank(made)), width)
    (line,) = (line for line in lines if "WireGuard, ChaCha20-Poly1305" in line)
    assert line.split()[0] == "1"
    for cell in ("Recommended", "1.102", "42.5", "41.5"):
        assert cell in line
    assert all(len(one) <= width for one in lines)
    assert any(one.startswith("Left out at this width: ") for one in lines) == (width < 200)


def test_columns_of_one_rank_are_left_out_together_and_named() -> None:
    columns = [Column("name"), Column("one", rank=1), Column("two\nlines", rank=1), Column("three", Kind.FIGURE, 2)]
    table = Table(columns, more="--json")
    table.add_row("gateway", "1" * 20, "2" * 20, "3")
    assert printed(table, 60)[-1].split() == ["gateway", "1" * 20, "2" * 20, "3"]
    ones, twos = "1" * 20, "2" * 20
    assert words(printed(table, 53)[-2:]) == f"gateway {ones} {twos} Left out at this width: three; --json has them."
    assert words(printed(table, 50)[-3:]) == "gateway Left out at this width: one, two lines, three; --json has them."


def test_prose_wraps_and_shares_what_is_left() -> None:
    table = Table([Column("name"), Column("why", Kind.PROSE)])
    table.add_row("gateway-a", "it cannot be reached because the link is down and nobody has mended it so far")
    lines = printed(table, 50)
    assert all(len(line) <= 50 for line in lines)
    assert words(lines[2:]) == (
        "gateway-a it cannot be reached because the link is down and nobody has mended it so far"
    )


def test_no_command_makes_a_table_of_its_own() -> None:
    folder = Path(app.cli.__path__[0])
    users = [
        path.name
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "rich.table"
    ]
    assert users == ["tables.py"]


def test_a_lab_pair_is_named_in_the_title() -> None:
    made = sample_record()
    assert printed(ranking_table(made, rank(made)), 80)[0] == f"Comparison 7 of {pair().name}"


def test_a_refused_deployment_is_called_so_in_every_list() -> None:
    one = replace(DEPLOYMENT, state=DeploymentState.FAILED, is_refused=True)
    out = CleanConsole(file=io.StringIO(), width=200)
    deployment_table([one]).print(out)
    text = cast("io.StringIO", out.file).getvalue()
    assert "refused" in text
    assert "failed" not in text
