"""Starts, finds and ends practice labs."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.conditions import Condition
from app.domain.errors import DeadlineExceeded, LabFault, NotFound, TunnelmarkError
from app.domain.hosts import Side
from app.lab.accel import choose_accelerator
from app.lab.boot import (
    BOOT_TIMEOUT_S,
    LOGINS,
    PortTaken,
    identify,
    refuse_ended,
    wait_until_up,
)
from app.lab.conditions import LabCondition, lab_condition, settings_of
from app.lab.control import give_order, hold_condition, release_condition, set_condition
from app.lab.faults import os_faults
from app.lab.folders import LabFolders
from app.lab.harden import harden
from app.lab.image import ImagePaths, ImageStore, hold_folder
from app.lab.image_build import check_free
from app.lab.launch import LaunchPlan, launch
from app.lab.machine import QEMU, UNDERLAY_LINK, monitor_name
from app.lab.messages import (
    BOOTING_INSTEAD,
    GATEWAYS_UP,
    LAB_PROGRAM_MISSING,
    LAB_STARTS,
    LAB_TOO_OLD,
    LAB_UNKNOWN,
    MAKING_IMAGE,
    NOT_RESTORED,
    RESTORED_UNUSABLE,
    RESTORING_GATEWAYS,
    RUNNING_LAB,
    STARTING_LAB,
)
from app.lab.monitor import Monitor
from app.lab.ports import free_ports
from app.lab.restore import restore
from app.lab.running import Lab, load_lab
from app.lab.saved import SavedMachine, SavedMachineFault, discard_saved, ensure_saved
from app.lab.spec import LabMachine, LabNode, LabProgress, LabSpec, LabStatus, OnProgress, check_lab_name

_NEEDED_STATE_BYTES = 512 << 20
_PORT_ATTEMPTS = 3
_PROGRAMS = {
    QEMU: "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
}
"""Programs that this computer needs, by the package that provides them."""


class LabManager:
    """The labs of this user on this computer.

    Args:
        cache_dir: Where images are kept.
        state_dir: Where running labs have their folders: keys, disks, sockets, logs.
        boot_timeout_s: How long a gateway may take until it can be logged in to, in seconds.
    """

    def __init__(self, *, cache_dir: Path, state_dir: Path, boot_timeout_s: float = BOOT_TIMEOUT_S) -> None:
        self._boot_timeout_s = boot_timeout_s
        self._cache_dir = cache_dir
        self._state_dir = state_dir
        self._images = ImageStore(cache_dir)
        self._folders = LabFolders(state_dir)

    def ensure_image(self, platform: str, *, token: CancelToken, on_progress: OnProgress) -> ImagePaths:
        """Return a platform's image; make it if there is none or it is damaged.

        Args:
            platform: For example `debian-13`.
            on_progress: Receives what is being done.

        Returns:
            Where the image is.

        Raises:
            InvalidOption: There is no such platform.
            LabFault: The image could not be made.
            DiskFull: There is not enough space.
            Cancelled: The token was cancelled.
        """
        with os_faults(MAKING_IMAGE(platform=platform)):
            return self._images.ensure(platform, token=token, on_progress=on_progress)

    def up(
        self, spec: LabSpec, *, token: CancelToken, on_progress: OnProgress, is_owned: bool, is_cold: bool = False
    ) -> Lab:
        """Start a lab and wait until both gateways can be logged in to.

        Args:
            spec: What is wanted.
            token: Cancelling it ends the start; nothing of the lab is left then.
            on_progress: Receives what is being done.
            is_owned: The lab dies with this process, even if that is killed; otherwise it lasts until `down`.
            is_cold: Boot both gateways; otherwise they are restored from saved machines, made at the first start.

        Returns:
            The running lab.

        Raises:
            InvalidOption: The name is taken or not allowed, or a platform is unknown.
            LabFault: QEMU is missing or failed, or a gateway never came up.
            DiskFull: There is not enough space.
            Cancelled: The token was cancelled.
        """
        spec.check()
        _check_programs()
        with os_faults(STARTING_LAB(lab=spec.name)):
            self._folders.refuse_taken(spec.name)
            images = {
                side: self.ensure_image(spec.platform(side), token=token, on_progress=on_progress) for side in Side
            }
            check_free(self._folders.make_parent(), _NEEDED_STATE_BYTES, what=RUNNING_LAB())
            with ExitStack() as held:
                for image in images.values():
                    held.callback(os.close, hold_folder(image.folder))
                accelerator = choose_accelerator(self._cache_dir, images[Side.A], token=token)
                plan = LaunchPlan(spec, images, accelerator, {}, is_owned)
                if is_cold:
                    return self._up(plan, token=token, on_progress=on_progress)
                return self._up_from_saved(plan, token=token, on_progress=on_progress)

    def _up_from_saved(self, plan: LaunchPlan, *, token: CancelToken, on_progress: OnProgress) -> Lab:
        """Restore both gateways; boot them where that does not work."""
        saved: dict[LabMachine, SavedMachine] = {}
        try:
            with ExitStack() as held:
                saved = self._saved(plan, token=token, on_progress=on_progress)
                for one in saved.values():
                    held.callback(os.close, hold_folder(one.folder))
                return self._up(replace(plan, saved=saved), token=token, on_progress=on_progress)
        except SavedMachineFault as fault:
            for one in saved.values():
                discard_saved(one)
            on_progress(LabProgress("boot", BOOTING_INSTEAD(why=fault.message), None))
            return self._up(plan, token=token, on_progress=on_progress)

    def _up(self, plan: LaunchPlan, *, token: CancelToken, on_progress: OnProgress) -> Lab:
        attempts_left = _PORT_ATTEMPTS
        while True:
            attempts_left -= 1
            machines = plan.spec.machines
            ports = dict(zip(machines, free_ports(len(machines)), strict=True))
            try:
                return self._up_once(replace(plan, ports=ports), token=token, on_progress=on_progress)
            except PortTaken:
                if attempts_left == 0:
                    raise

    def _saved(
        self, plan: LaunchPlan, *, token: CancelToken, on_progress: OnProgress
    ) -> dict[LabMachine, SavedMachine]:
        return {
            one: ensure_saved(plan.machine(one), timeout_s=self._boot_timeout_s, token=token, on_progress=on_progress)
            for one in plan.spec.machines
        }

    def _up_once(self, plan: LaunchPlan, *, token: CancelToken, on_progress: OnProgress) -> Lab:
        folder, lock_fd = self._folders.create(plan.spec.name)
        is_restored, has_launched = bool(plan.saved), False
        try:
            try:
                launched = launch(plan, folder, lock_fd)
            finally:
                os.close(lock_fd)
            has_launched = True
            lab, timeout_s = launched.lab, self._boot_timeout_s
            if is_restored:
                on_progress(LabProgress("boot", RESTORING_GATEWAYS(), None))
                self._restore(lab, plan.saved, token=token)
            identify(launched, is_restored=is_restored, token=token, on_progress=on_progress, timeout_s=timeout_s)
            wait_until_up(
                lab,
                dict.fromkeys(plan.spec.machines, 0),
                token=token,
                on_progress=on_progress,
                timeout_s=timeout_s,
                logins=1 if is_restored else LOGINS,
            )
            if plan.spec.is_hardened:
                harden(lab, token=token, on_progress=on_progress)
            give_order(folder, "ready")
            if not plan.is_owned:
                give_order(folder, "disown")
        except BaseException as error:
            self._folders.end(folder)
            is_other = isinstance(error, PortTaken | SavedMachineFault)
            if is_restored and has_launched and isinstance(error, LabFault) and not is_other:
                raise SavedMachineFault(RESTORED_UNUSABLE(why=error.message)) from error
            raise
        on_progress(LabProgress("login", GATEWAYS_UP(), 1.0))
        return lab

    def _restore(self, lab: Lab, saved: dict[LabMachine, SavedMachine], *, token: CancelToken) -> None:
        try:
            restore(lab, saved, token=token)
        except (LabFault, DeadlineExceeded) as fault:
            reason: TunnelmarkError = fault
            try:
                refuse_ended(lab, lab.spec.machines)
            except PortTaken:
                raise
            except LabFault as ended:
                reason = ended  # QEMU ends where memory does not fit it, and its log has the reason
            raise SavedMachineFault(NOT_RESTORED(why=reason.message)) from fault

    def relink(self, name: str) -> None:
        """Take both sides of a lab's underlay down and up.

        A link that lost a notification between a driver and its device works again afterwards.

        Raises:
            NotFound: No lab of that name runs.
            LabFault: A gateway's QEMU does not answer.
        """
        folder = self._known(name).folder
        for side in Side:
            with Monitor(folder, monitor_name(side)) as monitor:
                monitor.relink(UNDERLAY_LINK)

    def set_condition(self, name: str, condition: Condition | None) -> None:
        """Emulate a condition between a lab's gateways, from now on until another is set.

        Args:
            condition: The condition; None joins the gateways directly.

        Raises:
            NotFound: No lab of that name runs.
            LabFault: The lab does not answer.
        """
        set_condition(self._known(name).folder, settings_of(condition))

    def hold_condition(self, name: str, condition: Condition | None) -> None:
        """Emulate a condition until this process releases it or ends, however it ends; raises as `set_condition`."""
        hold_condition(self._known(name).folder, settings_of(condition), os.getpid())
        if self.condition_of(name).in_force != condition:
            raise LabFault(LAB_TOO_OLD(lab=name))

    def release_condition(self, name: str) -> None:
        """Return to the condition that was set to last; raises as `set_condition`."""
        release_condition(self._known(name).folder, os.getpid())

    def condition_of(self, name: str) -> LabCondition:
        """Return the conditions of a lab's link; raises as `set_condition`."""
        return lab_condition(give_order(self._known(name).folder, "status").link)

    def down(self, name: str) -> bool:
        """End a lab; nothing of it is left. A lab that is not there is no error.

        Returns:
            Whether there was one.

        Raises:
            InvalidOption: That cannot be a lab's name.
            LabFault: Its processes could not be ended.
        """
        check_lab_name(name)
        folder = self._state_dir / name
        if not folder.exists():
            return False
        self._folders.end(folder)
        return True

    def status(self) -> tuple[LabStatus, ...]:
        """Return the running labs, by name; what dead labs have left behind is removed."""
        found = []
        for folder in self._folders.alive():
            try:
                lab = load_lab(folder)
                state = give_order(folder, "status")
            except LabFault:
                continue  # it is just beginning to start, or ending
            pids = state.pids
            found.append(
                LabStatus(
                    name=lab.spec.name,
                    platforms=(lab.spec.platform_a, lab.spec.platform_b),
                    cpu=lab.spec.cpu,
                    is_running=(
                        state.is_ready and pids[Side.A] is not None,
                        state.is_ready and pids[Side.B] is not None,
                    ),
                    ports=(lab.ports[Side.A], lab.ports[Side.B]),
                    pids=(pids[Side.A], pids[Side.B]),
                    since=lab.since,
                    owner_pid=lab.owner_pid,
                    is_starting=not state.is_ready,
                    condition=lab_condition(state.link),
                    node_ports=tuple(lab.node_ports.values()),
                    node_pids=tuple(pids[node] for node in LabNode if node in lab.node_ports),
                )
            )
        return tuple(found)

    def find(self, name: str) -> Lab | None:
        """Return a running lab.

        Returns:
            The lab; None if none of that name runs.

        Raises:
            InvalidOption: That cannot be a lab's name.
            LabFault: It is still starting, or does not answer.
        """
        check_lab_name(name)
        folder = self._state_dir / name
        if folder not in self._folders.alive():
            return None
        if not give_order(folder, "status").is_ready:
            raise LabFault(LAB_STARTS(lab=name))
        return load_lab(folder)

    def _known(self, name: str) -> Lab:
        lab = self.find(name)
        if lab is None:
            raise NotFound(LAB_UNKNOWN(lab=name))
        return lab


def _check_programs() -> None:
    for program, package in _PROGRAMS.items():
        if shutil.which(program) is None:
            raise LabFault(LAB_PROGRAM_MISSING(program=program, package=package))
