"""`tunnelmark deploy`, `confirm`, `status`, `undeploy`, `rotate-keys`, `deployments` and `audit`."""

from __future__ import annotations

import argparse
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from rich.console import Console

from app.cli.context import CommandContext
from app.cli.deployments_text import applied_words, print_deployment, print_dry_run, print_status
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, write_json
from app.cli.messages import (
    AGAIN_IS_UNCHANGED,
    DEPLOY_WITHOUT_PAIR,
    SOLUTION_AND_AGAIN,
    WATCH_OPTIONS,
)
from app.cli.names import check_solutions, no_solution_named
from app.cli.pair_option import find_pair
from app.cli.sides import deployment_options
from app.cli.terminal import run_cancellable
from app.cli.words import deployment_stage_word
from app.deployment.again import OptionChanges, chosen_again
from app.deployment.choice import check_options
from app.deployment.contact import RepairAttempts
from app.deployment.events import (
    Decision,
    DeploymentApplied,
    DeploymentCountdown,
    DeploymentEvent,
    DeploymentNote,
    DeploymentSink,
    DeploymentStageStarted,
)
from app.deployment.slots import replaced_by_next
from app.discovery.pair_discovery import Discovery
from app.domain.cancel import CancelToken
from app.domain.deployment import Deployment, DeploymentOptions, DeploymentState
from app.domain.deployment_status import PairStatus
from app.domain.errors import Cancelled, InvalidOption, TunnelmarkError
from app.domain.hosts import PairSpec, Side
from app.domain.keepalive import Keepalive
from app.services.wiring import Services
from app.storage.codec import to_data
from app.wording.deployment_sentences import replaced_sentence
from app.wording.language import mark, tr
from app.wording.messages import local_sentence, local_text

T = TypeVar("T")

_COUNTDOWN_LINE_S = 10.0
TOO_LATE = mark("It was too late to cancel: the job had finished. Its result:")
"""Printed where a signal came after the last point at which the job could be stopped."""


class TerminalConfirmation:
    """Implements `Confirmation`: a line at the terminal.

    Args:
        console: Where it is asked (stderr).
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lines: queue.Queue[str] = queue.Queue()
        self._thread: threading.Thread | None = None

    def wait(self, timeout_s: float, *, token: CancelToken) -> Decision | None:
        """Wait for `keep` or `undo`."""
        if self._thread is None:
            self._console.print(tr("Is everything working? Type confirm or rollback, and Enter:"))
            # Reading cannot be interrupted; the thread goes with the program.
            self._thread = threading.Thread(target=self._read, name="confirmation", daemon=True)
            self._thread.start()
        until = time.monotonic() + timeout_s
        while (left_s := until - time.monotonic()) > 0:
            token.raise_if_cancelled()
            try:
                word = self._lines.get(timeout=min(0.2, left_s)).strip().lower()
            except queue.Empty:
                continue
            if word in ("confirm", "c", "keep", "k", "yes", "y"):
                return Decision.CONFIRM
            if word in ("rollback", "r", "undo", "u", "no", "n"):
                return Decision.ROLLBACK
            self._console.print(tr("Type confirm or rollback."))
        return None

    def _read(self) -> None:
        for line in sys.stdin:
            self._lines.put(line)


class DeploymentDisplay:
    """Shows what happens as lines on stderr. Called in any thread.

    Args:
        console: On stderr.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started_s = time.monotonic()
        self._last_left_s: float | None = None
        self._last_stage = ""

    def handle(self, event: DeploymentEvent) -> None:
        """Show one event."""
        match event:
            case DeploymentStageStarted():
                word = deployment_stage_word(event.stage)
                text = f"{word}: {local_text(event.detail)}" if event.detail else word
                if text != self._last_stage:  # several steps have one stage
                    self._line(text)
                self._last_stage = text
            case DeploymentApplied():
                self._line(applied_words(event))
            case DeploymentCountdown():
                last = self._last_left_s
                if last is None or last - event.left_s >= _COUNTDOWN_LINE_S or event.left_s <= 5:
                    self._last_left_s = event.left_s
                    text = tr("Both hosts roll back in {number} s unless you confirm.")
                    self._line(text.format(number=f"{event.left_s:.0f}"))
            case DeploymentNote():
                text = local_text(event.text)
                self._line(tr("Warning: {text}").format(text=text) if event.is_warning else text)
            case _:
                pass

    def _line(self, text: str) -> None:
        seconds = time.monotonic() - self._started_s
        self._console.print(f"{seconds:6.1f} s  {text}", soft_wrap=True)


