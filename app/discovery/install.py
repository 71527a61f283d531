"""Installing what a host lacks: simulated first, refused if it removes anything, and no daemon starts by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.discovery.messages import (
    ALREADY_INSTALLED,
    CANNOT_INSTALL,
    FETCHING_PACKAGE_LISTS,
    INSTALL_WOULD_REMOVE,
    INSTALLING_PACKAGES,
    NOT_INSTALLABLE_HERE,
    PACKAGE_MANAGER_DISK_FULL,
    PACKAGE_MANAGER_FAILED,
    PACKAGES_INSTALLED,
    SERVICES_NOT_STARTED,
)
from app.discovery.simulate import PackageChanges, failed_simulation, read_simulation
from app.discovery.text import clean, lines_of
from app.domain.adapters import shell_step_argv
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, HostSession, LineSink
from app.domain.errors import CommandFailed, DiskFull, PackageMissing, PreflightRefused
from app.domain.hosts import HostFacts, MissingPart, PackageManager
from app.domain.messages import mark, sentences
from app.domain.script_files import bare_script

AuditSink = Callable[[AuditEntry], None]

STOPPED_PREFIX = "tunnelmark-stopped: "
"""Begins a line of the script's output for each service that the packages had enabled."""

_SCRIPT = bare_script("discovery/install-packages.sh")
"""Installs packages without letting a daemon start by itself."""
_PACKAGE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9+._-]{0,127}")
_SIMULATE_TIMEOUT_S = 120.0
_REFRESH_TIMEOUT_S = 300.0
_INSTALL_TIMEOUT_S = 1800.0
_TAIL_LINES = 15

_C_LOCALE = ("env", "LC_ALL=C")
_APT = (
    *_C_LOCALE,
    "DEBIAN_FRONTEND=noninteractive",
    "NEEDRESTART_SUSPEND=1",
    "apt-get",
    "-q",
    "-y",
    "--no-install-recommends",
    "-o",
    "DPkg::Lock::Timeout=120",
    "-o",
    "Dpkg::Options::=--force-confdef",
    "-o",
    "Dpkg::Options::=--force-confold",
    "-o",
    "Dpkg::Use-Pty=0",
)

_SIMULATE: Mapping[PackageManager, tuple[str, ...]] = {
    PackageManager.APT: (*_APT, "--simulate", "install", "--"),
    PackageManager.DNF: (*_C_LOCALE, "dnf", "--assumeno", "--setopt=install_weak_deps=False", "install", "--"),
    PackageManager.OPKG: (*_C_LOCALE, "opkg", "--noaction", "install"),
    PackageManager.PACMAN: (*_C_LOCALE, "pacman", "-S", "--needed", "--noconfirm", "--print-format", "%n"),
}
"""Source: apt-get(8), dnf(8), opkg-cl(1), pacman(8)."""

_REFRESH: Mapping[PackageManager, tuple[str, ...]] = {
    PackageManager.APT: (*_APT, "update"),
    PackageManager.OPKG: (*_C_LOCALE, "opkg", "update"),
}
"""dnf does so by itself; Arch does not support it without upgrading everything, so there it is left to the owner."""

