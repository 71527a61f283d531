"""Practice labs as the window and the command line use them."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from app.domain.cancel import CancelToken
from app.domain.conditions import AS_FOUND, Condition
from app.domain.credentials import PasswordProvider, Secret, SecretKey, SecretKind
from app.domain.errors import HostUnreachable, LabFault, NotFound
from app.domain.hosts import PairSpec, Side
from app.domain.messages import mark, sentences
from app.domain.paths import Paths
from app.domain.progress import ProgressSink
from app.domain.results import CampaignRecord
from app.host.logins import endpoint_of
from app.lab import PLATFORMS as LAB_PLATFORMS
from app.lab import CpuKind, Lab, LabManager, LabProgress, LabSpec, parse_platforms
from app.lab.kinds import OWN, free_name, is_of_kind, is_plain, is_usable, kind_of, stored_name
from app.lab.messages import (
    EMULATOR_ENDED,
    LAB_DOWN,
    LAB_OR_PLATFORM_UNKNOWN,
    NO_LAB_OF_KIND,
    OTHER_CONDITION,
    START_LAB_OR_CHOOSE,
)
from app.storage.in_use import InUse

logger = logging.getLogger(__name__)

_DISTRIBUTIONS = tuple({name.partition("-")[0] for name in LAB_PLATFORMS})
"""A name that begins with one of these and is neither a lab nor a platform is a platform mistyped."""


class Labs:
    """Starts labs, and remembers which ones belong to this process.

    Args:
        paths: Where images and running labs are kept.
    """

    def __init__(self, paths: Paths) -> None:
        self.manager = LabManager(cache_dir=paths.cache_dir, state_dir=paths.labs_dir)
        self.in_use = InUse(paths.in_use_dir, endpoint_of)
        self._lock = threading.Lock()
        self._owned: list[str] = []

    def running(self) -> tuple[Lab, ...]:
        """Return the labs that are up."""
        found = (self.manager.find(status.name) for status in self.manager.status() if all(status.is_running))
        return tuple(lab for lab in found if lab is not None)

    def pairs(self) -> tuple[PairSpec, ...]:
        """Return the pairs of the labs that are up, under the names that their comparisons are stored under."""
        named: dict[str, PairSpec] = {}
        for lab in self.running():
            pair = _stored(lab) if is_usable(lab) else lab.pair
            pair = lab.pair if pair.name in named else pair
            named[pair.name] = pair
        return tuple(named.values())

    def pair(self, name: str, *, token: CancelToken, on_progress: ProgressSink) -> PairSpec:
        """Return the pair of a running lab, or of a lab that is started for this process.

        Args:
            name: Name of a running lab, or a platform (`debian-13`), or one for each side (`A=debian-11,B=debian-13`):
                then a lab of that kind that is up is taken, and one is started where there is none.
            on_progress: Gets what happens.

        Raises:
            NotFound: There is neither a lab nor a platform of that name.
            InvalidOption: It cannot be read, or a platform is unknown.
            LabFault: The lab cannot be started.
        """
        found = self._find_running(name)
        if found is not None:
            return found
        platforms = parse_platforms(name)
        with self._lock:
            return _stored(self._start_own(LabSpec(self._own_name(), *platforms), token, on_progress))

    def running_pair(self, name: str) -> PairSpec:
        """Return the pair of a running lab, also of one that ends with another process; nothing is started.

        Args:
            name: As for `pair`.

        Raises:
            NotFound: No such lab is running.
            InvalidOption: The name cannot be read, or a platform is unknown.
        """
        found = self._find_running(name, is_for_measuring=False)
        if found is None:
            raise NotFound(NO_LAB_OF_KIND(kind=name))
        return found

    def _find_running(self, name: str, *, is_for_measuring: bool = True) -> PairSpec | None:
        """Return the pair of a running lab; None where no lab of a platform is running.

        A lab that ends with another process is none to measure on: it may end meanwhile.

        Raises:
            NotFound: The name is no platform, and no lab of that name is running.
            InvalidOption: It cannot be read, or a platform is unknown.
        """
        if name not in LAB_PLATFORMS and "=" not in name:
            lab = self.manager.find(name)
            if lab is None and name.startswith(_DISTRIBUTIONS):
                parse_platforms(name)  # says that there is no such platform
            if lab is None:
                raise NotFound(LAB_OR_PLATFORM_UNKNOWN(lab=name, platforms=tuple(LAB_PLATFORMS)))
            return lab.pair
        platforms = parse_platforms(name)
        for lab in sorted(self.running(), key=is_usable, reverse=True):
            is_wanted = (lab.spec.platform_a, lab.spec.platform_b) == platforms and is_plain(lab.spec)
            if is_wanted and (is_usable(lab) or not is_for_measuring):
                return _stored(lab)
        return None

    def link(self, pair: PairSpec) -> LabLink | None:
        """Return the link of a practice lab's pair; None for a pair of the user's own hosts."""
        return LabLink(self, pair) if pair.is_lab else None

    def condition(self, pair: PairSpec) -> Condition | None:
        """Return the condition that lasts on the link of a running lab's pair; None for other pairs."""
        lab = self.find(pair) if pair.is_lab else None
        return self.manager.condition_of(lab.spec.name).usual if lab is not None else None

    def find(self, pair: PairSpec) -> Lab | None:
        """Return the running lab that a pair is of, whatever the pair is called; None where there is none."""
        ports = {side: pair.host(side).port for side in Side}
        return next((lab for lab in self.running() if lab.ports == ports), None)

    def machines(self, pair_name: str) -> tuple[str, ...]:
        """Return the kind of a running lab's gateways, as `PairSpec.machines`; none where no such lab is running."""
        try:
            return next((pair.machines for pair in self.pairs() if pair.name == pair_name), ())
        except LabFault:  # one begins or ends meanwhile
            return ()

    def guests(self, pair: PairSpec) -> tuple[int, ...]:
        """Return the process ids of the virtual machines that a pair is of; empty where it is no running lab."""
        lab = self.find(pair) if pair.is_lab else None
        statuses = self.manager.status() if lab is not None else ()
        own = (one for one in statuses if lab and one.name == lab.spec.name)
        return tuple(pid for one in own for pid in (*one.pids, *one.node_pids) if pid is not None)

    def explained(self, pair: PairSpec, error: HostUnreachable) -> HostUnreachable:
        """Return why a host of a pair cannot be reached: where its practice lab is down, that."""
        try:
            is_down = pair.is_lab and self.find(pair) is None
        except LabFault:  # it is starting, or does not answer
            return error
        if not is_down:
            return error
        down = LAB_DOWN(pair=pair.name)
        return HostUnreachable(sentences([down, error.message]), hint=START_LAB_OR_CHOOSE(), context=error.context)

    def is_gone(self, record: CampaignRecord) -> bool:
        """Whether the practice lab that a comparison ran in has ended; False for a pair of the user's own hosts.

        A lab that was started later on the same ports is another one.
        """
        if not record.plan.pair.is_lab:
            return False
        lab = self.find(record.plan.pair)
        return lab is None or lab.since > record.started_at

    def like(self, record: CampaignRecord, *, token: CancelToken, on_progress: ProgressSink) -> PairSpec:
        """Return the pair of the lab that a comparison ran in, or of another one of the same kind.

        A lab that is up is taken; where there is none, one is started that ends with this process.

        Raises:
            LabFault: The lab cannot be started.
        """
        if not self.is_gone(record):
            return record.plan.pair
        kind = kind_of(record)
        lab = next((lab for lab in self.running() if is_of_kind(lab, kind)), None)
        if lab is None:
            with self._lock:
                name = free_name(record.plan.pair.name, self._own_name())
                if self.manager.find(name) is not None:  # of another kind
                    name = self._own_name()
                lab = self._start_own(replace(kind, name=name), token, on_progress)
        return _stored(lab)

    def _own_name(self) -> str:
        return f"{OWN}{os.getpid()}-{len(self._owned) + 1}"

    def _start_own(self, spec: LabSpec, token: CancelToken, on_progress: ProgressSink) -> Lab:
        """Start a lab that ends with this process. The caller holds the lock."""
        lab = self.manager.up(spec, token=token, on_progress=_reporting(on_progress), is_owned=True)
        self._owned.append(spec.name)
        return lab

    def start(self, spec: LabSpec, *, is_detached: bool, token: CancelToken, on_progress: ProgressSink) -> Lab:
        """Start a lab of the user's choice.

        Args:
            spec: What is wanted.
            is_detached: Whether it goes on when this process ends.
            token: Stops the start; nothing is left of it then.
            on_progress: Gets what happens.

        Raises:
            InvalidOption: The name is taken or not allowed, or a platform is unknown.
            LabFault: It cannot be started.
        """
        if not is_detached:
            with self._lock:
                return self._start_own(spec, token, on_progress)
        return self.manager.up(spec, token=token, on_progress=_reporting(on_progress), is_owned=False)

    def stop(self, name: str) -> bool:
        """Stop a lab, also one of another process; return whether there was one."""
        with self._lock:
            self._owned = [own for own in self._owned if own != name]
        return self.manager.down(name)

    def close(self) -> None:
        """Stop the labs that this process started for itself."""
        with self._lock:
            owned, self._owned = self._owned, []
        for name in owned:
            self.manager.down(name)