def deploy(context: CommandContext) -> int:
    """Deploy a VPN."""
    options = context.options
    if options.all:
        from app.cli.fleet import deploy_all

        return deploy_all(context)
    _check_deploy(options)
    with context.services() as services:
        pair = find_pair(context, services)
        key, chosen = _wanted(context, services, pair)
        if not options.dry_run:
            services.refuse_if_in_use(pair)
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        if options.dry_run:
            return _dry_run(context, services, found, key, chosen)
        confirmation = TerminalConfirmation(context.err) if sys.stdin.isatty() else None
        if (replaced := replaced_by_next(pair, services.store.list_deployments(pair.name))) is not None:
            context.err.print(local_text(replaced_sentence(replaced)))
        deployment = _run(
            context,
            lambda token, emit: services.deploy(found, key, chosen, token=token, emit=emit, confirmation=confirmation),
        )
        return _print_outcome(context, deployment)


def _check_deploy(options: argparse.Namespace) -> None:
    """Refuse, before logging in, options that do not go together."""
    if not options.pair or options.file or options.parallel or options.stop_after:
        raise InvalidOption(DEPLOY_WITHOUT_PAIR())
    if options.solution and options.again:
        raise InvalidOption(SOLUTION_AND_AGAIN())
    if not options.solution and not options.again:
        raise no_solution_named()
    if not options.again:
        check_solutions([options.solution])
        check_options(deployment_options(options))
        return
    of_lans = (options.broadcast_limit is not None, options.block_dhcp, options.block_router_advertisements)
    if options.suite or options.bridge or options.inner or options.reason or any(of_lans):
        raise InvalidOption(AGAIN_IS_UNCHANGED(pair=options.pair))
    check_options(DeploymentOptions(confirm_within_s=options.confirm_within))


def _wanted(context: CommandContext, services: Services, pair: PairSpec) -> tuple[tuple[str, str], DeploymentOptions]:
    options = context.options
    if options.again:
        changes = OptionChanges(
            moves_lan_rules=options.move_lan_rules,
            fits_path_mtu=None if options.mtu is None else options.mtu == "fit",
            keepalive=None if options.keepalive is None else Keepalive(options.keepalive),
        )
        earlier = services.store.get_deployment(options.again)
        return chosen_again(earlier, pair, changes, confirm_within_s=options.confirm_within)
    return (options.solution, options.suite or ""), deployment_options(options)


def _dry_run(
    context: CommandContext, services: Services, found: Discovery, key: tuple[str, str], chosen: DeploymentOptions
) -> int:
    run = context.job(lambda token, report: services.dry_run(found, key, chosen, token=token, on_progress=report))
    if context.options.json:
        write_json(STDOUT, to_data(run))
    else:
        print_dry_run(context.out, run)
    return ExitCode.OK if run.is_possible else ExitCode.FAILED


def confirm(context: CommandContext) -> int:
    """Confirm what deploy has left to the hosts' rollback timers."""
    with context.services() as services:
        pair = find_pair(context, services, is_lab_started=False)
        deployment = _run(context, lambda token, emit: services.confirm(pair, token=token, emit=emit))
        return _print_outcome(context, deployment)


def undeploy(context: CommandContext) -> int:
    """Remove a deployment, from both hosts or from the only reachable one."""
    only = context.options.only
    with context.services() as services:
        pair = find_pair(context, services, is_lab_started=False)
        if only:
            side = Side(only.lower())
            half = _run(context, lambda token, emit: services.undeploy_one(pair, side, token=token, emit=emit))
            is_rolled_back = half.state is DeploymentState.REMOVED  # it still waited for its confirmation
            return _print_outcome(
                context, half, wanted=half.state if is_rolled_back else DeploymentState.HALF_CONFIRMED
            )
        deployment = _run(context, lambda token, emit: services.undeploy(pair, token=token, emit=emit))
        return _print_outcome(context, deployment, wanted=DeploymentState.REMOVED)


def rotate_keys(context: CommandContext) -> int:
    """Deploy the same tunnel again with new keys."""
    with context.services() as services:
        pair = find_pair(context, services, is_lab_started=False)
        confirmation = TerminalConfirmation(context.err) if sys.stdin.isatty() else None
        deployment = _run(
            context,
            lambda token, emit: services.rotate_keys(pair, token=token, emit=emit, confirmation=confirmation),
        )
        return _print_outcome(context, deployment)