_INSTALL: Mapping[PackageManager, tuple[str, ...]] = {
    PackageManager.APT: (*_APT, "--no-remove", "install", "--"),
    PackageManager.DNF: (*_C_LOCALE, "dnf", "-y", "--setopt=install_weak_deps=False", "install", "--"),
    PackageManager.OPKG: (*_C_LOCALE, "opkg", "install"),
    PackageManager.PACMAN: (*_C_LOCALE, "pacman", "-S", "--needed", "--noconfirm"),
}


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """Plan of an installation on a host.

    Attributes:
        manager: The host's package manager.
        packages: The requested packages; their dependencies come with them.
        simulate: argv that only says what would happen.
        refresh: argv that fetches the lists of packages where the simulation does not find one; may be empty.
        install: argv that installs.
    """

    manager: PackageManager
    packages: tuple[str, ...]
    simulate: tuple[str, ...]
    refresh: tuple[str, ...]
    install: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InstallOutcome:
    """Outcome of an installation.

    Attributes:
        host: The host's label.
        installed: Packages that the simulation announced, with what they need.
        stopped: Services that the packages had enabled; they were stopped and disabled.
    """

    host: str
    installed: tuple[str, ...]
    stopped: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Sentence that reports what was done."""
        if self.installed:
            done = PACKAGES_INSTALLED(packages=self.installed, host=self.host)
        else:
            done = ALREADY_INSTALLED(host=self.host)
        return sentences([done, SERVICES_NOT_STARTED(services=self.stopped) if self.stopped else ""])


def plan_install(facts: HostFacts, missing: Sequence[MissingPart]) -> InstallPlan:
    """Return how missing parts would be installed.

    Args:
        missing: What is wanted, of `facts.missing`.

    Returns:
        The plan.

    Raises:
        PackageMissing: No package brings any of it, or the host has no package manager that is known.
    """
    known = tuple(part for part in missing if _PACKAGE_NAME.fullmatch(part.package))
    packages = tuple(dict.fromkeys(part.package for part in known))
    manager = facts.package_manager
    if not packages or manager not in _INSTALL:
        wanted = tuple(dict.fromkeys(part.what for part in missing)) or mark("nothing")
        raise PackageMissing(
            NOT_INSTALLABLE_HERE(host=facts.hostname, wanted=wanted),
        )
    return InstallPlan(
        manager=manager,
        packages=packages,
        simulate=(*_SIMULATE[manager], *packages),
        refresh=_REFRESH.get(manager, ()),
        install=(*_INSTALL[manager], *packages),
    )


def install(
    session: HostSession,
    plan: InstallPlan,
    *,
    token: CancelToken,
    on_line: LineSink | None = None,
    on_change: AuditSink | None = None,
) -> InstallOutcome:
    """Install packages on a host. Cancelling works until the installation itself begins; that is never interrupted.

    Args:
        session: A connection with root's rights.
        plan: What to install.
        on_line: Gets what the package manager prints.
        on_change: Gets each command that changes the host.

    Returns:
        What was installed.

    Raises:
        PreflightRefused: Something would be removed.
        PackageMissing: The host's package sources do not have a package.
        DiskFull: There is no space on the host.
        CommandFailed: The package manager failed.
        ConnectionLost, DeadlineExceeded, PrivilegeMissing, Cancelled: As for `HostSession.run`.
    """
    worker = _Installer(session, token, on_line, on_change)
    change = _simulate(worker, plan)
    if change.removed:
        raise PreflightRefused(
            INSTALL_WOULD_REMOVE(packages=tuple(plan.packages), host=session.spec.label, removed=tuple(change.removed)),
        )
    token.raise_if_cancelled()
    result = worker.change(
        guarded_argv(plan.install), plan.install, mark("install packages"), timeout_s=_INSTALL_TIMEOUT_S
    )
    token.raise_if_cancelled()
    if not result.is_ok:
        raise worker.fault(result, INSTALLING_PACKAGES(packages=plan.packages))
    stopped = (line for line in lines_of(result.stdout) if line.startswith(STOPPED_PREFIX))
    return InstallOutcome(
        host=session.spec.label,
        installed=change.installed,
        stopped=tuple(clean(line.removeprefix(STOPPED_PREFIX)) for line in stopped),
    )


def _simulate(worker: _Installer, plan: InstallPlan) -> PackageChanges:
    """Ask what would happen; with fresh lists of packages, if the first answer is that one is not known."""
    result = worker.ask(plan.simulate)
    if failed_simulation(plan.manager, result) and plan.refresh:
        refreshed = worker.change(
            plan.refresh, plan.refresh, mark("fetch lists of packages"), timeout_s=_REFRESH_TIMEOUT_S
        )
        if not refreshed.is_ok:
            raise worker.fault(refreshed, FETCHING_PACKAGE_LISTS())
        result = worker.ask(plan.simulate)
    if failed_simulation(plan.manager, result):
        raise PackageMissing(
            CANNOT_INSTALL(host=worker.session.spec.label, packages=tuple(plan.packages), reason=_last_line(result)),
            context={"output": _tail(result)},
        )
    return read_simulation(plan.manager, result.stdout)


@dataclass(frozen=True, slots=True)
class _Installer:
    """One host, with the receivers of its events."""

    session: HostSession
    token: CancelToken
    on_line: LineSink | None
    on_change: AuditSink | None

    def ask(self, argv: tuple[str, ...]) -> CommandResult:
        """Run a command that changes nothing."""
        command = Command(argv, timeout_s=_SIMULATE_TIMEOUT_S, is_root=True)
        return self.session.run(command, token=self.token, on_line=self.on_line)

    def change(self, argv: tuple[str, ...], shown: tuple[str, ...], what: str, *, timeout_s: float) -> CommandResult:
        """Run a command that changes the host, to its end, and write it down."""
        started_at = datetime.now(UTC)
        status: int | None = None
        try:
            command = Command(argv, timeout_s=timeout_s, is_root=True)
            result = self.session.run(command, token=CancelToken(), on_line=self.on_line)
            status = result.exit_status
        finally:
            if self.on_change is not None:
                host = self.session.spec.address
                self.on_change(AuditEntry(started_at, host, None, " ".join(shown), status, what))
        return result

    def fault(self, result: CommandResult, what: str) -> CommandFailed | DiskFull:
        """Return the error that says why a command failed."""
        text = f"{result.stdout}\n{result.stderr}".lower()
        label = self.session.spec.label
        context = {"output": _tail(result), "exit_status": str(result.exit_status)}
        if "no space left" in text or "enough free space" in text:
            return DiskFull(PACKAGE_MANAGER_DISK_FULL(what=what, host=label), context=context)
        return CommandFailed(
            PACKAGE_MANAGER_FAILED(what=what, host=label, reason=_last_line(result)),
            context=context,
        )


def _lines(result: CommandResult) -> list[str]:
    return [clean(line, 300) for line in lines_of(f"{result.stdout}\n{result.stderr}") if line.strip()]


def _tail(result: CommandResult) -> str:
    return "\n".join(_lines(result)[-_TAIL_LINES:])


def _last_line(result: CommandResult) -> str:
    """Return the first line that says it is an error, else the last one."""
    lines = _lines(result)
    errors = [line for line in lines if re.match(r"(E:|error|Error|\*)", line)]
    return (errors or lines[-1:] or [mark("it printed nothing")])[0].rstrip(".")


def guarded_argv(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return argv that runs a package manager so that nothing it brings starts by itself.

    Args:
        argv: The package manager with its arguments.
    """
    return shell_step_argv(_SCRIPT, *argv)
