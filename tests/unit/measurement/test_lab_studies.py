"""Studies of their own kind: how much of a part is left, and what is stored of them on any pair."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sample_records as sample
from fake_services import FakeServices
from fake_studies import own_lab_result

from app.cli import lab_study
from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain.cancel import CancelToken
from app.domain.errors import ConnectionLost, InvalidOption
from app.domain.hosts import HostFacts, HostSpec, NodeHost
from app.domain.hub_study import HubResult
from app.domain.messages import MessageForm
from app.domain.paths import Paths
from app.domain.topology import NodeKind
from app.lab.practice_labs import Labs
from app.measurement.hub_studies import HubStudy
from app.measurement.hub_study_run import HubChoice
from app.measurement.lab_studies import (
    LAB_STUDIES,
    LabStudyOperations,
    WantedLabStudy,
    refuse_machines,
    refuse_machines_of,
)
from app.measurement.lab_study import usual_suite, why_no_suite
from app.measurement.messages import NO_SAFE_SUITE
from app.measurement.messages.studies import (
    DEFAULT_NOT_OFFERED,
    HUB_SUITE,
    NO_NODE_MACHINES,
    STUDY_WITHOUT_MACHINES,
)
from app.ranking.application_study import APPLICATION_STUDY, application_cells
from app.ranking.hub_study import HUB_STUDY, hub_cells
from app.ranking.node_study import NODE_STUDY, node_settings
from app.reports.lab_study import lab_study_data
from app.storage.lab_results import HubResults, NodeResults
from app.storage.study_files import write_study
from support.adapter_cases import facts
from support.message_checks import has_message
from vpn_adapters.registry import ADAPTERS, HUBS, NODE_PROTECTIONS, SESSION_HUBS
from vpn_adapters.shared.key_encapsulation import ML_KEM

CELL = hub_cells(is_quick=True)[0]


@pytest.mark.parametrize("study", [HUB_STUDY, NODE_STUDY, APPLICATION_STUDY])
def test_a_part_without_results_is_left_as_a_whole(study: str) -> None:
    for part in LAB_STUDIES[study].parts:
        state = LAB_STUDIES[study].state(part, None)
        assert (state.measured, state.left_s, state.is_whole) == (0, state.all_s, False)


def test_what_has_ended_counts_as_measured_although_it_failed() -> None:
    hub, nodes = LAB_STUDIES[HUB_STUDY], LAB_STUDIES[NODE_STUDY]
    failed = HubResults(HUB_STUDY, "lab:x", "quick", "1", (HubResult(CELL, 8, message="no"),))
    assert hub.state("quick", failed).measured == 0
    ended = hub.state("quick", failed, {CELL})
    assert ended.measured == 1
    assert ended.left_s < ended.all_s
    none = NodeResults(NODE_STUDY, "lab:x", "quick", "1")
    first = node_settings()[0].name
    assert nodes.state("quick", none, {(first, 1), (first, 99)}).measured == 1, "a round that the part does not have"


def test_stored_results_of_each_part_are_found_and_files_that_cannot_be_read_named(tmp_path: Path) -> None:
    services = LabStudyOperations()
    services.paths = Paths(tmp_path, tmp_path, tmp_path)
    services.lab_service = Labs(replace(services.paths, labs_dir=tmp_path / "labs"))
    for part in ("quick", "all"):
        found = HubResults(HUB_STUDY, "lab:x", part, "1", (HubResult(CELL, 8, value=3.0),))
        write_study(services.lab_results_file(HUB_STUDY, "lab:x", part), found)
    services.lab_results_file(HUB_STUDY, "lab:y", "quick").write_text("{", encoding="utf-8")
    found_all, faults = services.stored_lab_results(HUB_STUDY)
    assert [(one.pair, one.part) for one in found_all] == [("lab:x", "quick"), ("lab:x", "all")]
    assert len(faults) == 1


def test_stored_results_between_machines_are_found_beside_those_between_namespaces(tmp_path: Path) -> None:
    services = LabStudyOperations()
    services.paths = Paths(tmp_path, tmp_path, tmp_path)
    services.lab_service = Labs(replace(services.paths, labs_dir=tmp_path / "labs"))
    for pair, kind in (("lab:y", NodeKind.NAMESPACES), ("lab:x", NodeKind.MACHINES), ("lab:y", NodeKind.MACHINES)):
        write_study(
            services.lab_results_file(NODE_STUDY, pair, "quick", kind), NodeResults(NODE_STUDY, pair, "quick", "1")
        )  # of a version that did not write the kind of nodes
    services.lab_results_file(NODE_STUDY, "lab:z", "quick", NodeKind.MACHINES).write_text("{", encoding="utf-8")
    found, faults = services.stored_lab_results(NODE_STUDY)
    assert [(one.pair, one.nodes) for one in found] == [
        ("lab:x", NodeKind.MACHINES),
        ("lab:y", NodeKind.NAMESPACES),
        ("lab:y", NodeKind.MACHINES),
    ]
    assert len(faults) == 1


def pretended(monkeypatch: pytest.MonkeyPatch) -> FakeServices:
    """Return services of the command line on a practice lab that is made up."""
    monkeypatch.setattr(FakeServices, "_call", lambda *_: None)  # it refuses the main thread, that of a window
    services = FakeServices(None)  # type: ignore[arg-type]
    services.study_gate.set()
    pair = next(one.pair for one in services.pairs() if one.pair.is_lab)
    monkeypatch.setattr(CommandContext, "services", lambda _self: nullcontext(services))
    monkeypatch.setattr(lab_study, "find_study_pair", lambda *_: pair)
    return services


@pytest.mark.parametrize("study", [HUB_STUDY, NODE_STUDY, APPLICATION_STUDY])
def test_the_command_line_measures_what_is_left_and_writes_files(
    study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    services = pretended(monkeypatch)
    total = LAB_STUDIES[study].state("quick", None).total
    words = ["study", "run", study, "lab:practice", "--json", str(tmp_path / "x.json")]
    assert main(words) == ExitCode.OK
    seen = capsys.readouterr()
    assert f"{total} of {total} measurements, about " in seen.err
    assert json.loads((tmp_path / "x.json").read_text())["study"] == study
    services.lab_failures = {CELL: "no", (node_settings()[0].name, 1): "no", application_cells("quick")[0]: "no"}
    assert main([*words, "--fresh"]) == ExitCode.INVALID  # the file is there already
    words.append("--force")
    capsys.readouterr()
    assert main([*words, "--fresh"]) == ExitCode.INCOMPLETE
    assert "failed: no" in capsys.readouterr().err
    assert main(words) == ExitCode.INCOMPLETE
    assert f"1 of {total} measurements, about " in capsys.readouterr().err


@pytest.mark.parametrize("study", [HUB_STUDY, NODE_STUDY, APPLICATION_STUDY])
def test_the_command_line_counts_what_is_of_another_suite_as_left(
    study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    services = pretended(monkeypatch)
    words = ["study", "run", study, "lab:practice", "--force", "--json", str(tmp_path / "x.json")]
    assert main(words) == ExitCode.OK
    keys = LAB_STUDIES[study].keys("quick")
    services.other_suites = {keys[0]}
    capsys.readouterr()
    assert main(words) == ExitCode.OK
    assert f"1 of {len(keys)} measurements, about " in capsys.readouterr().err


def hub_results(*solutions: str) -> HubResults:
    """Return results of all cells of the part quick with some solutions."""
    cells = LAB_STUDIES[HUB_STUDY].chosen("quick", solutions)
    return HubResults(HUB_STUDY, "lab:x", "quick", "1", tuple(HubResult(cell, 8, value=3.0) for cell in cells))


def test_chosen_solutions_count_alone() -> None:
    hub = LAB_STUDIES[HUB_STUDY]
    assert hub.solutions("quick") == ("wireguard", "openvpn-udp", "ipsec")
    assert hub.chosen("quick") == hub_cells(is_quick=True)
    found = hub_results("wireguard")
    assert {one.cell.solution for one in found.results} == {"wireguard"}
    assert hub.state("quick", found, solutions=("wireguard",)).is_whole
    assert not hub.state("quick", found, solutions=("wireguard", "ipsec")).is_whole
    assert not hub.state("quick", found).is_whole
    some, whole = (hub.state("quick", None, solutions=one) for one in (("ipsec",), ()))
    assert (some.total, some.all_s < whole.all_s) == (1, True)


def test_applications_over_chosen_vpns_are_compared_with_those_over_none() -> None:
    study = LAB_STUDIES[APPLICATION_STUDY]
    names = study.solutions("no-loss")
    assert {"none", "wireguard"} < set(names)
    assert {one.solution for one in study.chosen("no-loss", ("wireguard",))} == {"none", "wireguard"}
    assert {one.solution for one in study.chosen("no-loss", ("none",))} == {"none"}
    assert study.chosen("no-loss", names) == study.chosen("no-loss") == application_cells("no-loss")
    with_other = study.chosen("no-loss", (*names, "fastd"))
    added = with_other[len(application_cells("no-loss")) :]
    assert with_other == (*application_cells("no-loss"), *added)
    assert len(added) == len(set(added)) == 2 * 3 * 2, "links, congestion controls, with and without a proxy"
    assert {(one.solution, one.proxy) for one in added} == {("fastd", "none"), ("fastd", "B")}
    assert study.conditions("no-loss", ("fastd",)) == ("geo", "leo")
    assert {one.solution for one in study.chosen("quick", ("fastd",))} == {"none", "fastd"}


def test_a_fresh_run_of_the_study_leaves_what_was_added_to_it() -> None:
    study = LAB_STUDIES[APPLICATION_STUDY]
    before = study.none("lab:x", "quick")
    for cell in study.chosen("quick", ("wireguard", "fastd")):
        before = before.with_result(own_lab_result(cell))
    begun = WantedLabStudy(study, "quick", sample.pair(), is_fresh=True).begun(before)
    assert {one.solution for one in begun.done()} == {"fastd"}


def test_settings_of_nodes_are_no_solutions() -> None:
    assert [LAB_STUDIES[NODE_STUDY].solutions(part) for part in LAB_STUDIES[NODE_STUDY].parts] == [(), ()]


def test_a_run_measures_what_is_left_of_the_chosen_solutions_alone() -> None:
    for study, solution in ((LAB_STUDIES[HUB_STUDY], "openvpn-udp"), (LAB_STUDIES[APPLICATION_STUDY], "none")):
        none = study.none("lab:x", "quick")
        run: Any = SimpleNamespace(part="quick", kept=SimpleNamespace(results=none), solutions=(solution,))
        assert study.left(run) == study.chosen("quick", (solution,)) != study.chosen("quick")
        first, *others = study.left(run)
        run.kept.results = none.with_result(own_lab_result(first))
        assert study.left(run) == tuple(others)


def test_a_fresh_run_of_some_solutions_leaves_the_results_of_others() -> None:
    before = hub_results()
    wanted = WantedLabStudy(LAB_STUDIES[HUB_STUDY], "quick", sample.pair(), is_fresh=True, solutions=("ipsec",))
    begun = wanted.begun(before)
    assert begun.results == before.results
    assert {one.solution for one in before.done() - begun.done()} == {"ipsec"}
    assert replace(wanted, solutions=()).begun(before).done() == frozenset()
    assert replace(wanted, is_fresh=False).begun(before) is before


def test_the_command_line_measures_chosen_solutions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    services, words = pretended(monkeypatch), ["study", "run", HUB_STUDY, "lab:practice", "--json"]
    assert main([*words, str(tmp_path / "x.json"), "--solutions", "ipsec,wireguard"]) == ExitCode.OK
    assert "4 of 4 measurements, about " in capsys.readouterr().err
    found = json.loads((tmp_path / "x.json").read_text())["results"]
    assert {one["cell"]["solution"] for one in found} == {"ipsec", "wireguard"}
    services.lab_failures = {hub_cells()[0]: "no"}
    assert main([*words, "-", "--fresh", "--solutions", "ipsec"]) == ExitCode.OK, "what fails was not chosen"
    assert "1 of 1 measurements, about " in capsys.readouterr().err
    assert main([*words, "-", "--solutions", "all"]) == ExitCode.OK
    assert "3 of 7 measurements, about " in capsys.readouterr().err


def discovery(*defaults: tuple[str, str], host: HostFacts | None = None) -> Any:
    """Return what was found on two hosts of one kind."""
    found = {side: host or facts() for side in ("a", "b")}
    return SimpleNamespace(facts=found, defaults=defaults, unavailable={})


def test_the_usual_suite_is_the_safe_default_and_the_first_of_what_protects_nothing() -> None:
    adapter, bare, host = ADAPTERS["openvpn-udp"], ADAPTERS["l2tp"], facts()
    safe = usual_suite(adapter, discovery(("wireguard", "x"), ("openvpn-udp", "aes-128-gcm")), "openvpn-udp")
    first = usual_suite(bare, discovery(("wireguard", "x")), "l2tp")
    assert safe is not None
    assert first is not None
    assert (safe.name, first.name) == ("aes-128-gcm", bare.suites(host, host)[0].name)
    assert usual_suite(adapter, discovery(("wireguard", "x")), "openvpn-udp") is None, "no unsafe one in its place"
    info = SimpleNamespace(is_unprotected=True)
    nothing: Any = SimpleNamespace(suites=lambda *_: (), census=lambda *_: (), info=info)
    assert usual_suite(nothing, discovery(), "openvpn-udp") is None
    assert has_message(NO_SAFE_SUITE)(why_no_suite(discovery(), "openvpn-udp"))


def test_a_safe_default_that_is_not_offered_is_reported_and_no_other_suite_measured() -> None:
    found = discovery(("openvpn-udp", "x"), ("wireguard", "x"))
    assert usual_suite(ADAPTERS["openvpn-udp"], found, "openvpn-udp") is None
    assert has_message(DEFAULT_NOT_OFFERED, suite="x")(why_no_suite(found, "openvpn-udp"))
    found.unavailable["openvpn-udp"] = "it is not installed"
    assert why_no_suite(found, "openvpn-udp") == "it is not installed"
    adapters: Any = SimpleNamespace(adapters=ADAPTERS, node_protections=NODE_PROTECTIONS)
    run: Any = SimpleNamespace(discovery=found, sessions=None)
    with pytest.raises(InvalidOption, check=has_message(DEFAULT_NOT_OFFERED, suite="x")):
        LAB_STUDIES[NODE_STUDY].choices(adapters, run)


def hub_run(found: Any) -> tuple[Any, list[str]]:
    """Return a run of the hub's quick part on hosts, and what it reports."""
    reported: list[str] = []
    none = HubResults(HUB_STUDY, "lab:x", "quick", "1")
    kept = SimpleNamespace(results=none)
    return SimpleNamespace(part="quick", kept=kept, solutions=(), discovery=found, report=reported.append), reported


