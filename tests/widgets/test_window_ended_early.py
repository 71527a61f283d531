"""Candidates that the user skipped in a later stage: figures without a rank."""

from __future__ import annotations

from dataclasses import replace

from sample_records import WIREGUARD
from window_driver import Driver

from app.domain.results import AttemptStatus

_RANK, _NAME, _LATENCY, _STATE = 0, 1, 3, 9


def test_what_was_measured_before_a_skip_is_shown_without_a_rank(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    services, window = driver.services, driver.window
    whole = services.records[1]
    attempts = tuple(
        replace(one, status=AttemptStatus.SKIPPED, reason="skipped", stage="wire")
        if one.key.solution == "wireguard"
        else one
        for one in whole.attempts
    )
    services.records[2] = replace(whole, campaign_id=2, attempts=attempts)
    window.show_past(2)
    driver.idle()
    table = window.past.table
    row = next(n for n in range(table.rowCount()) if table.item(n, _NAME).text() == WIREGUARD.title)
    assert table.item(row, _RANK).text() == "–"
    assert table.item(row, _LATENCY).text().endswith(" ms")
    assert table.item(row, _STATE).text() == "skipped in stage: packet tests"
    data = window.past.data
    assert data is not None
    assert ("wireguard", WIREGUARD.suite) in {curve.key for curve in data.curves}
    assert ("wireguard", WIREGUARD.suite) in {bar.key for bar in data.cpu}
    table.selectRow(row)
    assert not window.past.deploy.isEnabled()
