"""Studies between machines behind hosts of the user's own at the command line: what is asked, and what is refused."""

from __future__ import annotations

import io
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import sample_records as sample
from fake_services import FakeServices

from app.cli import study_consent
from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import SHAPING_WITHOUT_ANSWER, STUDY_WITHOUT_ANSWER
from app.domain.hosts import HostSpec, NodeHost, PairSpec
from app.domain.topology import NodeKind
from app.domain.transfers import of_solutions
from app.measurement.lab_studies import LAB_STUDIES
from app.measurement.messages.studies import (
    NO_NODE_MACHINES,
    OWN_HOSTS_OVER_CAP,
    OWN_HOSTS_ROUTED,
    STUDY_NEEDS_LAB,
)
from app.measurement.own_hosts import OwnHostsConsent
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.node_study import NODE_STUDY
from app.ranking.study_parts import SATCOM, cells_of, predicted_s
from support.message_checks import shows

PLAIN = sample.pair(is_lab=False)
NODES = [NodeHost(HostSpec(f"node-{side}", f"192.0.2.2{side}"), "eth1", "eth2") for side in (1, 2)]
PAIR = replace(PLAIN, node_a=NODES[0], node_b=NODES[1])
STUDIES = [(SATCOM, True), (APPLICATION_STUDY, True), (NODE_STUDY, False)]


class Services(FakeServices):
    """Services with one stored pair, that keep what they were asked for."""

    pair: PairSpec
    asked: list[Any]

    def known_pair(self, _name: str) -> PairSpec:
        return self.pair

    def resolve_pair(self, _name: str, **_: object) -> PairSpec:
        return self.pair

    def run_study(self, discovery: Any, request: Any, **more: Any) -> Any:
        self.asked.append(request)
        return super().run_study(discovery, request, **more)

    def run_lab_study(self, discovery: Any, wanted: Any, **more: Any) -> Any:
        self.asked.append(wanted)
        return super().run_lab_study(discovery, wanted, **more)


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Services:
    monkeypatch.setattr(FakeServices, "_call", lambda *_: None)  # it refuses the main thread, that of a window
    made = Services(None)  # type: ignore[arg-type]
    made.study_gate.set()
    made.pair, made.asked = PAIR, []
    monkeypatch.setattr(CommandContext, "services", lambda _self: nullcontext(made))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return made


def run(study: str, *words: str) -> int:
    return main(["study", "run", study, PAIR.name, "--nodes", "machines", *words])


@pytest.mark.parametrize(("study", "is_shaped"), STUDIES)
def test_with_its_consents_a_study_runs_between_the_machines_of_a_pair(
    services: Services, capsys: pytest.CaptureFixture[str], study: str, *, is_shaped: bool
) -> None:
    consents = ("--allow-load", *(("--yes-shape",) if is_shaped else ()))
    assert run(study, *consents) == ExitCode.OK
    (asked,) = services.asked
    assert asked.nodes is NodeKind.MACHINES
    assert asked.consent == OwnHostsConsent(may_change=True, may_shape=is_shaped, pair=PAIR)
    printed = " ".join(capsys.readouterr().err.split())
    assert f"{study} changes four machines of {PAIR.name}." in printed
    assert "192.0.2.21 (eth1)" in printed


@pytest.mark.parametrize(
    ("study", "others"),
    [
        (SATCOM, ["fastd"]),  # 10 tunnels
        (  # 19 tunnels
            APPLICATION_STUDY,
            ["fastd", "tinc", "freelan", "ssh", "openvpn-udp", "openvpn-tcp", "wireguard-vxlan", "stunnel"],
        ),
    ],
)
def test_the_predicted_time_is_that_of_hosts_that_shape_the_link(
    services: Services, capsys: pytest.CaptureFixture[str], study: str, others: list[str]
) -> None:
    assert run(study, "--allow-load", "--yes-shape", "--solutions", ",".join(("all", *others))) == ExitCode.OK
    if study == SATCOM:
        cells = of_solutions(cells_of("quick"), {one.solution for one in cells_of("quick")} | set(others))
        predicted = partial(predicted_s, cells)
    else:
        applications = LAB_STUDIES[study]
        cells = applications.chosen("quick", (*applications.solutions("quick"), *others))
        predicted = partial(applications.predicted_s, "quick", cells)
    minutes, of_lab = (f"about {predicted(is_shaped=one) / 60:.0f} minutes" for one in (True, False))
    assert minutes != of_lab, "there is one more group than in a lab"
    assert minutes in capsys.readouterr().err


