"""Practice labs as the window's lab menu shows, starts and stops them."""

from __future__ import annotations

import os

from app.compose.labs import Labs, cpu_words
from app.domain.cancel import CancelToken
from app.domain.errors import NotFound
from app.domain.rollout import Deployment, DeploymentState
from app.lab import CpuKind, Lab, LabSpec, LabStatus, platforms_text
from app.lab.users import connected_users, user_of
from app.storage import Store
from app.wizard.desk_ports import LabChoice, LabDetail, ProgressSink

_OPEN_DEPLOYMENTS = 1_000


class LabOperations:
    """Implements `app.wizard.desk_ports.LabServices`.

    Attributes:
        lab_service: This user's labs.
        store: Comparisons and deployments.
    """

    lab_service: Labs
    store: Store

    def lab_details(self) -> tuple[LabDetail, ...]:
        """Return running labs by name, those that are still starting included."""
        return tuple(_detail(status) for status in self.lab_service.manager.status())

    def lab_uses(self, name: str) -> tuple[str, ...]:
        """Return what uses a lab now, as sentences: processes, measurements and deployments.

        Raises:
            NotFound: No lab of that name runs.
            LabFault: It is still starting, or does not answer.
        """
        lab = self._lab(name)
        owner = lab.owner_pid
        uses = []
        if owner not in (None, os.getpid()):
            uses.append(_sentence(f"{user_of(owner)} started it for itself."))
        strangers = [user for user in connected_users(lab.ports.values()) if user.pid not in (owner, os.getpid())]
        uses += [_sentence(f"{user} is connected to it.") for user in strangers]
        names = {f"lab:{name}", f"lab:{platforms_text(lab.spec.platform_a, lab.spec.platform_b)}"}
        uses += [f"A comparison or census of {pair} is running." for pair in sorted(names) if self._is_measured(pair)]
        uses += [
            f"The deployment {one.id[:8]} ({one.title}) is {one.state.value} on it."
            for one in self.store.list_deployments(limit=_OPEN_DEPLOYMENTS)
            if _is_on(one, lab)
        ]
        return tuple(uses)

    def start_chosen_lab(self, choice: LabChoice, *, token: CancelToken, on_progress: ProgressSink) -> None:
        """Start a lab.

        Raises:
            InvalidOption: The name is not allowed or taken, or a platform is unknown.
            LabFault: It cannot be started.
            Cancelled: The token was cancelled; nothing of it is left.
        """
        cpu = CpuKind.AES if choice.has_aes else CpuKind.NO_AES
        spec = LabSpec(choice.name, choice.platform_a, choice.platform_b, cpu, is_hardened=choice.is_hardened)
        self.lab_service.start(spec, is_lasting=choice.is_lasting, token=token, on_progress=on_progress)

    def stop_lab(self, name: str) -> None:
        """Stop a lab.

        Raises:
            NotFound: No lab of that name runs.
            LabFault: Its processes could not be ended.
        """
        if not self.lab_service.stop(name):
            raise NotFound(f"There is no lab named {name}.", hint="It has ended already.")

    def restart_lab(self, name: str, *, token: CancelToken, on_progress: ProgressSink) -> None:
        """Stop a lab and start one of the same name and kind, that ends with this process unless the first lasted.

        Raises:
            NotFound: No lab of that name runs.
            LabFault: It cannot be stopped or started.
            Cancelled: The token was cancelled; the lab is stopped then.
        """
        lab = self._lab(name)
        on_progress(f"Stopping the lab {name}", None)
        self.lab_service.stop(name)
        is_lasting = lab.owner_pid is None
        self.lab_service.start(lab.spec, is_lasting=is_lasting, token=token, on_progress=on_progress)

    def _lab(self, name: str) -> Lab:
        lab = self.lab_service.manager.find(name)
        if lab is None:
            raise NotFound(f"There is no lab named {name}.", hint="It has ended already.")
        return lab

    def _is_measured(self, pair: str) -> bool:
        return self.store.is_pair_measured(pair)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _is_on(deployment: Deployment, lab: Lab) -> bool:
    """Whether a deployment is on this lab's gateways: a former lab's may have had the same ports."""
    ports = {side: deployment.pair.host(side).port for side in lab.ports}
    is_open = deployment.state.is_standing or deployment.state is DeploymentState.PREPARED
    return is_open and deployment.pair.is_lab and ports == lab.ports and deployment.prepared_at >= lab.since


def _detail(status: LabStatus) -> LabDetail:
    words = f"{' and '.join(dict.fromkeys(status.platforms))}, CPU {cpu_words(status.cpu)}"
    if status.owner_pid is None:
        lasts = "until it is stopped"
    elif status.owner_pid == os.getpid():
        lasts = "until Tunnelmark is closed"
    else:
        lasts = f"until {user_of(status.owner_pid)} ends"
    return LabDetail(
        name=status.name,
        pair_name=f"lab:{status.name}",
        kind=words,
        is_up=status.is_running,
        is_starting=status.is_starting,
        ports=status.ports,
        since=f"{status.since.astimezone():%Y-%m-%d %H:%M}",
        lasts=lasts,
    )