ADAPTERS_OF_HUBS: Any = SimpleNamespace(adapters=ADAPTERS, hubs=HUBS, session_hubs=SESSION_HUBS)


def test_a_cell_whose_safe_default_is_not_offered_is_skipped_with_the_reason() -> None:
    run, reported = hub_run(discovery(("openvpn-udp", "x"), ("wireguard", "chacha20-poly1305")))
    made = LAB_STUDIES[HUB_STUDY].choices(ADAPTERS_OF_HUBS, run)
    why = {one.cell.solution: one.message for one in made if isinstance(one, HubResult)}
    assert set(why) == {"openvpn-udp", "ipsec"}
    assert has_message(DEFAULT_NOT_OFFERED, suite="x")(why["openvpn-udp"])
    assert has_message(NO_SAFE_SUITE)(why["ipsec"]), "it has no safe default, and protects something"
    assert reported == []


def test_a_hub_without_the_safe_default_of_two_hosts_has_its_own_and_reports_it_once() -> None:
    host = facts()
    able = replace(host.solutions["wireguard"], features=(*host.solutions["wireguard"].features, ML_KEM))
    host = replace(host, solutions={**host.solutions, "wireguard": able})
    hybrid = ADAPTERS["wireguard"].suites(host, host)[0].name
    run, reported = hub_run(discovery(("wireguard", hybrid), host=host))
    made = LAB_STUDIES[HUB_STUDY].choices(ADAPTERS_OF_HUBS, run)
    suites = {one.suite.name for one in made if isinstance(one, HubChoice) and one.cell.solution == "wireguard"}
    assert suites == {"chacha20-poly1305"}
    (text,) = reported
    assert has_message(HUB_SUITE, suite="chacha20-poly1305", default=hybrid)(text)


