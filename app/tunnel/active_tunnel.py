"""Handle to a running tunnel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from app.domain.adapters import TunnelPlan, shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import Cancelled, DeadlineExceeded, EnvironmentFault, InvalidPlan, TunnelDown, TunnelmarkError
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import sentences
from app.domain.results import PlannedItem
from app.domain.script_files import bare_script
from app.domain.solutions import Space, Suite
from app.host.parallel import deadline_token, on_both_to_the_end
from app.host.remote_host import RemoteHost, printable
from app.tunnel.messages import NOT_SWITCHABLE
from app.tunnel.preview import configuration_of
from app.tunnel.request import DeployRequest, Obstacle
from app.tunnel.restart import restart_both, restart_one
from app.tunnel.switch import Switcher, why_not_switch

MAX_PID_DIGITS = 7
"""Source: PID_MAX_LIMIT, 2^22, in include/linux/threads.h."""
PIDS_S = 10.0
"""Time limit for asking a host for the tunnel's processes, in seconds."""
LOG_S = 5.0
"""Time limit for reading the daemons' logs after a failure, in seconds."""

_TAIL_SCRIPT = bare_script("tunnel/tail-logs.sh")
_DAEMONS_SCRIPT = bare_script("tunnel/daemons.sh")


class ActiveTunnel:
    """A running tunnel, valid until the `with` block that it came from ends.

    Attributes:
        plan: What was built.
        configuration: The same for people and reports; no secret is in it.
        negotiated: What both sides report as negotiated.
        warnings: What preflight found that did not stop it.
        setup_s: Seconds from the first change on a host to the last check.
        cleanup_s: Duration of the rollback of both hosts, in seconds; 0 before it.
        timings_s: Seconds per phase.
        differences: What was not as before after clean-up, though it does not concern this tunnel, as sentences.
    """

    def __init__(
        self,
        request: DeployRequest,
        plan: TunnelPlan,
        hosts: Mapping[Side, RemoteHost],
        *,
        configuration: tuple[PlannedItem, ...],
        negotiated: str,
        warnings: tuple[Obstacle, ...],
        lost: Callable[[], Mapping[Side, str]],
        switcher: Switcher,
    ) -> None:
        self.plan = plan
        self.configuration = configuration
        self.negotiated = negotiated
        self.warnings = warnings
        self.setup_s = 0.0
        self.cleanup_s = 0.0
        self.timings_s: dict[str, float] = {}
        self.differences: tuple[str, ...] = ()
        self._request = request
        self._hosts = hosts
        self._lost = lost
        self._switcher = switcher

    @property
    def link(self) -> Link:
        """The link that the tunnel is built on."""
        return self._request.link

    @property
    def lost(self) -> Mapping[Side, str]:
        """Host that rolled back although the tunnel was still in use, with the reason as a sentence."""
        return self._lost()

    def collect_logs(self, token: CancelToken) -> str:
        """Read the end of the daemons' logs on both hosts.

        Returns:
            Printable text with a heading per host; what cannot be read is left out.
        """
        return collect_logs(self._hosts, self.plan, token=token)

    def daemon_pids(self, side: Side) -> tuple[int, ...]:
        """Return the numbers of the processes that the tunnel's steps left running on one host.

        Returns:
            In ascending order; none where the kernel carries the frames, or the host does not answer within PIDS_S.

        Raises:
            ConnectionLost: As for any command.
        """
        if self._request.adapter.info.space is not Space.USER:
            return ()
        mark = self._switcher.process_tag(side)
        command = Command(shell_step_argv(_DAEMONS_SCRIPT, mark, self.link.run_dir), timeout_s=PIDS_S, is_root=True)
        try:
            with deadline_token(PIDS_S) as token:
                words = self._hosts[side].session.run(command, token=token).stdout.split()
        except (Cancelled, DeadlineExceeded):  # the token is ours alone: its time is over
            return ()
        return tuple(sorted(int(word) for word in words if word.isdecimal() and len(word) <= MAX_PID_DIGITS))

    def can_switch(self, suite: Suite) -> bool:
        """Return whether `switch` can give the tunnel this suite, without touching a host.

        Args:
            suite: One that the adapter offers for these hosts, from its census too.
        """
        request = replace(self._request, suite=suite)
        return not why_not_switch(self._request, self.plan, request, self._switcher.plan(request))

    def switch(self, suite: Suite, *, token: CancelToken, up_timeout_s: float | None = None) -> None:
        """Change the suite of the running tunnel: only what depends on it is undone and done again.

        `plan`, `configuration` and `negotiated` are the new ones afterwards.

        Args:
            suite: One that the adapter offers for these hosts, from its census too.
            up_timeout_s: Time limit for both sides to be up, in seconds; None for the plan's.

        Raises:
            InvalidPlan: More than the steps that depend on the suite would have to change; nothing was touched.
            TunnelDown, CommandFailed, DiskFull: It did not work; `context["log"]` holds the daemons' logs. The tunnel
                has neither suite then, and can be switched again.
            ConnectionLost, DeadlineExceeded, Cancelled: As for any command.
        """
        request = replace(self._request, suite=suite)
        plan = self._switcher.plan(request)
        if reason := why_not_switch(self._request, self.plan, request, plan):
            raise InvalidPlan(NOT_SWITCHABLE(suite=suite.title, why=reason))
        if up_timeout_s is not None:
            plan = replace(plan, up_timeout_s=up_timeout_s)
        self._raise_if_lost()
        self._request, self.plan, self.negotiated = request, plan, ""
        self.configuration = configuration_of(request, plan)
        with self._with_log():
            self.negotiated = self._switcher.switch(request, plan, token=token)

    def restart(self, side: Side, *, token: CancelToken) -> None:
        """End the VPN on one host and start it again, while that of the other host keeps running.

        When frames cross again is not awaited.

        Args:
            side: The host.

        Raises:
            InvalidPlan: It cannot be restarted on one host alone; nothing was touched.
            TunnelDown, CommandFailed, DiskFull: It did not work; `context["log"]` holds the daemons' logs. The tunnel
                is down then, and can be brought up by `restart_both`.
            ConnectionLost, DeadlineExceeded, Cancelled: As for any command.
        """
        if self.plan.why_not_restart:
            raise InvalidPlan(self.plan.why_not_restart)
        self._raise_if_lost()
        with self._with_log():
            restart_one(self._switcher, self._request, self.plan, side, token=token)

    def restart_both(self, *, token: CancelToken) -> None:
        """End the VPN on both hosts, start it again, and verify the tunnel like a new one.

        Raises:
            TunnelDown, CommandFailed, DiskFull: It did not work; `context["log"]` holds the daemons' logs.
            ConnectionLost, DeadlineExceeded, Cancelled: As for any command.
        """
        self._raise_if_lost()
        self.negotiated = ""
        with self._with_log():
            self.negotiated = restart_both(self._switcher, self._request, self.plan, token=token)

    def _raise_if_lost(self) -> None:
        if self._lost():
            raise TunnelDown(sentences(self._lost().values()))

    @contextmanager
    def _with_log(self) -> Iterator[None]:
        try:
            yield
        except TunnelmarkError as error:
            add_log(error, self._hosts, self.plan)
            raise


def add_log(error: TunnelmarkError, hosts: Mapping[Side, RemoteHost], plan: TunnelPlan) -> None:
    """Put the daemons' logs into an error's context, as far as the hosts can be asked."""
    try:
        with deadline_token(LOG_S) as token:
            log = collect_logs(hosts, plan, token=token)
    except (EnvironmentFault, Cancelled):
        return
    if log:
        error.context["log"] = log


def collect_logs(hosts: Mapping[Side, RemoteHost], plan: TunnelPlan, *, token: CancelToken) -> str:
    """Read the end of the daemons' logs on both hosts; see `ActiveTunnel.collect_logs`."""

    def read(side: Side, child: CancelToken) -> str:
        paths = plan.on(side).log_paths
        if not paths:
            return ""
        command = Command(shell_step_argv(_TAIL_SCRIPT, *paths), timeout_s=5.0, is_root=True)
        return printable(hosts[side].session.run(command, token=child).stdout)

    texts, _ = on_both_to_the_end(read, token=token)
    return "\n".join(f"{hosts[side].label}:\n{text}" for side, text in sorted(texts.items()) if text)
