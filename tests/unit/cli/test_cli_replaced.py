"""`deploy` reports the deployment that it is about to replace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.deployment.slots import slot_of
from app.domain.deployment import DeploymentState
from app.domain.pairs import Saving
from app.domain.paths import find_paths
from app.storage import Store
from app.wording.deployment_sentences import replaced_sentence
from support.stored_deployments import DEPLOYMENT, PAIR


@pytest.mark.parametrize(
    ("state", "is_replaced"),
    [
        (DeploymentState.CONFIRMED, True),
        (DeploymentState.HALF_CONFIRMED, True),
        (DeploymentState.APPLIED, False),
        (DeploymentState.REMOVED, False),
    ],
)
def test_deploy_reports_what_it_replaces(
    state: DeploymentState,
    is_replaced: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "400")
    with Store.open(find_paths().database) as store:
        store.save_pair(PAIR, Saving.ADD)
        store.save_deployment(replace(DEPLOYMENT, slot=slot_of(PAIR), state=state))
    monkeypatch.setattr("app.services.wiring.Services.discover", lambda *_given, **_named: None)
    monkeypatch.setattr("app.services.deployments.DeploymentService.deploy", lambda *_given, **_named: DEPLOYMENT)
    assert main(["deploy", "north", "wireguard"]) == ExitCode.OK
    reported = " ".join(capsys.readouterr().err.split())
    assert (replaced_sentence(DEPLOYMENT) in reported) == is_replaced