@dataclass(frozen=True, slots=True)
class LabLink:
    """The link between the two gateways of a practice lab. Implements `LinkHealer` and `ConditionedLink`.

    Attributes:
        labs: This user's labs.
        pair: The pair whose link it is.
    """

    labs: Labs
    pair: PairSpec

    def heal(self, *, token: CancelToken) -> bool:
        """Take the link down and up again; return False where no running lab of this user has these gateways.

        Raises:
            LabFault: The lab does not answer.
            Cancelled: The token was cancelled.
        """
        token.raise_if_cancelled()
        try:
            self.labs.manager.relink(self._name())
        except NotFound:
            return False
        return True

    def hold(self, condition: Condition | None) -> None:
        """Emulate a condition until `release`, or until this process ends; None joins the gateways directly.

        Raises:
            NotFound: No running lab of this user has these gateways.
            LabFault: The lab does not answer.
        """
        self.labs.manager.hold_condition(self._name(), condition)

    def release(self) -> None:
        """Return to the condition that lasts; a lab that has ended meanwhile needs none.

        One that does not answer returns to it when this process ends.
        """
        try:
            self.labs.manager.release_condition(self._name())
        except NotFound:
            return
        except LabFault as error:
            logger.warning("%s", error.sentence())

    def deviation(self, condition: Condition) -> str:
        """Return why the link is not under a condition that was set, as a sentence; empty where it is."""
        try:
            found = self.labs.manager.condition_of(self._name())
        except (NotFound, LabFault) as error:
            return error.sentence()
        if found.in_force != condition:
            other = found.in_force.name if found.in_force is not None else AS_FOUND
            return OTHER_CONDITION(other=other, wanted=condition.name)
        return "" if found.is_emulated else EMULATOR_ENDED()

    def _name(self) -> str:
        lab = self.labs.find(self.pair)
        if lab is None:
            raise NotFound(LAB_DOWN(pair=self.pair.name))
        return lab.spec.name


