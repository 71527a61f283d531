"""The page that rolls out: choice, dry run, stages, countdown, both answers and none, faults."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fake_rollout_values import CONF
from fake_services import FakeServices
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from sample_records import pair
from window_driver import Driver

from app.domain.errors import HostUnreachable
from app.domain.hosts import Side
from app.domain.rollout import DeploymentState
from app.domain.rollout_events import RolloutStage
from app.domain.verdicts import Verdict
from app.wizard import Prompts, Step
from ui.pages.deploy import DeployPage


def page_of(driver: Driver) -> DeployPage:
    driver.window.show_rollout()
    driver.until(lambda: isinstance(driver.window.current, DeployPage))
    driver.idle()
    page = driver.window.current
    assert isinstance(page, DeployPage)
    return page


def looked_at(driver: Driver) -> DeployPage:
    page = page_of(driver)
    driver.click(page.ask_hosts)
    driver.until(lambda: page.form.candidate is not None)
    driver.idle()
    return page


def previewed(driver: Driver) -> DeployPage:
    page = looked_at(driver)
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.idle()
    return page


def counting_down(driver: Driver, *, tick_s: float = 30.0) -> DeployPage:
    driver.services.tick_s = tick_s
    page = previewed(driver)
    driver.click(page.deploy)
    driver.until(lambda: page.live.countdown.is_open)
    return page


def choose_verdict(page: DeployPage, verdict: Verdict) -> None:
    discovery = page._discovery
    assert discovery is not None
    page.form.choose(next((one.solution, one.suite) for one in discovery.candidates if one.verdict is verdict))


def texts_of(page: DeployPage) -> str:
    return " ".join(found.text() for found in page.live.result.findChildren(QLabel))


def test_services_that_cannot_roll_out_show_no_way_to_it(open_window: Callable[..., Driver]) -> None:
    class Without:
        """Everything but `undeploy`."""

        def __init__(self, prompts: Prompts) -> None:
            self._all = FakeServices(prompts)

        def __getattr__(self, name: str) -> object:
            if name == "undeploy":
                raise AttributeError(name)
            return getattr(self._all, name)

    driver = open_window(factory=Without)
    assert not driver.window.top.rollout.isVisible()
    driver.go_to(Step.RESULTS)
    driver.idle()
    assert not driver.window.results.rollout.isVisible()


def test_the_top_bar_leads_there_and_the_hosts_are_looked_at_first(driver: Driver) -> None:
    assert driver.window.top.rollout.isVisible()
    driver.click(driver.window.top.rollout)
    driver.until(lambda: isinstance(driver.window.current, DeployPage))
    driver.idle()
    page = driver.window.deploy
    assert driver.window.top.rollout.isChecked()
    assert not page.preview.isEnabled()
    assert not page.deploy.isEnabled()
    assert "Look at both hosts" in page.hint.text()
    assert not page.form.lans[Side.A].port.isEnabled()
    driver.click(page.ask_hosts)
    driver.until(page.preview.isEnabled)
    driver.idle()
    assert not page.deploy.isEnabled(), "first the dry run"
    assert page.form.key == ("wireguard", "chacha20-poly1305")


def test_ports_that_would_cut_a_host_off_are_shown_but_cannot_be_chosen(driver: Driver) -> None:
    page = looked_at(driver)
    box = page.form.lans[Side.A].port
    model = box.model()
    texts = {box.itemData(nth): box.itemText(nth) for nth in range(box.count())}
    can_be_taken = {
        box.itemData(nth): bool(model.flags(model.index(nth, 0)) & Qt.ItemFlag.ItemIsEnabled)
        for nth in range(box.count())
    }
    assert can_be_taken == {"": True, "eth0": False, "eth1": False, "eth2": True}
    assert "SSH connection" in texts["eth0"]
    assert "underlay" in texts["eth1"]
    assert page.form.lans[Side.B].port.findData("br-plant") > 0


def test_a_dry_run_shows_diffs_commands_with_undo_and_what_to_know(driver: Driver) -> None:
    page = looked_at(driver)
    lan = page.form.lans[Side.A].port
    lan.setCurrentIndex(lan.findData("eth2"))
    page.form.lans[Side.B].address.setText("10.9.0.2/24")
    driver.click(page.preview)
    driver.until(page.view.isVisible)
    options = driver.services.asked_options
    assert options is not None
    assert (options.bridge_a, options.bridge_b, options.inner_b) == ("eth2", "", "10.9.0.2/24")
    assert options.confirm_within_s == 120.0
    known = " ".join(page.view.overview.sentences)
    assert "Nothing has been changed yet" in known
    assert "gateway-b: NetworkManager looks after eth2" in known
    table = page.view.overview.table
    assert table.text("Joined with") == ("eth2 in the bridge tmlbr0", "nothing: it has an address of its own")
    assert table.text("To be let in")[0] == "UDP 22820, L2TP"
    assert table.text("MTU")[0] == "1500 bytes"
    assert "1402" in table.text("Largest frame in one packet")[0]
    end = page.view.ends[Side.A]
    assert end.list.item(1).text() == "wg0.conf   +2 −2"
    text = end.text.view.toPlainText()
    assert "+ListenPort = 22820" in text
    assert "-ListenPort = 21820" in text
    assert "ip link set dev eth2 master tmlbr0\nundo: ip link set dev eth2 nomaster" in text
    assert "never shown" in text
    page.view.setCurrentIndex(1)
    end.list.setCurrentRow(1)
    assert CONF in end.text.view.textCursor().block().text()


def test_additions_and_deletions_have_colours_in_both_schemes(driver: Driver) -> None:
    page = previewed(driver)
    document = page.view.ends[Side.A].text.view.document()
    theme = driver.window.context.theme

    def colours() -> dict[str, str]:
        found = {}
        block = document.begin()
        while block.isValid():
            formats = block.layout().formats()
            if formats and block.text().startswith(("+Lis", "-Lis")):
                found[block.text()[0]] = formats[0].format.foreground().color().name()
            block = block.next()
        return found

    try:
        for scheme in (Qt.ColorScheme.Light, Qt.ColorScheme.Dark):
            theme.force(scheme)
            assert colours() == {"+": theme.colours.good, "-": theme.colours.bad}
    finally:
        theme.force(None)


def test_something_in_the_way_keeps_the_button_shut(driver: Driver) -> None:
    driver.services.obstacles_block = True
    page = looked_at(driver)
    driver.click(page.preview)
    driver.until(page.view.isVisible)
    assert not page.deploy.isEnabled()
    assert "gateway-a: Port udp/22820 is taken by dnsmasq. Stop dnsmasq." in page.view.overview.sentences
    driver.services.obstacles_block = False
    driver.idle()
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)


def test_another_choice_needs_another_dry_run_and_the_first_one_is_good_again_after_going_back(driver: Driver) -> None:
    page = previewed(driver)
    page.form.within.setValue(60)
    assert not page.deploy.isEnabled()
    assert not page.view.isVisible()
    assert "has changed" in page.empty.text()
    page.form.within.setValue(120)
    assert page.deploy.isEnabled()


def test_insecure_and_unprotected_ones_are_refused_with_the_reason(driver: Driver) -> None:
    page = looked_at(driver)
    choose_verdict(page, Verdict.INSECURE)
    assert not page.preview.isEnabled()
    assert not page.deploy.isEnabled()
    assert "never rolled out" in page.form.word.text()
    assert "CVE-2016-6329" in page.form.word.text()
    choose_verdict(page, Verdict.UNPROTECTED)
    assert not page.preview.isEnabled()
    assert page.form.solution.findData("baseline") < 0


def test_an_outdated_one_asks_why_and_hands_the_answer_on(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    import fake_services

    real = fake_services.discovery

    def outdated(*words: object) -> object:
        found = real(*words)  # type: ignore[arg-type]
        candidates = tuple(
            replace(one, verdict=Verdict.LEGACY) if one.solution == "wireguard" else one for one in found.candidates
        )
        return replace(found, candidates=candidates)

    monkeypatch.setattr(fake_services, "discovery", outdated)
    page = looked_at(driver)
    page.form.choose(("wireguard", "chacha20-poly1305"))
    assert page.form.reason.isVisible()
    assert not page.preview.isEnabled()
    assert "say why" in page.hint.text()
    page.form.reason.setText("The peer has nothing newer.")
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.click(page.deploy)
    driver.until(lambda: page.live.countdown.is_open)
    driver.click(page.live.countdown.keep)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].options.legacy_reason == "The peer has nothing newer."


def test_stages_are_shown_per_host_while_they_happen(driver: Driver) -> None:
    page = previewed(driver)
    driver.services.stage_gate.clear()
    driver.click(page.deploy)
    driver.until(lambda: page.live.stage is RolloutStage.PREPARE)
    assert page.live.stages.state_of(RolloutStage.APPLY) == "waiting"
    assert driver.window.is_rolling
    table = page.live.stages
    assert table.horizontalHeaderItem(2).text() == "B  gateway-b"
    table.enter(RolloutStage.APPLY, "gateway-b: Make the interface")
    assert [table.item(3, column).text() for column in (1, 2)] == ["working", "Make the interface"]
    driver.services.stage_gate.set()
    driver.until(lambda: page.live.countdown.is_open)
    assert page.live.stages.state_of(RolloutStage.VERIFY) == "done"
    assert page.live.stages.state_of(RolloutStage.CONFIRM) == "running"
    assert page.live.stages.state_of(RolloutStage.ENABLE) == "waiting"
    notes = [page.live.notes.item(nth).text() for nth in range(page.live.notes.count())]
    assert any("88 packets" in note for note in notes)
    driver.click(page.live.countdown.undo)
    driver.until(lambda: not page.is_running)


def test_kept_by_the_keyboard(driver: Driver) -> None:
    page = counting_down(driver)
    assert page.live.countdown.hasFocus(), "no button has it: a stray key decides nothing"
    driver.press(page.live.countdown, Qt.Key.Key_Return)
    driver.press(page.live.countdown, Qt.Key.Key_Space)
    assert page.live.countdown.is_open
    assert "go back by themselves to no tunnel" in page.live.countdown.text.text()
    driver.press(page.live.countdown, Qt.Key.Key_K, Qt.KeyboardModifier.AltModifier)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED
    assert "stays on lab:practice" in texts_of(page)
    assert page.live.stages.state_of(RolloutStage.ENABLE) == "done"


def test_undone_by_the_keyboard(driver: Driver) -> None:
    page = counting_down(driver)
    driver.press(page.live.countdown, Qt.Key.Key_U, Qt.KeyboardModifier.AltModifier)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].state is DeploymentState.UNDONE
    assert "as they were before" in texts_of(page)


def test_nobody_answers_and_both_hosts_go_back(driver: Driver) -> None:
    page = looked_at(driver)
    page.form.within.setValue(20)
    driver.services.tick_s = 0.01
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.click(page.deploy)
    driver.until(lambda: bool(driver.services.deployed))
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].state is DeploymentState.UNDONE
    assert "It was not confirmed within 20 s" in texts_of(page)
    assert not page.live.countdown.isVisible()


def test_confirmed_by_tunnelmark_without_a_question(driver: Driver) -> None:
    page = looked_at(driver)
    page.form.who.setCurrentIndex(1)
    assert not page.form.within.isEnabled()
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.click(page.deploy)
    assert page.live.stages.state_of(RolloutStage.CONFIRM) == "", "nobody is asked"
    driver.until(lambda: bool(driver.services.deployed))
    driver.until(lambda: not page.is_running)
    assert driver.services.deployed[0].options.confirm_within_s is None
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED


def test_the_countdown_comes_to_the_front_wherever_the_user_is(driver: Driver) -> None:
    page = previewed(driver)
    driver.services.tick_s = 30.0
    driver.services.stage_gate.clear()
    driver.click(page.deploy)
    driver.until(lambda: page.live.stage is RolloutStage.PREPARE)
    driver.window.show_history()
    driver.until(lambda: driver.window.current is not page)
    driver.services.stage_gate.set()
    driver.until(lambda: page.live.countdown.is_open)
    driver.until(lambda: driver.window.current is page)
    driver.click(page.live.countdown.keep)
    driver.until(lambda: not page.is_running)


def test_stopping_asks_and_then_both_hosts_go_back(driver: Driver) -> None:
    page = previewed(driver)
    driver.services.stage_gate.clear()
    driver.click(page.deploy)
    driver.until(lambda: page.live.stage is RolloutStage.PREPARE)
    driver.press(driver.window, Qt.Key.Key_Escape)
    question = driver.dialog()
    driver.click(question.no)
    assert page.is_running
    driver.until(lambda: not driver.window.findChildren(type(question)))
    driver.click(page.live.stop)
    driver.click(driver.dialog().yes)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].state is DeploymentState.UNDONE
    assert "stopped" in texts_of(page)
    driver.click(page.live.result.action("Back to the choice"))
    driver.idle()
    assert page.form.isVisible()
    assert page.form.key == ("wireguard", "chacha20-poly1305"), "nothing that was chosen is lost"


def test_a_host_that_gets_lost_is_said_with_what_to_do(driver: Driver) -> None:
    driver.services.rollout_fails_at = RolloutStage.APPLY
    page = previewed(driver)
    driver.click(page.deploy)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert "gateway-b does not answer any more. Look at its cable." in texts_of(page)
    assert page.live.stages.state_of(RolloutStage.APPLY) == "failed"
    assert page.live.stages.state_of(RolloutStage.UNDO) == "done"


def test_a_second_one_takes_the_place_of_the_first(driver: Driver) -> None:
    services = driver.services
    services.store(services.made(pair(), "openvpn-udp", "aes", "OpenVPN, AES-256-GCM"), DeploymentState.CONFIRMED)
    page = counting_down(driver)
    assert "back by themselves to OpenVPN, AES-256-GCM" in page.live.countdown.text.text()
    driver.click(page.live.countdown.keep)
    driver.until(lambda: not page.is_running)
    assert [one.state for one in services.deployed] == [DeploymentState.CONFIRMED, DeploymentState.REPLACED]


def test_hosts_that_cannot_be_reached_are_said_and_nothing_typed_is_lost(driver: Driver) -> None:
    page = page_of(driver)
    page.form.lans[Side.A].address.setText("10.9.0.1/24")
    driver.services.faults["lan_ports"] = HostUnreachable("gateway-b does not answer.", hint="Look at its cable.")
    driver.click(page.ask_hosts)
    driver.until(lambda: "does not answer" in page.notice.text)
    driver.window.show_welcome()
    page = page_of(driver)
    assert page.form.lans[Side.A].address.text() == "10.9.0.1/24"
    driver.click(page.ask_hosts)
    driver.until(page.preview.isEnabled)
    assert page.form.lans[Side.A].address.text() == "10.9.0.1/24"


def test_another_pair_has_to_be_looked_at_too(driver: Driver) -> None:
    page = previewed(driver)
    page.form.pairs.setCurrentIndex(1)
    assert not page.deploy.isEnabled()
    assert not page.preview.isEnabled()
    assert "Look at both hosts" in page.hint.text()


def test_one_click_from_the_results_fills_everything_in(driver: Driver) -> None:
    driver.go_to(Step.RESULTS)
    driver.idle()
    results = driver.window.results
    keys = [(place.solution, place.suite) for place in results.data.ranking.ranking]  # type: ignore[union-attr]
    results.table.selectRow(keys.index(("openvpn-udp", "aes-256-gcm")))
    driver.click(results.rollout)
    driver.until(lambda: isinstance(driver.window.current, DeployPage))
    page = driver.window.deploy
    driver.until(page.preview.isEnabled)
    driver.idle()
    assert page.form.key == ("openvpn-udp", "aes-256-gcm")
    assert page.form.pair is not None
    assert page.form.pair.name == results.data.record.plan.pair.name  # type: ignore[union-attr]
    driver.click(driver.window.footer.back)
    assert driver.window.current is results


def test_what_protects_nothing_cannot_be_rolled_out_from_the_results(driver: Driver) -> None:
    driver.go_to(Step.RESULTS)
    driver.idle()
    results = driver.window.results
    keys = [(place.solution, place.suite) for place in results.data.ranking.ranking]  # type: ignore[union-attr]
    results.table.selectRow(next(nth for nth, key in enumerate(keys) if key[0] == "baseline"))
    assert not results.rollout.isEnabled()


def test_closing_in_the_countdown_says_what_the_hosts_do_and_means_no(driver: Driver) -> None:
    page = counting_down(driver)
    driver.window.close()
    question = driver.dialog()
    words = " ".join(found.text() for found in question.findChildren(QLabel))
    assert "Nobody has said yet" in words
    assert "switched off" in words
    driver.click(question.no)
    assert page.live.countdown.is_open
    driver.until(lambda: not driver.window.findChildren(type(question)))
    driver.window.close()
    driver.click(driver.dialog().yes)
    driver.until(lambda: driver.services.is_closed)
    assert driver.services.deployed[0].state is DeploymentState.UNDONE


def test_closing_while_it_is_built_stops_it_and_waits_for_the_hosts(driver: Driver) -> None:
    page = previewed(driver)
    driver.services.stage_gate.clear()
    driver.services.undo_gate.clear()
    driver.click(page.deploy)
    driver.until(lambda: page.live.stage is RolloutStage.PREPARE)
    driver.window.close()
    driver.click(driver.dialog().yes)
    driver.until(lambda: page.live.stage is RolloutStage.UNDO)
    assert driver.window.isVisible(), "it waits until both hosts are as they were"
    driver.services.undo_gate.set()
    driver.until(lambda: driver.services.is_closed)
    assert driver.services.deployed[0].state is DeploymentState.UNDONE


def test_closing_when_the_hosts_have_been_told_to_keep_it_lets_that_end(driver: Driver) -> None:
    page = counting_down(driver)
    driver.services.stage_gate.clear()
    driver.click(page.live.countdown.keep)
    driver.until(lambda: page.live.stage is RolloutStage.ENABLE)
    driver.window.close()
    question = driver.dialog()
    assert "carried through" in " ".join(found.text() for found in question.findChildren(QLabel))
    driver.click(question.yes)
    driver.services.stage_gate.set()
    driver.until(lambda: driver.services.is_closed)
    assert driver.services.deployed[0].state is DeploymentState.CONFIRMED
