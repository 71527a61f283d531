"""Practice labs as the window's lab menu shows, starts and stops them."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentState
from app.domain.errors import LabFault, NotFound
from app.domain.hosts import PairSpec
from app.domain.messages.lists import enumerated
from app.domain.messages.words import STATES
from app.domain.practice_labs import LabChoice, LabDetail
from app.domain.progress import ProgressSink
from app.lab import CpuKind, Lab, LabManager, LabSpec, LabStatus
from app.lab.messages import (
    FIRST_PROCESS_COMMAND,
    FIRST_PROCESS_NUMBER,
    ITS_LAB_WAS_STOPPED,
    LAB_CONNECTED,
    LAB_ENDED,
    LAB_HAS_DEPLOYMENT,
    LAB_IN_USE,
    LAB_KIND,
    LAB_KIND_LINK,
    LAB_MEASURES,
    LAB_OF_OWNER,
    STOPPING_LAB,
    UNTIL_CLOSED,
    UNTIL_STOPPED,
    UNTIL_USER_ENDS,
)
from app.lab.practice_labs import Labs, cpu_words
from app.lab.users import LabUser, connected_users, user_of
from app.storage import Store
from app.wording.local_forms import minute_text
from app.wording.messages import local_text

_OPEN_DEPLOYMENTS = 1_000


class LabOperations:
    """Implements `app.services.interfaces.desk.LabServices`.

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
        uses: list[str] = []
        if owner not in (None, os.getpid()):
            uses.append(LAB_OF_OWNER(user=_first(user_of(owner))))
        ports = (*lab.ports.values(), *lab.node_ports.values())
        strangers = [user for user in connected_users(ports) if user.pid not in (owner, os.getpid())]
        uses += [LAB_CONNECTED(user=_first(user)) for user in strangers]
        held = self.lab_service.in_use.users((lab.pair.a, lab.pair.b))
        others = dict.fromkeys(holder.message() for holder in held.values() if not holder.is_of_this_process)
        uses += [LAB_IN_USE(holder=holder) for holder in others]
        # The work that holds the hosts has reported more than the database knows.
        measured = {pair.name for pair in self.store.measured_pairs() if _is_at(pair, lab) and not others}
        uses += [LAB_MEASURES(pair=pair) for pair in sorted(measured)]
        uses += [
            LAB_HAS_DEPLOYMENT(id=one.id[:8], title=one.title, state=STATES[one.state]())
            for one in deployments_on(self.store, lab)
        ]
        return tuple(map(local_text, uses))

    def start_chosen_lab(self, choice: LabChoice, *, token: CancelToken, on_progress: ProgressSink) -> None:
        """Start a lab.

        Raises:
            InvalidOption: The name is not allowed or taken, or a platform is unknown.
            LabFault: It cannot be started.
            Cancelled: The token was cancelled; nothing of it is left.
        """
        cpu = CpuKind.AES if choice.has_aes else CpuKind.NO_AES
        spec = LabSpec(choice.name, choice.platform_a, choice.platform_b, cpu, is_hardened=choice.is_hardened)
        self.lab_service.start(spec, is_detached=choice.is_detached, token=token, on_progress=on_progress)

    def stop_lab(self, name: str, agreed: Collection[str]) -> tuple[str, ...]:
        """Stop a lab, unless something uses it that was not agreed to.

        Args:
            agreed: The uses that `lab_uses` named when the user was asked.

        Returns:
            The uses that are new since then; empty where it is stopped.

        Raises:
            NotFound: No lab of that name runs.
            LabFault: Its processes could not be ended.
        """
        new = self._new_uses(name, agreed)
        if new:
            return new
        ending = deployments_in(self.store, self.lab_service.manager, name)
        if not self.lab_service.stop(name):
            raise NotFound(LAB_ENDED(lab=name))
        end_with_lab(self.store, ending)
        return ()

    def restart_lab(
        self, name: str, agreed: Collection[str], *, token: CancelToken, on_progress: ProgressSink
    ) -> tuple[str, ...]:
        """Stop a lab and start one of the same name and kind, that ends with this process unless the first lasted.

        Returns:
            The uses that are new, as for `stop_lab`; nothing is done then.

        Raises:
            NotFound: No lab of that name runs.
            LabFault: It cannot be stopped or started.
            Cancelled: The token was cancelled; the lab is stopped then.
        """
        lab, new = self._lab(name), self._new_uses(name, agreed)
        if new:
            return new
        on_progress(STOPPING_LAB(name=name), None)
        ending = deployments_on(self.store, lab)
        self.lab_service.stop(name)
        end_with_lab(self.store, ending)
        is_detached = lab.owner_pid is None
        self.lab_service.start(lab.spec, is_detached=is_detached, token=token, on_progress=on_progress)
        return ()

    def _new_uses(self, name: str, agreed: Collection[str]) -> tuple[str, ...]:
        try:
            return tuple(use for use in self.lab_uses(name) if use not in agreed)
        except LabFault:  # it does not answer: nothing uses it that could go on
            return ()

    def _lab(self, name: str) -> Lab:
        lab = self.lab_service.manager.find(name)
        if lab is None:
            raise NotFound(LAB_ENDED(lab=name))
        return lab


