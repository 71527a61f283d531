"""Comparisons whose practice lab has ended: measured again in a new lab, never resumed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from window_driver import Driver

from app.domain.errors import PairLocked
from app.domain.results import CampaignStatus
from app.measurement.wizard import Step
from app.storage.messages import HOST_IN_USE


@pytest.fixture
def gone(driver: Driver) -> Driver:
    """A window whose only comparison was interrupted, in a lab that has ended."""
    driver.compare()
    driver.idle()
    services = driver.services
    whole = services.records[1]
    services.records[1] = replace(whole, status=CampaignStatus.INTERRUPTED, attempts=whole.attempts[:2], ended_at=None)
    services.interrupted = 1
    services.labs_gone = {1}
    services.calls.clear()
    return driver


def test_interrupted_comparison_is_measured_again_in_a_new_lab(gone: Driver) -> None:
    window = gone.window
    window.show_area("history")
    gone.idle()
    window.show_past(1)
    gone.idle()
    assert not window.past.resume.isVisible()
    assert "has ended, so it cannot be resumed" in window.past.notice.text
    gone.click(window.past.notice.action("Measure again in a new lab"))
    gone.until(lambda: "start_lab_like" in gone.services.calls)
    gone.idle()
    assert window.wizard.current is Step.PLAN
    assert window.wizard.state.pair is not None
    assert window.wizard.state.pair.a.port == 2222
    assert "start_lab" not in gone.services.calls


def test_finished_comparison_is_measured_again_in_a_new_lab(gone: Driver) -> None:
    window = gone.window
    gone.services.records[1] = replace(gone.services.records[1], status=CampaignStatus.COMPLETED)
    window.show_past(1)
    gone.idle()
    assert window.past.notice.text == ""
    assert "new practice lab" in window.past.again.toolTip()
    gone.click(window.past.again)
    gone.until(lambda: "start_lab_like" in gone.services.calls)
    gone.idle()
    assert window.wizard.state.pair is not None
    assert window.wizard.state.pair.a.port == 2222


def test_resuming_by_the_pair_says_the_same(gone: Driver) -> None:
    window = gone.window
    window.resume_pair("lab:practice")
    gone.idle()
    assert "has ended, so it cannot be resumed" in window.hosts.notice.text
    assert "discover" not in gone.services.calls
    gone.click(window.hosts.notice.action("Measure again in a new lab"))
    gone.until(lambda: "start_lab_like" in gone.services.calls)
    gone.idle()
    assert window.wizard.state.pair is not None


def test_first_page_offers_no_comparison_that_cannot_be_resumed(gone: Driver) -> None:
    gone.window.welcome.notice.clear()
    gone.window.starting._find_unfinished()
    gone.idle()
    assert gone.window.welcome.notice.text == ""
    gone.services.labs_gone = set()
    gone.window.starting._find_unfinished()
    gone.idle()
    assert not gone.window.welcome.notice.isHidden()


def test_comparison_is_not_resumed_while_other_work_uses_its_hosts(gone: Driver) -> None:
    services, window = gone.services, gone.window
    services.labs_gone = set()
    services.faults["refuse_if_in_use"] = in_use = PairLocked(HOST_IN_USE(hosts="gateway-a", owner="comparison 3"))
    window.resume_pair("lab:practice")
    gone.idle()
    assert in_use.message in window.hosts.notice.text
    assert not {"discover", "recover"} & set(services.calls)
