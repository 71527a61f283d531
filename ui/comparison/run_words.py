"""Sentences of the run page: what is being measured now, and what stopping means."""

from __future__ import annotations

from collections.abc import Sequence

from app.wording.messages import local_text
from ui.common.candidate_rows import Row
from ui.common.sample_model import LiveModel
from ui.common.stage_texts import joined, stage_text
from ui.common.texts import count, tr


def running_text(live: LiveModel, rows: Sequence[Row]) -> str:
    """Return what is being measured now."""
    status = live.status()
    if status.is_paused:
        return tr("Paused; both hosts are restored")
    if status.is_link_down:
        return tr("Waiting for the link between the hosts")
    text = local_text(status.progress.text) if status.progress is not None else ""
    running = next((row for row in rows if row.key == status.running), None)
    if running is None or running.is_open_ended:  # all candidates are up: the progress says which one, and the round
        return text[:1].upper() + text[1:] if text else tr("Preparing")
    figures = live.figures()
    text = f"{running.title}: {joined(stage_text(running.stage), running.detail)}"
    if running.stage is not None and running.stage.value == "latency" and figures.count:
        text += f", {count(figures.count)} {tr('of')} {count(figures.expected)}"
    return text


def measuring_text(title: str, *, is_adaptive: bool) -> str:
    """Return what the status line says when an attempt begins; those of an adaptive comparison begin together."""
    return tr("Measuring all candidates in turn") if is_adaptive else tr("Measuring %1", title)


def pause_text(*, is_adaptive: bool) -> str:
    """Return what the status line says when a pause was asked for."""
    if is_adaptive:
        return tr("It will pause after the current round, with both hosts restored.")
    return tr("It will pause after the current candidate, with both hosts restored.")


def pausing_text(text: str, *, is_adaptive: bool) -> str:
    """Return what is being measured until the pause begins."""
    form = tr("Pausing after this round. %1") if is_adaptive else tr("Pausing after this candidate. %1")
    return form.replace("%1", text)


def skip_text(live: LiveModel) -> str:
    """Return what is skipped: in a round of all candidates it is the one that the round is at."""
    running = next((row for row in live.rows() if row.key == live.status().running), None)
    if running is None or running.is_open_ended:
        return tr("Skipping the current candidate…")
    return tr("Skipping %1…", running.title)


def stopping_words(*, is_paused: bool) -> tuple[str, str]:
    """Return what stopping the comparison means, and the word on the button that does not stop it."""
    what_happens = (
        tr("It is paused: no candidate is running and both hosts are restored.")
        if is_paused
        else tr("The current candidate is stopped within two seconds and both hosts are restored.")
    )
    text = tr("%1 Results so far are saved.", what_happens)
    return text, tr("Keep it paused") if is_paused else tr("Continue")
