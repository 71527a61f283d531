"""TCP of the study with nodes: guarded on hosts of the user's own, whose connections must not be lost."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import sample_records as sample

from app.domain.cancel import CancelToken
from app.domain.commands import CommandResult, SessionPair
from app.domain.errors import CommandFailed, ProbeFailed
from app.measurement import load_guard, node_studies
from app.measurement.load_guard import REFERENCE_ANSWERS
from app.measurement.messages import MANAGEMENT_FAILED
from app.measurement.node_studies import NodeStudy
from app.measurement.node_study_run import NodePart, NodeStudyRun, _Probes
from support.message_checks import has_message


class Host:
    """A host that answers so often, and then no more."""

    def __init__(self, label: str, answers: int = 1_000) -> None:
        self.spec = SimpleNamespace(label=label)
        self.left = answers

    def run(self, command: Any, *, token: CancelToken) -> CommandResult:
        token.raise_if_cancelled()
        if not self.left:
            raise CommandFailed("It does not answer.")
        self.left -= 1
        return CommandResult(command.argv, 0, "", "", 0.0)


def probes(gateways: SessionPair, *, is_lab: bool) -> _Probes:
    nothing: Any = None
    run = NodeStudyRun(
        *((), NodePart(1, 1, 1), frozenset(), gateways, {}, nothing, (), lambda _: None, lambda _: None, CancelToken()),
        is_lab=is_lab,
    )
    return _Probes(run, nothing, nothing)


def both(a: Host, b: Host) -> Any:
    hosts: Any = (a, b)
    return SessionPair(*hosts)


@pytest.mark.parametrize("which", ["gateway-b", "node-a"])
def test_tcp_ends_where_the_connection_to_a_gateway_or_a_node_suffers(
    monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    monkeypatch.setattr(load_guard, "INTERVAL_S", 0.01)
    hosts = {name: Host(name) for name in ("gateway-a", "gateway-b", "node-a", "node-b")}
    hosts[which].left = REFERENCE_ANSWERS
    gateways, nodes = both(hosts["gateway-a"], hosts["gateway-b"]), both(hosts["node-a"], hosts["node-b"])
    made = probes(gateways, is_lab=False)
    with (
        pytest.raises(ProbeFailed, check=has_message(MANAGEMENT_FAILED, host=which)),
        made._guarded(nodes) as token,
    ):
        token.wait_for(lambda: False, timeout_s=120.0, what="the end of the load")


def test_a_lab_needs_no_guard() -> None:
    hosts = [Host(name, answers=0) for name in ("gateway-a", "gateway-b", "node-a", "node-b")]
    made = probes(both(*hosts[:2]), is_lab=True)
    with made._guarded(both(*hosts[2:])) as token:
        assert token is made.run.token


@pytest.mark.parametrize("is_lab", [True, False])
def test_a_run_knows_whether_its_hosts_are_a_labs_and_the_limit_of_the_pair(
    monkeypatch: pytest.MonkeyPatch, *, is_lab: bool
) -> None:
    made: list[Any] = []

    class Run:
        def __init__(self, *_: Any, machines: Any, is_lab: bool, cap_mbit_s: float | None) -> None:
            made.append((machines, is_lab, cap_mbit_s))

        def run(self) -> None:
            made.append("run")

    monkeypatch.setattr(node_studies, "NodeStudyRun", Run)
    study = NodeStudy()
    pair = replace(sample.pair(is_lab=is_lab), load_cap_mbit_s=50.0)
    kept = SimpleNamespace(results=study.none("plant", "quick"), keep=None)
    nothing = dict.fromkeys(("sessions", "tunnels", "report", "token"))
    found = SimpleNamespace(pair=pair, facts={})
    run: Any = SimpleNamespace(part="quick", kept=kept, discovery=found, guests=(), machines="machines", **nothing)
    study.measure(run, ())
    assert made == [("machines", is_lab, 50.0), "run"]