@dataclass(frozen=True, slots=True)
class LabPasswords:
    """Passwords of users of running hardened labs, and all others from elsewhere. Implements `PasswordProvider`.

    Attributes:
        labs: This user's labs.
        others: Where every other password comes from.
    """

    labs: Labs
    others: PasswordProvider

    def get(self, key: SecretKey, *, is_retry: bool, token: CancelToken | None = None) -> Secret | None:
        """Return a password, or None where there is none to be had."""
        own = None if is_retry or key.kind is not SecretKind.SUDO else self._of_lab(key.subject)
        return own or self.others.get(key, is_retry=is_retry, token=token)

    def confirm(self, key: SecretKey, *, token: CancelToken | None = None) -> None:
        """Keep the password that the user typed last."""
        self.others.confirm(key, token=token)

    def _of_lab(self, login: str) -> Secret | None:
        for lab in self.labs.running():
            hosts = (lab.pair.a, lab.pair.b)
            if lab.spec.is_hardened and login in {f"{host.user}@{host.address}:{host.port}" for host in hosts}:
                return lab.passwords().get(hosts[0].user or "")
        return None


def cpu_words(cpu: CpuKind) -> str:
    """Return which instructions CPUs show, for people."""
    return mark("with AES instructions") if cpu is CpuKind.AES else mark("without AES instructions")


def _reporting(on_progress: ProgressSink) -> Callable[[LabProgress], None]:
    return lambda progress: on_progress(progress.text, progress.fraction)


def _stored(lab: Lab) -> PairSpec:
    """Return a lab's pair under the name that its comparisons are stored under, so that they find each other."""
    return replace(lab.pair, name=stored_name(lab.spec, lab))