def deployments_on(store: Store, lab: Lab) -> tuple[Deployment, ...]:
    """Return the deployments on a lab's gateways, which end with it."""
    return tuple(one for one in store.list_deployments(limit=_OPEN_DEPLOYMENTS) if _is_on(one, lab))


def deployments_in(store: Store, manager: LabManager, name: str) -> tuple[Deployment, ...]:
    """Return the deployments on the gateways of the lab of a name; none where it is starting or does not answer."""
    try:
        lab = manager.find(name)
    except LabFault:
        return ()
    return deployments_on(store, lab) if lab is not None else ()


def end_with_lab(store: Store, ended: Collection[Deployment]) -> None:
    """Write down of deployments that their lab has been stopped."""
    for one in ended:
        store.save_deployment(
            replace(
                one,
                state=DeploymentState.REMOVED,
                state_at=datetime.now(UTC),
                message=ITS_LAB_WAS_STOPPED(),
                has_lab_ended=True,
            )
        )


def _first(user: LabUser) -> str:
    """Return a process as it is written at the beginning of a sentence."""
    if not user.command:
        return FIRST_PROCESS_NUMBER(pid=user.pid)
    return FIRST_PROCESS_COMMAND(pid=user.pid, command=user.command)


def _is_on(deployment: Deployment, lab: Lab) -> bool:
    """Whether a deployment is on this lab's gateways: a former lab's may have had the same ports."""
    is_open = deployment.state.is_on_host or deployment.state is DeploymentState.PREPARED
    return is_open and _is_at(deployment.pair, lab) and deployment.prepared_at >= lab.since


def _is_at(pair: PairSpec, lab: Lab) -> bool:
    """Whether a pair is reached at the ports of this lab: labs of one kind share names of pairs."""
    return pair.is_lab and {side: pair.host(side).port for side in lab.ports} == lab.ports


def _detail(status: LabStatus) -> LabDetail:
    kind = {"platforms": enumerated(dict.fromkeys(status.platforms)), "cpu": cpu_words(status.cpu)}
    in_force = status.condition.in_force
    words = LAB_KIND(**kind) if in_force is None else LAB_KIND_LINK(**kind, condition=in_force.name)
    if status.owner_pid is None:
        lasts = UNTIL_STOPPED()
    elif status.owner_pid == os.getpid():
        lasts = UNTIL_CLOSED()
    else:
        lasts = UNTIL_USER_ENDS(user=user_of(status.owner_pid).message())
    return LabDetail(
        name=status.name,
        pair_name=f"lab:{status.name}",
        kind=local_text(words),
        is_up=status.is_running,
        is_starting=status.is_starting,
        ports=status.ports,
        since=minute_text(status.since.astimezone()),
        lasts=local_text(lasts),
        is_detached=status.owner_pid is None,
    )