def status(context: CommandContext) -> int:
    """Show the status of deployments; with `--repair`, complete what only one host has."""
    options = context.options
    of_watching = (options.every, options.for_s, options.max_rtt_ms, options.max_loss_pct)
    if not options.watch and any(one is not None for one in of_watching):
        raise InvalidOption(WATCH_OPTIONS())
    with context.services() as services:
        pair = find_pair(context, services, is_lab_started=False)
        contact = Contact(context, services, pair)
        if options.watch:
            from app.cli.deployments_monitor import Watch

            return Watch(context, pair.name, contact.read_status).run()
        now = context.job(lambda token, _print_outcome: services.status(pair, token=token))
        if contact.is_to_repair(now):
            now = run_cancellable(lambda token: contact.repair(now, token), context.prompts, on_late=tr(TOO_LATE))
        else:
            contact.advise(now)
    if options.json:
        write_json(STDOUT, to_data(now))
    else:
        print_status(context.out, now)
    return status_code(now)


class Contact:
    """Status of a pair, and repair of a deployment that only one host has.

    Repairs, or names the command that repairs, once for each deployment.

    Args:
        context: Terminal output; the option `repair`.
        services: Deployment services.
    """

    def __init__(self, context: CommandContext, services: Services, pair: PairSpec) -> None:
        self._context = context
        self._services = services
        self._pair = pair
        self._attempts = RepairAttempts()

    def is_to_repair(self, now: PairStatus) -> bool:
        """Whether what was seen is put right now."""
        return self._attempts.is_due(now) and self._context.options.repair

    def read_status(self, token: CancelToken) -> PairStatus:
        """Read the pair's status, and repair it where that is due."""
        now = self._services.status(self._pair, token=token)
        if self.is_to_repair(now):
            return self.repair(now, token)
        self.advise(now)
        return now

    def advise(self, now: PairStatus) -> None:
        """Print what a repair would do, where there is something to repair."""
        if self._attempts.is_due(now):
            self._attempts.note(now.pair, now.deployment)
            command = f"tunnelmark status {self._pair.name} --repair"
            text = tr("{what} Repair it with: {command}").format(what=local_text(now.repair_text), command=command)
            self._context.err.print(text, soft_wrap=True)

    def repair(self, now: PairStatus, token: CancelToken) -> PairStatus:
        """Repair, and inspect again; where the repair fails, report it and keep the former status."""
        self._attempts.note(now.pair, now.deployment)
        self._context.err.print(local_text(now.repair_text), soft_wrap=True)
        emit = DeploymentDisplay(self._context.err).handle
        try:
            self._services.repair(self._pair, token=token, emit=emit)
        except Cancelled:
            raise
        except TunnelmarkError as error:
            text = tr("It could not be repaired: {why}").format(why=local_sentence(error))
            self._context.err.print(text, soft_wrap=True)
        return self._services.status(self._pair, token=token)


def status_code(now: PairStatus) -> ExitCode:
    """Return 0 where a confirmed tunnel is healthy, or where both hosts say that nothing of any deployment is there."""
    if now.state is None and all(end.is_reachable for end in (now.a, now.b)):
        return ExitCode.FAILED if now.unfinished or now.damaged else ExitCode.OK
    return ExitCode.OK if now.is_healthy else ExitCode.FAILED


def _run(context: CommandContext, work: Callable[[CancelToken, DeploymentSink], T]) -> T:
    display = DeploymentDisplay(context.err)
    return run_cancellable(lambda token: work(token, display.handle), context.prompts, on_late=tr(TOO_LATE))


def _print_outcome(
    context: CommandContext, deployment: Deployment, *, wanted: DeploymentState = DeploymentState.CONFIRMED
) -> int:
    if context.options.json:
        write_json(STDOUT, to_data(deployment))
    else:
        print_deployment(context.out, deployment)
    if deployment.state is DeploymentState.APPLIED:
        text = tr("Confirm it with: tunnelmark confirm {pair}").format(pair=deployment.pair.name)
        context.err.print(text, soft_wrap=True)
        # Who did not ask for a confirmation did not get what was asked for.
        return ExitCode.OK if deployment.options.confirm_within_s is not None else ExitCode.FAILED
    return ExitCode.OK if deployment.state is wanted else ExitCode.FAILED
