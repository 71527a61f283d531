"""Ends of `tunnelmark study run` that are none of the whole part: what is left, and the command that measures it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
from fake_services import FakeServices

from app.cli import lab_study, studies
from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.domain.errors import Cancelled, CleanupFailed, HostUnreachable
from app.domain.hosts import HostSpec, NodeHost
from app.ranking.hub_study import HUB_STUDY, hub_cells
from app.ranking.study_parts import SATCOM, cells_of

METHODS = {SATCOM: "run_study", HUB_STUDY: "run_lab_study"}
NODE = NodeHost(HostSpec("node-b", "192.0.2.9"), "eth1", "eth2")


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> FakeServices:
    """Services of the command line on a practice lab with nodes that is made up."""

    def call(self: FakeServices, name: str) -> None:
        if name in self.faults:
            raise self.faults.pop(name)

    monkeypatch.setattr(FakeServices, "_call", call)  # its own refuses the main thread, that of a window
    made = FakeServices(None)  # type: ignore[arg-type]
    pair = next(one.pair for one in made.pairs() if one.pair.is_lab)
    monkeypatch.setattr(CommandContext, "services", lambda _self: nullcontext(made))
    for module in (studies, lab_study):
        monkeypatch.setattr(module, "find_study_pair", lambda *_: replace(pair, node_a=NODE, node_b=NODE))
    return made


@pytest.mark.parametrize("study", METHODS)
def test_what_has_no_result_is_counted_with_the_command_that_measures_it(
    services: FakeServices, capsys: pytest.CaptureFixture[str], study: str
) -> None:
    services.study_failures = {cells_of("quick")[2]: "The server closed the connection."}
    services.lab_failures = {hub_cells(is_quick=True)[1]: "The hub did not come up."}
    total = {SATCOM: len(cells_of("quick")), HUB_STUDY: len(hub_cells(is_quick=True))}[study]
    assert main(["study", "run", study, "lab:practice"]) == ExitCode.INCOMPLETE
    assert capsys.readouterr().err.endswith(
        f"1 of {total} measurements have no result that counts; the lines above say why. "
        f"Measure them again with: tunnelmark study run {study} lab:practice --part quick\n"
    )
    services.study_failures, services.lab_failures = {}, {}
    assert main(["study", "run", study, "lab:practice"]) == ExitCode.OK
    assert "Measure them again" not in capsys.readouterr().err


@pytest.mark.parametrize("study", METHODS)
def test_a_run_that_is_cancelled_says_how_it_goes_on(
    services: FakeServices, capsys: pytest.CaptureFixture[str], study: str
) -> None:
    services.faults[METHODS[study]] = Cancelled()  # type: ignore[assignment]
    words = ["study", "run", study, "lab:practice", "--solutions", "wireguard"]
    assert main(words) == ExitCode.CANCELLED
    command = f"tunnelmark study run {study} lab:practice --part quick --solutions wireguard"
    assert f"What was measured is stored. Go on with: {command}\n" in capsys.readouterr().err


def test_hosts_that_a_run_may_have_left_changed_are_restored_by_a_command_that_is_named(
    services: FakeServices, capsys: pytest.CaptureFixture[str]
) -> None:
    error = CleanupFailed("node-b could not be rolled back completely.", hint="Run this on its console.")
    error.left = error.sentence()
    services.faults["run_study"] = error
    assert main(["study", "run", SATCOM, "lab:practice", "--nodes", "machines"]) == ExitCode.FAILED
    printed = " ".join(capsys.readouterr().err.split())
    command = f"tunnelmark study run {SATCOM} lab:practice --part quick --nodes machines"
    assert "Error: node-b could not be rolled back completely. Run this on its console." in printed
    assert "Restore all hosts with `tunnelmark recover lab:practice`." in printed
    assert f"What was measured is stored; go on with: {command}" in printed


def test_an_error_before_anything_is_changed_is_shown_as_it_is(
    services: FakeServices, capsys: pytest.CaptureFixture[str]
) -> None:
    services.faults["run_study"] = HostUnreachable("node-b cannot be reached.", hint="Is it on?")
    assert main(["study", "run", SATCOM, "lab:practice"]) == ExitCode.FAILED
    assert "recover" not in capsys.readouterr().err
