"""Machines behind gateways at the command line: labs that have them, and studies that are asked for them."""

from __future__ import annotations

import json
import subprocess
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sample_records as sample

from app.cli import labs, studies
from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import LAB_WITHOUT_NODES
from app.cli.pairs import recover
from app.cli.parser import parse
from app.domain.cancel import CancelToken
from app.domain.errors import InvalidOption, NotFound
from app.domain.hosts import PairSpec, Side
from app.domain.topology import NodeKind
from app.lab import CpuKind, Lab, LabSpec, LabStatus
from app.lab.messages import NO_LAB_OF_KIND
from app.lab.spec import LabNode
from app.measurement.messages.studies import NO_NODE_MACHINES, STUDY_WITHOUT_MACHINES
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.hub_study import HUB_STUDY
from app.ranking.node_study import NODE_STUDY
from app.tunnel.recovery import Found, HostRecovery, RecoveryReport
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


class NoServices:
    """Context of a command that must refuse before it opens the services."""

    def __init__(self, *words: str) -> None:
        self.options = parse(["study", "run", *words, "--nodes", "machines"])

    def services(self) -> Any:
        raise AssertionError("A pair was searched for, or a lab started.")


def test_a_study_without_machines_is_refused_before_a_lab_is_started() -> None:
    context: Any = NoServices(HUB_STUDY, "lab:debian-13")
    with pytest.raises(InvalidOption, check=has_message(STUDY_WITHOUT_MACHINES, study=HUB_STUDY)):
        studies.run(context)


class OneLab:
    """Services with one running lab, `lab:four`, which has no machines; they start none."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def resolve_pair(self, name: str, **_: object) -> PairSpec:
        raise AssertionError(f"A lab was started for {name}.")

    def known_pair(self, name: str) -> PairSpec:
        self.asked.append(name)
        if name != "lab:four":
            raise NotFound(NO_LAB_OF_KIND(kind=name.removeprefix("lab:")))
        return replace(sample.pair(), name="lab:four")


@pytest.mark.parametrize("study", ["satcom-2021", NODE_STUDY, APPLICATION_STUDY])
def test_no_lab_is_started_for_machines_which_it_would_not_have(study: str) -> None:
    services = OneLab()
    words = ["study", "run", study, "lab:debian-13", "--nodes", "machines"]
    context: Any = SimpleNamespace(options=parse(words), services=lambda: nullcontext(services), err=None)
    with pytest.raises(NotFound, check=has_message(NO_LAB_OF_KIND, kind="debian-13")) as refused:
        studies.run(context)
    assert "tunnelmark lab up --nodes" in refused.value.hint
    context.options.pair = "lab:four"
    context.job = lambda work: work(CancelToken(), None)
    with pytest.raises(InvalidOption, check=has_message(NO_NODE_MACHINES, pair="lab:four")):
        studies.run(context)
    assert services.asked == ["lab:debian-13", "lab:four"]


@pytest.mark.parametrize(
    ("is_b_clean", "status"), [(True, ExitCode.INCOMPLETE), (False, ExitCode.FAILED)], ids=["node", "gateway"]
)
def test_recover_ends_with_another_status_where_only_a_node_remains(is_b_clean: bool, status: ExitCode) -> None:
    nothing = HostRecovery(Side.A, Found.NOTHING, is_clean=True, sentence="nothing")
    off = HostRecovery(Side.B, Found.UNREACHABLE, is_clean=False, sentence="node-b is off.")
    report = RecoveryReport(nothing, replace(nothing, side=Side.B, is_clean=is_b_clean), (nothing, off))
    services = SimpleNamespace(resolve_pair=lambda *_, **__: sample.pair(), recover=lambda *_, **__: report)
    printed: list[str] = []
    context: Any = SimpleNamespace(
        options=SimpleNamespace(pair="lab:four"),
        services=lambda: nullcontext(services),
        job=lambda work: work(CancelToken(), None),
        out=SimpleNamespace(print=lambda text, **_: printed.append(text)),
    )
    assert recover(context) is status
    assert printed[-1] == "node-b is off."
