"""`tunnelmark status PAIR --watch`: repeated status checks with a log of losses."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime

from rich.status import Status

from app.cli.context import CommandContext
from app.cli.deployments_text import lost_text
from app.cli.desktop_notification import notify_desktop
from app.cli.exit_codes import ExitCode
from app.cli.tables import Column, Kind, Table
from app.cli.terminal import run_cancellable, verbatim
from app.deployment.monitor_log import Health, Loss, MonitorLimits, MonitorLine, MonitorLog
from app.domain.cancel import CancelToken
from app.domain.deployment_status import EndpointStatus, PairStatus
from app.domain.errors import Cancelled, TunnelmarkError
from app.storage.codec import to_data
from app.wording.durations import duration_text
from app.wording.language import tr, trn
from app.wording.local_forms import decimal, second_text
from app.wording.messages import local_sentence, local_text

_EVERY_S = 5.0
ReadStatus = Callable[[CancelToken], PairStatus]


@dataclass
class Watch:
    """Monitor of one pair, until it is interrupted.

    Args:
        context: Options `every`, `for_s`, `max_rtt_ms`, `max_loss_pct`, `json`; output.
        read_status: Checks the status once, and repairs where that is wanted.
        notify: Notifies the user on the desktop: title and text.
    """

    context: CommandContext
    name: str
    read_status: ReadStatus
    notify: Callable[[str, str], object] = notify_desktop
    log: MonitorLog = field(default_factory=MonitorLog)
    checks: int = 0
    was_bad: bool = False

    def run(self) -> ExitCode:
        """Check until Ctrl-C, or for the given time; then sum up the losses.

        Returns:
            0 if nothing was lost and no limit was passed.
        """
        out, options = self.context.out, self.context.options
        started_s = time.monotonic()
        is_live = out.is_terminal and not options.json
        with out.status(tr("Checking …"), spinner="line") if is_live else nullcontext() as shown:
            try:
                run_cancellable(
                    lambda token: self._go_on(token, shown), self.context.prompts, on_stop=tr("Monitoring ended.")
                )
            except Cancelled:
                pass
        self._sum_up(time.monotonic() - started_s)
        return ExitCode.FAILED if self.was_bad or self.log.health is not Health.UP else ExitCode.OK

    def _go_on(self, token: CancelToken, shown: Status | None) -> None:
        options = self.context.options
        every_s = options.every or _EVERY_S
        until_s = time.monotonic() + options.for_s if options.for_s is not None else None
        while True:
            self._check_once(token, shown)
            left_s = every_s if until_s is None else min(every_s, until_s - time.monotonic())
            if left_s <= 0:
                return
            token.sleep(left_s)

    def _check_once(self, token: CancelToken, shown: Status | None) -> None:
        options = self.context.options
        limits = MonitorLimits(options.max_rtt_ms, options.max_loss_pct)
        status: PairStatus | None = None
        try:
            status = self.read_status(token)
            text = " | ".join(_short(end) for end in (status.a, status.b))
            news = self.log.take(status, limits)
        except Cancelled:
            raise
        except TunnelmarkError as error:
            text = local_sentence(error)
            news = self.log.fail(datetime.now(UTC), error.message)
        self.checks += 1
        if options.json:
            self._print_json(status, news)
        elif shown is not None:
            shown.update(verbatim(f"{self.log.samples[-1].at.astimezone():%H:%M:%S} {self.name}: {text}"))
        elif self.checks == 1:
            self._line(self.log.samples[-1].at, text)
        self._print_news(news)

    def _print_news(self, news: tuple[MonitorLine, ...]) -> None:
        out, err = self.context.out, self.context.err
        for line in news:
            if not self.context.options.json:
                self._line(line.at, local_text(line.text))
            if not line.is_bad:
                continue
            self.was_bad = True
            if err.is_terminal:
                err.bell()
            if not (out.is_terminal and err.is_terminal) or self.context.options.json:
                err.print(f"{self.name}: {local_text(line.text)}", soft_wrap=True)
            self.notify(f"Tunnelmark: {self.name}", local_text(line.text))

    def _line(self, at: datetime, text: str) -> None:
        self.context.out.print(f"{second_text(at.astimezone())} {text}", soft_wrap=True)

    def _print_json(self, status: PairStatus | None, news: tuple[MonitorLine, ...]) -> None:
        sample = self.log.samples[-1]
        data = {
            "at": sample.at.isoformat(),
            "pair": self.name,
            "state": status.state if status is not None else None,
            "health": self.log.health,
            "rtt_ms": {"a": sample.rtt_ms[0], "b": sample.rtt_ms[1]},
            "loss_pct": sample.loss_pct,
            "news": to_data(news),
        }
        print(json.dumps(data), flush=True)  # noqa: T201 - the result of the command

    def _sum_up(self, watched_s: float) -> None:
        losses = self.log.losses
        lost_s = sum(_lasted_s(one, self.log.samples[-1].at) for one in losses)
        if self.context.options.json:
            data = {"watched_s": round(watched_s, 1), "looks": self.checks, "losses": to_data(tuple(losses))}
            print(json.dumps(data), flush=True)  # noqa: T201 - the result of the command
            return
        out = self.context.out
        seen = tr("nothing was lost")
        if losses:
            form = trn("{number} loss, {time} together", "{number} losses, {time} together", len(losses))
            seen = form.format(number=len(losses), time=duration_text(lost_s))
        form = trn(
            "Monitored for {time}, {number} check: {seen}.",
            "Monitored for {time}, {number} checks: {seen}.",
            self.checks,
        )
        out.print(form.format(time=duration_text(watched_s), number=self.checks, seen=seen), soft_wrap=True)
        if losses:
            loss_table(losses, self.log.samples[-1].at).print(out)


def loss_table(losses: Sequence[Loss], now: datetime) -> Table:
    """Return a row for each loss."""
    columns = [Column(tr("lost")), Column(tr("back"), rank=1), Column(tr("for")), Column(tr("why"), Kind.PROSE)]
    table = Table(columns, more="--json")
    for one in losses:
        back = second_text(one.ended_at.astimezone()) if one.ended_at is not None else tr("not yet")
        lasted = duration_text(_lasted_s(one, now))
        table.add_row(second_text(one.began_at.astimezone()), back, lasted, local_text(one.why))
    return table


def _lasted_s(loss: Loss, now: datetime) -> float:
    """Return how long it lasted, or has lasted so far."""
    return loss.lasted_s if loss.lasted_s is not None else (now - loss.began_at).total_seconds()


def _short(end: EndpointStatus) -> str:
    if not end.is_reachable:
        return f"{end.label}: {tr('unreachable')}"
    if end.is_waiting:
        return f"{end.label}: {tr('awaiting confirmation')}"
    if not end.is_up:
        return f"{end.label}: {tr('down')}"
    rtt = f"{decimal(end.rtt_ms, 1)} ms" if end.rtt_ms is not None else tr("no answer")
    loss = f", {lost_text(end.loss_pct)}" if end.loss_pct else ""
    return f"{end.label}: {tr('up')}, {rtt}{loss}"