@pytest.mark.parametrize(
    ("study", "pair_name", "form"),
    [
        (HUB_STUDY, "with-nodes", STUDY_WITHOUT_MACHINES),
        (NODE_STUDY, "without", NO_NODE_MACHINES),
        (APPLICATION_STUDY, "without", NO_NODE_MACHINES),
    ],
)
def test_machines_are_refused_where_the_study_or_the_pair_has_none(
    study: str, pair_name: str, form: MessageForm
) -> None:
    nodes = NodeHost(HostSpec("node", "192.0.2.9"), "eth1", "eth2")
    pairs = {"without": sample.pair(), "with-nodes": replace(sample.pair(), node_a=nodes, node_b=nodes)}
    wanted = WantedLabStudy(LAB_STUDIES[study], "quick", pairs[pair_name], nodes=NodeKind.MACHINES)
    with pytest.raises(InvalidOption, check=has_message(form)):
        refuse_machines(wanted)
    refuse_machines(replace(wanted, nodes=NodeKind.NAMESPACES))


def test_a_study_without_machines_is_refused_without_a_pair() -> None:
    with pytest.raises(InvalidOption, check=has_message(STUDY_WITHOUT_MACHINES, study=HUB_STUDY)):
        refuse_machines_of(LAB_STUDIES[HUB_STUDY], NodeKind.MACHINES)
    refuse_machines_of(LAB_STUDIES[HUB_STUDY], NodeKind.NAMESPACES)
    refuse_machines_of(LAB_STUDIES[NODE_STUDY], NodeKind.MACHINES)


