"""History and results: the condition of the link that comparisons were made under."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from history_driver import fill_history
from window_driver import Driver

from app.domain.condition_files import presets
from app.domain.conditions import ConditionCheck, MeasuredCondition, Quantity
from app.domain.results import CampaignRecord
from app.ranking import rank
from support.sample_records import sample_record
from ui.plots.result_data import prepare
from ui.results.history_page import HistoryPage
from ui.results.result_state import condition_tip, subtitle

GEO = presets()["geo"]


def under(record: CampaignRecord, name: str) -> CampaignRecord:
    return replace(record, plan=replace(record.plan, condition=presets()[name]))


def history(driver: Driver) -> HistoryPage:
    """The page, with comparison 2 under geo and 3 under lte."""
    fill_history(driver)
    records = driver.services.records
    records[2], records[3] = under(records[2], "geo"), under(records[3], "lte")
    driver.window.show_area("history")
    return driver.page(HistoryPage)


def keys(page: HistoryPage) -> list[str]:
    return sorted(one.key for one in page.table.shown)


def choices(page: HistoryPage) -> list[str]:
    return [page.condition.itemText(nth) for nth in range(page.condition.count())]


def test_the_filter_lists_the_conditions_that_occur(driver: Driver) -> None:
    page = history(driver)
    assert page.condition.isVisible()
    assert choices(page) == ["Any condition", "As found", "geo", "lte"]
    assert len(keys(page)) == 5
    for choice, wanted in (("geo", ["2"]), ("lte", ["3"]), ("As found", ["1"])):
        page.condition.setCurrentText(choice)
        assert keys(page) == wanted
        assert page.number.text() == "1 of 5 entries"
    page.condition.setCurrentText("Any condition")
    assert len(keys(page)) == 5


def test_condition_and_words_filter_together_and_are_cleared_together(driver: Driver) -> None:
    page = history(driver)
    page.condition.setCurrentText("geo")
    page.search.setText("firmware")
    assert keys(page) == ["2"]
    page.search.setText("interrupted")
    assert keys(page) == []
    assert page.nothing.isVisible()
    driver.click(page.every)
    assert (page.condition.name(), page.search.text(), len(keys(page))) == ("", "", 5)


def test_the_choice_is_kept_as_long_as_its_condition_occurs(driver: Driver) -> None:
    page = history(driver)
    page.condition.setCurrentText("geo")
    page.enter()
    driver.idle()
    assert keys(page) == ["2"]
    del driver.services.records[2]
    page.enter()
    driver.idle()
    assert choices(page) == ["Any condition", "As found", "lte"]
    assert len(keys(page)) == 4


def test_no_filter_remains_that_cannot_be_seen(driver: Driver) -> None:
    page = history(driver)
    page.condition.setCurrentText("geo")
    del driver.services.records[1], driver.services.records[3]
    page.enter()
    driver.idle()
    assert not page.condition.isVisible()
    assert len(keys(page)) == 3


def test_without_another_condition_there_is_nothing_to_choose(driver: Driver) -> None:
    fill_history(driver)
    driver.window.show_area("history")
    page = driver.page(HistoryPage)
    assert not page.condition.isVisible()
    assert len(keys(page)) == 5


# --- results ----------------------------------------------------------------------------------------------------------


def measured(*, is_met: bool) -> MeasuredCondition:
    check = ConditionCheck(Quantity.RTT, "", 500.0, 501.5, 490.0, 510.0, is_met)
    return MeasuredCondition("geo", datetime(2026, 3, 4, tzinfo=UTC), (check,))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((), "link like geo, not measured yet"),
        ((measured(is_met=True),), "link like geo, measured as asked for"),
        ((measured(is_met=True), measured(is_met=False)), "link like geo, measured differently"),
    ],
)
def test_the_results_name_the_condition_asked_for_and_measured(
    driver: Driver, found: tuple[MeasuredCondition, ...], words: str
) -> None:
    record = replace(under(sample_record(rounds=1, pings=10), "geo"), measured_conditions=found, campaign_id=1)
    assert words in subtitle(prepare(record, rank(record)))
    driver.services.records[1] = record
    driver.window.show_past(1)
    driver.until(lambda: driver.window.past.data is not None)
    driver.idle()
    assert words in driver.window.past.what.text()
    tip = driver.window.past.what.toolTip()
    assert "Asked for: round trip 500 ms" in tip
    assert ("501" in tip) is bool(found)


def test_without_a_condition_the_results_name_none(driver: Driver) -> None:
    record = sample_record(rounds=1, pings=10)
    assert "link like" not in subtitle(prepare(record, rank(record)))
    assert condition_tip(record) == ""
