"""Studies on hosts of the user's own: between machines behind them alone, with consent, and with guarded load."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sample_records as sample
from fake_studies import own_lab_result

from app.domain.cancel import CancelToken
from app.domain.errors import InvalidOption, InvalidPlan
from app.domain.hosts import HostSpec, NodeHost, PairSpec
from app.domain.messages import MessageForm
from app.domain.topology import NodeKind
from app.measurement import host_shaping, lab_studies
from app.measurement.lab_studies import LAB_STUDIES, LabStudyOperations, WantedLabStudy
from app.measurement.lab_study import LabRun
from app.measurement.messages import SHAPING_NOT_ALLOWED
from app.measurement.messages.studies import (
    APPLICATIONS_NEED_LAB,
    HUB_STUDY_NEEDS_LAB,
    NO_NODE_MACHINES,
    NODE_STUDY_NEEDS_LAB,
    OWN_HOSTS_NOT_ALLOWED,
    OWN_HOSTS_OVER_CAP,
    RESULTS_OF_FORMER_MACHINES,
)
from app.measurement.own_hosts import OwnHostsConsent
from app.ranking.application_study import APPLICATION_STUDY
from app.ranking.hub_study import HUB_STUDY
from app.ranking.node_study import NODE_STUDY
from app.wording.messages import local_text
from support.message_checks import has_message
from vpn_adapters.registry import ADAPTERS

NODES = [NodeHost(HostSpec(f"node-{nth}", f"192.0.2.2{nth}", 2222, "plc"), f"port{nth}", f"lan{nth}") for nth in (1, 2)]
PLAIN = sample.pair(is_lab=False)
PAIR = replace(PLAIN, node_a=NODES[0], node_b=NODES[1])
ALL = OwnHostsConsent(may_change=True, may_shape=True, pair=PAIR)


def wanted(study: str, pair: PairSpec = PAIR, part: str = "quick", **more: Any) -> WantedLabStudy:
    nodes = more.pop("nodes", NodeKind.MACHINES)
    return WantedLabStudy(LAB_STUDIES[study], part, pair, nodes=nodes, **more)


class Operations(LabStudyOperations):
    """Studies on hosts that do not exist; what a run gets is kept."""

    def __init__(self, folder: Path) -> None:
        self.paths = SimpleNamespace(studies_dir=folder)  # type: ignore[assignment]
        self.store = SimpleNamespace(audit=None, get_pair=lambda _name: PAIR)  # type: ignore[assignment]
        self.reported: list[str] = []
        self.held: list[Any] = []
        self.in_use = SimpleNamespace(hold=self._hold)  # type: ignore[assignment]
        labs = SimpleNamespace(find=lambda _pair: None, guests=lambda _pair: (), link=lambda _pair: None)
        self.lab_service = labs  # type: ignore[assignment]
        self.adapters = ADAPTERS
        self.node_protections, self.hubs, self.session_hubs = {}, {}, {}

    @contextmanager
    def _hold(self, hosts: Any, _what: str) -> Iterator[None]:
        self.held += hosts
        yield

    def sessions(self, *_: object, **__: object) -> Any:
        return None

    def node_machines(self, pair: PairSpec, needs: Any, *, token: CancelToken) -> Any:
        return SimpleNamespace(pair=pair.name, nodes=pair.nodes)

    def run(self, what: WantedLabStudy) -> None:
        facts = {"a": sample.facts(), "b": sample.facts("gw-b")}
        found: Any = SimpleNamespace(pair=what.pair, link=None, facts=facts)
        self.run_lab_study(found, what, token=CancelToken(), report=self.reported.append, on_result=lambda _: None)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[LabRun]:
    found: list[LabRun] = []
    for study in LAB_STUDIES.values():
        monkeypatch.setattr(type(study), "todays_suites", lambda *_: {})
        monkeypatch.setattr(type(study), "choices", lambda *_: ())
        monkeypatch.setattr(type(study), "measure", lambda _self, run, _choices: found.append(run))
    tunnels = SimpleNamespace(of_study=lambda *_: sample)
    monkeypatch.setattr(lab_studies, "DeployedTunnels", tunnels)
    monkeypatch.setattr(host_shaping, "on_both", lambda *_, **__: {})
    return found


@pytest.mark.parametrize(
    ("what", "form"),
    [
        (wanted(NODE_STUDY, nodes=NodeKind.NAMESPACES), NODE_STUDY_NEEDS_LAB),
        (wanted(APPLICATION_STUDY, nodes=NodeKind.NAMESPACES), APPLICATIONS_NEED_LAB),
        (wanted(HUB_STUDY, nodes=NodeKind.NAMESPACES), HUB_STUDY_NEEDS_LAB),
        (wanted(NODE_STUDY, PLAIN), NO_NODE_MACHINES),
        (wanted(APPLICATION_STUDY, replace(PAIR, load_cap_mbit_s=5.0)), OWN_HOSTS_OVER_CAP),
    ],
)
def test_what_hosts_of_the_users_own_are_not_for_is_refused_before_they_are_asked(
    tmp_path: Path, runs: list[LabRun], what: WantedLabStudy, form: MessageForm
) -> None:
    operations = Operations(tmp_path)
    with pytest.raises(InvalidOption, check=has_message(form, pair=PAIR.name)):
        operations.run(replace(what, consent=ALL))
    assert (operations.held, runs) == ([], [])


@pytest.mark.parametrize("study", [NODE_STUDY, APPLICATION_STUDY])
def test_nothing_is_changed_without_the_users_consent(tmp_path: Path, runs: list[LabRun], study: str) -> None:
    operations = Operations(tmp_path)
    for may_shape in (False, True):
        with pytest.raises(InvalidPlan, check=has_message(OWN_HOSTS_NOT_ALLOWED, pair=PAIR.name, study=study)):
            operations.run(wanted(study, consent=OwnHostsConsent(may_shape=may_shape)))
    assert (operations.held, runs) == ([], [])


@pytest.mark.parametrize("other", [replace(PAIR, underlay_b="192.0.2.99"), replace(PAIR, a=replace(PAIR.a, port=2299))])
def test_consent_is_none_for_other_machines_that_got_the_name(
    tmp_path: Path, runs: list[LabRun], other: PairSpec
) -> None:
    with pytest.raises(InvalidPlan, check=has_message(OWN_HOSTS_NOT_ALLOWED, pair=PAIR.name, study=NODE_STUDY)):
        Operations(tmp_path).run(wanted(NODE_STUDY, other, consent=ALL))
    assert runs == []


def test_a_satellite_link_needs_consent_to_shaping_as_well(tmp_path: Path, runs: list[LabRun]) -> None:
    with pytest.raises(InvalidPlan, check=has_message(SHAPING_NOT_ALLOWED, pair=PAIR.name)):
        Operations(tmp_path).run(wanted(APPLICATION_STUDY, consent=OwnHostsConsent(may_change=True, pair=PAIR)))
    assert runs == []


@pytest.mark.parametrize("study", [NODE_STUDY, APPLICATION_STUDY])
def test_a_run_on_other_machines_begins_without_the_results_of_those_before(
    tmp_path: Path, runs: list[LabRun], study: str
) -> None:
    operations = Operations(tmp_path)
    key, other = LAB_STUDIES[study].chosen("quick")[0], replace(PAIR, underlay_b="192.0.2.99")
    for number, pair in enumerate((PAIR, PAIR, other, PAIR)):
        consent = OwnHostsConsent(may_change=True, may_shape=True, pair=pair)
        operations.run(wanted(study, pair, consent=consent))
        kept = runs[-1].kept
        assert kept.results.machines == pair.machines
        assert len(kept.results.results) == int(number in (1, 3))
        kept.keep(own_lab_result(key))
    assert len(operations.reported) == 2
    assert all(has_message(RESULTS_OF_FORMER_MACHINES, pair=PAIR.name, study=study)(one) for one in operations.reported)
    for pair in (other, PAIR):
        operations.store = SimpleNamespace(audit=None, get_pair=lambda _name, pair=pair: pair)  # type: ignore[assignment]
        stored, _faults = operations.stored_lab_results(study)
        assert [(one.machines, len(one.results)) for one in stored] == [(pair.machines, 1)], "those it has now"


@pytest.mark.parametrize("study", list(LAB_STUDIES))
def test_a_run_on_a_lab_of_another_kind_begins_without_the_results_of_the_one_before(
    tmp_path: Path, runs: list[LabRun], study: str
) -> None:
    operations = Operations(tmp_path)
    lab = replace(sample.pair(), lab_machines=("debian-13 kvm aes",))
    other = replace(lab, lab_machines=("debian-11 tcg aes", "debian-13 tcg aes"))
    key = LAB_STUDIES[study].chosen("quick")[0]
    operations.lab_service.find = lambda _pair: lab  # type: ignore[assignment, method-assign, return-value]
    for number, pair in enumerate((lab, lab, other, lab)):
        operations.run(wanted(study, pair, nodes=NodeKind.NAMESPACES))
        kept = runs[-1].kept
        assert kept.results.machines == pair.machines
        assert len(kept.results.results) == int(number in (1, 3)), "none of another kernel"
        kept.keep(own_lab_result(key))
    assert len(operations.reported) == 2
    for machines, shown in ((other.machines, other), (lab.machines, lab), ((), lab)):
        operations.lab_service.machines = lambda _name, machines=machines: machines  # type: ignore[method-assign]
        (stored,), _faults = operations.stored_lab_results(study)
        assert stored.machines == shown.machines


@pytest.mark.parametrize(
    ("study", "held"), [(NODE_STUDY, [None, "release"]), (HUB_STUDY, [None, "release"]), (APPLICATION_STUDY, [])]
)
def test_a_labs_link_is_held_as_found_by_studies_without_conditions_of_their_own(
    tmp_path: Path, runs: list[LabRun], study: str, held: list[str | None]
) -> None:
    operations, orders = Operations(tmp_path), list[str | None]()
    link = SimpleNamespace(hold=orders.append, release=lambda: orders.append("release"))
    operations.lab_service.link = lambda _pair: link  # type: ignore[method-assign, assignment, return-value]
    operations.lab_service.find = lambda pair: pair  # type: ignore[method-assign, assignment, return-value]
    operations.run(wanted(study, sample.pair(), nodes=NodeKind.NAMESPACES))
    assert len(runs) == 1
    assert orders == held


@pytest.mark.parametrize(("study", "is_shaped"), [(NODE_STUDY, False), (APPLICATION_STUDY, True)])
def test_with_consent_it_runs_between_the_machines_of_the_pair(
    tmp_path: Path, runs: list[LabRun], study: str, *, is_shaped: bool
) -> None:
    operations = Operations(tmp_path)
    operations.run(wanted(study, consent=OwnHostsConsent(may_change=True, may_shape=is_shaped, pair=PAIR)))
    (run,) = runs
    assert run.machines is not None
    assert run.machines.nodes == PAIR.nodes
    assert (run.conditioned, run.guests, run.shaping is not None) == (None, (), is_shaped)
    assert operations.held == [PAIR.a, PAIR.b, NODES[0].host, NODES[1].host], "other work keeps away from all four"


@pytest.mark.parametrize("study", [NODE_STUDY, APPLICATION_STUDY])
def test_the_sentence_names_hosts_nodes_and_their_interfaces(study: str) -> None:
    sentence = LAB_STUDIES[study].use_of_own_hosts("quick").sentence(PAIR)
    assert sentence is not None
    text = local_text(sentence)
    names = ("gateway-a", "gateway-b", "plc@192.0.2.21:2222", "plc@192.0.2.22:2222", "port1", "port2", "lan1", "lan2")
    assert [name for name in (study, PAIR.name, *names) if name not in text] == []


def test_hosts_of_one_address_are_named_with_their_ports() -> None:
    a = replace(PAIR.a, address="127.0.0.1", label="A", port=2201)
    b = replace(PAIR.b, address="127.0.0.1", label="B", port=2202)
    sentence = LAB_STUDIES[NODE_STUDY].use_of_own_hosts("quick").sentence(replace(PAIR, a=a, b=b))
    assert sentence is not None
    assert all(f"127.0.0.1:{port}" in local_text(sentence) for port in (2201, 2202))


def test_a_study_for_labs_alone_has_no_sentence() -> None:
    assert LAB_STUDIES[HUB_STUDY].use_of_own_hosts("quick").sentence(PAIR) is None
    assert LAB_STUDIES[NODE_STUDY].use_of_own_hosts("quick").sentence(PLAIN) is None
