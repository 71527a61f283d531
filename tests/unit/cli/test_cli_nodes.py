"""Machines behind gateways at the command line: labs that have them, and studies that are asked for them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.cli import labs
from app.cli.main import main
from app.cli.messages import LAB_WITHOUT_NODES
from app.cli.parser import parse
from app.domain.errors import NotFound
from app.domain.hosts import Side
from app.domain.topology import NodeKind
from app.lab import CpuKind, Lab, LabSpec, LabStatus
from app.lab.spec import LabNode
from app.measurement.messages.studies import STUDY_WITHOUT_MACHINES
from support.message_checks import has_message

LAB = Lab(
    LabSpec("four", has_nodes=True),
    Path("/nowhere"),
    {Side.A: 1, Side.B: 2},
    datetime.now(UTC),
    None,
    {LabNode.A: 3, LabNode.B: 4},
)


def context(lab: Lab, **options: object) -> Any:
    manager = SimpleNamespace(find=lambda _name: lab, status=lambda: (status(),))
    return SimpleNamespace(options=SimpleNamespace(name="four", **options), labs=lambda: manager)


def status() -> LabStatus:
    return LabStatus(
        *("four", ("debian-13", "debian-13"), CpuKind.AES, (True, True), (1, 2), (11, 12), LAB.since, None),
        node_ports=(3, 4),
        node_pids=(13, None),
    )


@pytest.mark.parametrize(("side", "port"), [("A", "1"), ("NODE-A", "3"), ("NODE-B", "4")])
def test_lab_ssh_logs_in_to_nodes_as_to_gateways(monkeypatch: pytest.MonkeyPatch, side: str, port: str) -> None:
    ran: list[list[str]] = []

    def run(argv: list[str], *, check: bool) -> Any:
        ran.append(argv)
        return SimpleNamespace(returncode=int(check))

    monkeypatch.setattr(subprocess, "run", run)
    assert labs.ssh(context(LAB, side=side, remote=["true"])) == 0
    (argv,) = ran
    assert argv[argv.index("-p") + 1] == port


def test_a_lab_without_nodes_says_so() -> None:
    plain = replace(LAB, spec=LabSpec("four"), node_ports={})
    with pytest.raises(NotFound, check=has_message(LAB_WITHOUT_NODES, name="four")):
        labs.ssh(context(plain, side="NODE-A", remote=[]))


def test_lab_status_names_nodes_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    labs.status(context(LAB, json=True))
    (found,) = json.loads(capsys.readouterr().out)["labs"]
    assert found["nodes"] == [{"is_running": True, "port": 3}, {"is_running": False, "port": 4}]


def test_nodes_are_namespaces_unless_asked_for() -> None:
    words = ["study", "run", "satcom-2021", "lab:four"]
    assert NodeKind(parse(words).nodes) is NodeKind.NAMESPACES
    assert NodeKind(parse([*words, "--nodes", "machines"]).nodes) is NodeKind.MACHINES


def test_a_study_of_a_comparison_has_no_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "run", "industrial-2019", "lab:four", "--nodes", "machines"]) != 0
    assert STUDY_WITHOUT_MACHINES(study="industrial-2019") in " ".join(capsys.readouterr().err.split())
