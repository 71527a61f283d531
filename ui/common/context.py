"""Shared parts that every page gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from app.domain.errors import Bug
from ui.messages import SERVICES_NOT_OPEN

if TYPE_CHECKING:
    from app.domain.preferences import Preferences
    from app.measurement.wizard import ComparisonWizard, Step
    from app.services.interfaces import ComparisonServices, Prompts
    from ui.common.leftovers import Leftovers
    from ui.common.operations import OperationRunner
    from ui.common.theme import Theme
    from ui.common.thread_bridge import Bridge

ServicesFactory = Callable[["Prompts"], "ComparisonServices"]
"""Makes the services; called in a worker thread, because it opens a database and imports heavy parts."""


@dataclass
class PageContext:
    """The parts of the window that pages share.

    Attributes:
        theme: Colours.
        runner: Does work outside the window's thread.
        bridge: Events and questions from there.
        confirm_change: Asks whether steps that a change makes invalid may be forgotten; if so, calls what it got.
        has_other_guidelines: Whether other guidelines were picked since the candidates were judged.
    """

    theme: Theme
    runner: OperationRunner
    bridge: Bridge
    confirm_change: Callable[[tuple[Step, ...], Callable[[], None]], None]
    has_other_guidelines: bool = False
    _services: ComparisonServices | None = None

    @cached_property
    def preferences(self) -> Preferences:
        """Defaults that the user has set; the usual ones until they are read."""
        from app.domain.preferences import Preferences

        return Preferences()

    def take_preferences(self, preferences: Preferences) -> None:
        """Other defaults apply from now on."""
        self.preferences = preferences

    @cached_property
    def leftovers(self) -> Leftovers:
        """Pairs whose hosts measuring may have left changed."""
        from ui.common.leftovers import Leftovers

        return Leftovers(self.runner, lambda: self.services)

    @cached_property
    def wizard(self) -> ComparisonWizard:
        """The comparison's state; made when it is wanted, because it imports what the first page does not need."""
        from app.measurement.wizard import ComparisonWizard

        return ComparisonWizard()

    @property
    def services(self) -> ComparisonServices:
        """The services. Only for jobs of the runner and only once they are open."""
        if self._services is None:
            raise Bug(SERVICES_NOT_OPEN())
        return self._services

    @property
    def has_services(self) -> bool:
        """Whether the services are open."""
        return self._services is not None

    @property
    def can_deploy(self) -> bool:
        """Whether the services are open and can deploy."""
        if self._services is None:
            return False
        from app.services.interfaces.deployments import DeploymentServices

        return isinstance(self._services, DeploymentServices)

    def take_services(self, services: ComparisonServices) -> None:
        """The services are open now."""
        self._services = services