@pytest.mark.parametrize(("study", "is_shaped"), STUDIES)
def test_without_a_terminal_the_changes_are_named_and_the_option_that_agrees(
    services: Services, capsys: pytest.CaptureFixture[str], study: str, *, is_shaped: bool
) -> None:
    assert run(study) == ExitCode.INVALID
    printed = capsys.readouterr().err
    assert "192.0.2.22 (eth1)" in " ".join(printed.split())
    assert shows(printed, STUDY_WITHOUT_ANSWER.text, study=study, pair=PAIR.name)
    assert shows(printed, STUDY_WITHOUT_ANSWER.hint)
    if is_shaped:
        assert run(study, "--allow-load") == ExitCode.INVALID
        assert shows(capsys.readouterr().err, SHAPING_WITHOUT_ANSWER.text)
    assert services.asked == []


@pytest.mark.parametrize(("answer", "status"), [("yes", ExitCode.OK), ("no", ExitCode.CANCELLED)])
def test_at_a_terminal_the_user_is_asked(
    services: Services, monkeypatch: pytest.MonkeyPatch, answer: str, status: ExitCode
) -> None:
    questions: list[str] = []

    def ask(question: str) -> bool:
        questions.append(question)
        return answer == "yes"

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(study_consent, "ask_yes", ask)
    assert run(NODE_STUDY) == status
    (question,) = questions
    assert NODE_STUDY in question
    assert PAIR.name in question
    assert len(services.asked) == int(answer == "yes")


def test_a_pair_without_machines_is_refused_before_anything_is_asked(
    services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    services.pair = PLAIN
    for study, _ in STUDIES:
        assert run(study, "--allow-load", "--yes-shape") == ExitCode.INVALID
        printed = capsys.readouterr().err
        assert shows(printed, NO_NODE_MACHINES.text, pair=PLAIN.name)
        assert "--node-a" in printed
    assert services.asked == []


def test_on_hosts_of_the_users_own_nodes_are_no_namespaces(
    services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "run", SATCOM, PAIR.name, "--allow-load", "--yes-shape"]) == ExitCode.INVALID
    printed = capsys.readouterr().err
    assert shows(printed, STUDY_NEEDS_LAB.text, pair=PAIR.name)
    assert shows(printed, STUDY_NEEDS_LAB.hint)
    assert services.asked == []


@pytest.mark.parametrize("part", ["no-loss", "loss", "all"])
def test_a_pair_with_a_lower_limit_of_load_is_asked_for_nothing(
    services: Services, capsys: pytest.CaptureFixture[str], part: str
) -> None:
    services.pair = replace(PAIR, load_cap_mbit_s=5.0)
    assert run(SATCOM, "--part", part, "--allow-load", "--yes-shape") == ExitCode.INVALID
    printed = capsys.readouterr().err
    assert shows(printed, OWN_HOSTS_OVER_CAP.text, pair=PAIR.name)
    assert "four machines" not in printed, "nothing is asked for what is refused"
    assert OWN_HOSTS_ROUTED.text.startswith("{study} changes four machines")
    assert services.asked == []


def test_a_lab_is_asked_nothing(services: Services, capsys: pytest.CaptureFixture[str]) -> None:
    services.pair = replace(sample.pair(), node_a=NODES[0], node_b=NODES[1])
    assert run(NODE_STUDY) == ExitCode.OK
    assert "four machines" not in capsys.readouterr().err
    assert services.asked[0].consent == OwnHostsConsent()
