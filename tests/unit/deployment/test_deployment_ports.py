"""The real services can do what the window expects of those that deploy, and so can those of its tests."""

from __future__ import annotations

import inspect

import pytest
from fake_deployments import FakeDeployments

from app.services.interfaces.deployments import DeploymentServices
from app.services.wiring import Services

METHODS = [name for name, _ in inspect.getmembers(DeploymentServices, inspect.isfunction) if not name.startswith("_")]


def as_port(services: Services) -> DeploymentServices:
    """Return the same: the type checker compares every signature."""
    return services


@pytest.mark.parametrize("services", [Services, FakeDeployments])
def test_every_method_is_there_with_the_parameters_that_the_window_uses(services: type) -> None:
    assert len(METHODS) == 14
    for name in METHODS:
        wanted = inspect.signature(getattr(DeploymentServices, name)).parameters
        offered = inspect.signature(getattr(services, name)).parameters
        assert list(offered)[: len(wanted)] == list(wanted), name
        extra = [one for each, one in offered.items() if each not in wanted]
        assert all(one.default is not inspect.Parameter.empty for one in extra), name
