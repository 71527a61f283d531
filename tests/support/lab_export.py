"""Export of a pair, and whether what was made of it works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import SessionPair
from app.domain.deployment import DeploymentOptions
from app.domain.hosts import PairSpec
from app.domain.paths import Paths
from app.export.pair_export import ExportOptions
from app.services.wiring import Services
from support.lab_sessions import answered_pings, sh

FITTED = DeploymentOptions(fits_path_mtu=True)
CLAMP = "tunnelmark_mss_tml0"
"""The firewall table that fits TCP to the path."""

fitted_or_not = pytest.mark.parametrize(
    "options",
    [pytest.param(FITTED, id="fitted"), pytest.param(DeploymentOptions(), id="plain", marks=pytest.mark.full)],
)
"""Options of an export: the fitted one has one step more than the plain one."""


def quiet(_text: str, _fraction: float | None) -> None:
    """Take progress and drop it."""


@contextmanager
def services_in(folder: Path) -> Iterator[Services]:
    """Give Tunnelmark's services with a folder of their own."""
    services = Services(prompts=None, paths=Paths(folder, folder / "labs", folder / "cache"))
    try:
        yield services
    finally:
        services.close()


def exported(services: Services, pair: PairSpec, solution: str, place: Path, options: DeploymentOptions) -> Path:
    """Take a solution along from what is stored."""
    chosen = ExportOptions(solution, "", options, place)
    done = services.export_config(pair, chosen, token=CancelToken(), on_progress=quiet)
    assert "they were not asked again" in done.facts_from
    return done.place


def check_frames_cross(sessions: SessionPair) -> None:
    """See that no frame is lost in either direction."""
    for host, address in ((sessions.a, "198.19.0.2"), (sessions.b, "198.19.0.1")):
        sh(host, answered_pings(address, "-I tml0"))