@pytest.mark.parametrize("study", [NODE_STUDY, APPLICATION_STUDY])
def test_results_between_machines_have_files_of_their_own(tmp_path: Path, study: str) -> None:
    services = LabStudyOperations()
    services.paths = Paths(tmp_path, tmp_path, tmp_path)
    services.lab_service = Labs(replace(services.paths, labs_dir=tmp_path / "labs"))
    plain, machines = (services.lab_results(study, "lab:x", "quick", kind) for kind in NodeKind)
    assert (plain.nodes, machines.nodes) == tuple(NodeKind)  # type: ignore[union-attr]
    files = {services.lab_results_file(study, "lab:x", "quick", kind) for kind in NodeKind}
    assert len(files) == 2
    for kind in NodeKind:
        assert lab_study_data(services.lab_results(study, "lab:x", "quick", kind))["nodes"] == kind.value


class Failing(HubStudy):
    """A study whose hosts get lost."""

    lost = ConnectionLost("The connection to gateway-b broke.", hint="It rolls back by its timer.")

    def choices(self, adapters: object, run: object) -> tuple[()]:
        return ()

    def measure(self, run: object, choices: object) -> None:
        raise self.lost


def test_an_error_that_ends_a_run_says_that_a_host_may_not_be_restored(tmp_path: Path) -> None:
    services: Any = LabStudyOperations()
    services.paths = Paths(tmp_path, tmp_path, tmp_path)
    services.store = SimpleNamespace(audit=None)
    services.in_use = SimpleNamespace(hold=lambda *_: nullcontext())
    services.lab_service = SimpleNamespace(find=lambda _: "lab", guests=lambda _: (), link=lambda _: None)
    services.sessions = lambda *_, **__: None
    found = SimpleNamespace(pair=sample.pair(), link=None, facts={})
    nothing: Any = {"token": CancelToken(), "report": lambda _: None, "on_result": lambda _: None}
    with pytest.raises(ConnectionLost) as ended:
        services.run_lab_study(found, WantedLabStudy(Failing(), "quick", sample.pair()), **nothing)
    assert ended.value.left == Failing.lost.sentence()
