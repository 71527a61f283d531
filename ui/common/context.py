"""Shared parts that every page gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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
    _services: list[ComparisonServices] = field(default_factory=list)
    _wizard: list[ComparisonWizard] = field(default_factory=list)
    _preferences: list[Preferences] = field(default_factory=list)
    _leftovers: list[Leftovers] = field(default_factory=list)

    @property
    def preferences(self) -> Preferences:
        """Defaults that the user has set; the usual ones until they are read."""
        if not self._preferences:
            from app.domain.preferences import Preferences

            self._preferences.append(Preferences())
        return self._preferences[0]

    def take_preferences(self, preferences: Preferences) -> None:
        """Other defaults apply from now on."""
        self._preferences[:] = [preferences]

    @property
    def leftovers(self) -> Leftovers:
        """Pairs whose hosts a comparison may have left changed."""
        if not self._leftovers:
            from ui.common.leftovers import Leftovers

            self._leftovers.append(Leftovers(self))
        return self._leftovers[0]

    @property
    def wizard(self) -> ComparisonWizard:
        """The comparison's state; made when it is wanted, because it imports what the first page does not need."""
        if not self._wizard:
            from app.measurement.wizard import ComparisonWizard

            self._wizard.append(ComparisonWizard())
        return self._wizard[0]

    @property
    def services(self) -> ComparisonServices:
        """The services. Only for jobs of the runner and only once they are open."""
        if not self._services:
            raise Bug(SERVICES_NOT_OPEN())
        return self._services[0]

    @property
    def has_services(self) -> bool:
        """Whether the services are open."""
        return bool(self._services)

    @property
    def can_deploy(self) -> bool:
        """Whether the services are open and can deploy."""
        if not self._services:
            return False
        from app.services.interfaces.deployments import DeploymentServices

        return isinstance(self._services[0], DeploymentServices)

    def take_services(self, services: ComparisonServices) -> None:
        """The services are open now."""
        self._services[:] = [services]
