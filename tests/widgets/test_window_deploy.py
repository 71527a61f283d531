"""The page that deploys: where it is reached from, choice, dry run, what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from deploy_driver import inspected, page_of, previewed
from deployments_driver import show_active
from dialog_tour import settle
from fake_deployment_values import CONF
from fake_services import FakeServices
from PySide6.QtCore import Qt
from window_driver import Driver

from app.deployment.messages import ONE_INNER_ADDRESS
from app.domain.declared import comparison_only
from app.domain.deployment import DeploymentOptions
from app.domain.errors import HostUnreachable
from app.domain.hosts import Side
from app.domain.keepalive import Keepalive
from app.domain.verdicts import Verdict
from app.services.interfaces import Prompts
from ui.common.texts import count
from ui.deployments.deploy_page import DeployPage


def choose_verdict(page: DeployPage, verdict: Verdict) -> None:
    discovery = page.setup.discovery
    assert discovery is not None
    page.form.choose(next((one.solution, one.suite) for one in discovery.candidates if one.verdict is verdict))


def test_services_that_cannot_deployment_show_no_way_to_it(open_window: Callable[..., Driver]) -> None:
    class Without:
        """Services without `undeploy`."""

        def __init__(self, prompts: Prompts) -> None:
            self._all = FakeServices(prompts)

        def __getattr__(self, name: str) -> object:
            if name == "undeploy":
                raise AttributeError(name)
            return getattr(self._all, name)

    driver = open_window(factory=Without)
    assert not driver.window.top.deployment.isVisible()
    driver.compare()
    driver.idle()
    assert not driver.window.results.deploy.isVisible()


def test_the_top_bar_leads_there_and_the_hosts_are_inspected_first(driver: Driver) -> None:
    assert driver.window.top.deployment.isVisible()
    driver.click(driver.window.top.deployment)
    driver.until(lambda: isinstance(driver.window.current, DeployPage))
    driver.idle()
    page = driver.window.deploy
    assert driver.window.top.deployment.isChecked()
    assert not page.preview.isEnabled()
    assert not page.deploy.isEnabled()
    assert "Inspect both hosts" in page.hint.text()
    assert not page.form.lans[Side.A].port.isEnabled()
    driver.click(page.ask_hosts)
    driver.until(page.preview.isEnabled)
    driver.idle()
    assert not page.deploy.isEnabled(), "first the dry run"
    assert page.form.key == ("wireguard", "chacha20-poly1305")


def test_an_error_about_one_pair_goes_when_another_one_is_chosen(driver: Driver) -> None:
    page = page_of(driver)
    page.form.show_pairs((*page.form._pairs, replace(page.form._pairs[0], name="elsewhere")))
    driver.services.faults["discover"] = HostUnreachable("The practice lab of lab:practice is down.")
    driver.click(page.ask_hosts)
    driver.until(lambda: "is down" in page.notice.text)
    page.form.pairs.setCurrentIndex(page.form.pairs.count() - 1)
    assert page.notice.text == ""


@pytest.mark.parametrize("text_scale", [1.0, 1.25])
def test_what_would_be_done_is_in_sight_after_the_dry_run(driver: Driver, text_scale: float) -> None:
    driver.window.context.theme.zoom(text_scale)
    driver.window.resize(1024, 680)
    show_active(driver)
    page = previewed(driver)
    settle()
    assert page.view.visibleRegion().boundingRect().height() >= 160
    assert page.deploy.visibleRegion().boundingRect().height() == page.deploy.height()
    assert page.form.height() >= page.form.heightForWidth(page.form.width()), "no line of it is cut"


def test_ports_that_would_cut_a_host_off_are_shown_but_cannot_be_chosen(driver: Driver) -> None:
    page = inspected(driver)
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
    page = inspected(driver)
    lan = page.form.lans[Side.A].port
    assert not page.form.moves_rules.isVisible()
    lan.setCurrentIndex(lan.findData("eth2"))
    page.form.lans[Side.B].address.setText("10.9.0.2/24")
    assert ONE_INNER_ADDRESS.text in page.hint.text()
    assert not page.preview.isEnabled()
    page.form.lans[Side.A].address.setText("10.9.0.1/24")
    page.form.moves_rules.click()
    driver.click(page.preview)
    driver.until(page.view.isVisible)
    options = driver.services.asked_options
    assert options is not None
    assert options.moves_lan_rules
    assert (options.bridge_a, options.bridge_b, options.inner_b) == ("eth2", "", "10.9.0.2/24")
    assert options.confirm_within_s == 120.0
    known = " ".join(page.view.overview.sentences)
    assert "Nothing has been changed yet" in known
    assert "gateway-b: NetworkManager looks after eth2" in known
    table = page.view.overview.table
    assert table.text("Bridged to") == ("eth2 in the bridge tmlbr0", "not bridged (own IP address)")
    assert table.text("Ports to open")[0] == "UDP 22820, L2TP"
    assert table.text("MTU")[0] == f"{count(1500)} bytes"
    assert count(1402) in table.text("Largest unfragmented frame")[0]
    end = page.view.ends[Side.A]
    assert end.list.item(1).text() == "wg0.conf   +2 −2"
    text = end.text.view.toPlainText()
    assert "+ListenPort = 22820" in text
    assert "-ListenPort = 21820" in text
    assert "ip link set dev eth2 master tmlbr0\nrollback: ip link set dev eth2 nomaster" in text
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
    page = inspected(driver)
    driver.click(page.preview)
    driver.until(page.view.isVisible)
    assert not page.deploy.isEnabled()
    assert "gateway-a: Port udp/22820 is taken by dnsmasq. Stop dnsmasq." in page.view.overview.sentences
    driver.services.obstacles_block = False
    driver.idle()
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)


def test_another_choice_needs_another_dry_run_and_the_first_one_is_good_again_after_returning(driver: Driver) -> None:
    page = previewed(driver)
    page.form.within.setValue(60)
    assert not page.deploy.isEnabled()
    assert not page.view.isVisible()
    assert "changed" in page.empty.text()
    page.form.within.setValue(120)
    assert page.deploy.isEnabled()


def test_insecure_and_unprotected_ones_are_refused_with_the_reason(driver: Driver) -> None:
    page = inspected(driver)
    choose_verdict(page, Verdict.INSECURE)
    assert not page.preview.isEnabled()
    assert not page.deploy.isEnabled()
    assert "cannot be deployed" in page.form.word.text()
    assert "CVE-2016-6329" in page.form.word.text()
    choose_verdict(page, Verdict.UNPROTECTED)
    assert not page.preview.isEnabled()
    assert page.form.solution.findData("baseline") < 0


@pytest.mark.parametrize("solution", sorted(comparison_only()))
def test_what_is_there_for_comparison_alone_is_refused_and_its_successor_named(driver: Driver, solution: str) -> None:
    page = inspected(driver)
    assert page.setup.discovery is not None
    some = replace(page.setup.discovery.candidates[0], solution=solution, verdict=Verdict.LEGACY)
    page.form.show_found([some], ())
    assert page.form.refusal
    assert not page.form.reason.isVisible()
    assert " in its place" in page.form.word.text()


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
    page = inspected(driver)
    page.form.choose(("wireguard", "chacha20-poly1305"))
    assert page.form.reason.isVisible()
    assert not page.preview.isEnabled()
    assert "justification" in page.hint.text()
    page.form.reason.setText("The peer has nothing newer.")
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.click(page.deploy)
    driver.until(lambda: page.live.countdown.is_open)
    driver.click(page.live.countdown.confirm)
    driver.until(lambda: not page.is_running)
    driver.idle()
    assert driver.services.deployed[0].options.legacy_reason == "The peer has nothing newer."


def test_hosts_that_cannot_be_reached_are_reported_and_nothing_typed_is_lost(driver: Driver) -> None:
    page = page_of(driver)
    page.form.lans[Side.A].address.setText("10.9.0.1/24")
    page.form.lans[Side.B].address.setText("10.9.0.2/24")
    driver.services.faults["lan_ports"] = HostUnreachable("gateway-b does not answer.", hint="Look at its cable.")
    driver.click(page.ask_hosts)
    driver.until(lambda: "does not answer" in page.notice.text)
    driver.window.show_welcome()
    page = page_of(driver)
    assert page.form.lans[Side.A].address.text() == "10.9.0.1/24"
    driver.click(page.ask_hosts)
    driver.until(page.preview.isEnabled)
    assert page.form.lans[Side.A].address.text() == "10.9.0.1/24"


def test_another_pair_has_to_be_inspected_too(driver: Driver) -> None:
    page = previewed(driver)
    page.form.pairs.setCurrentIndex(1)
    assert not page.deploy.isEnabled()
    assert not page.preview.isEnabled()
    assert "Inspect both hosts" in page.hint.text()


def test_one_click_from_the_results_fills_everything_in(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    results = driver.window.results
    keys = [(place.solution, place.suite) for place in results.data.ranking.ranking]  # type: ignore[union-attr]
    results.table.selectRow(keys.index(("openvpn-udp", "aes-256-gcm")))
    driver.click(results.deploy)
    driver.until(lambda: isinstance(driver.window.current, DeployPage))
    page = driver.window.deploy
    assert [box.currentText() for box in (page.form.solution, page.form.suite)] == ["OpenVPN over UDP", "AES-256-GCM"]
    driver.until(page.preview.isEnabled)
    driver.idle()
    assert page.form.key == ("openvpn-udp", "aes-256-gcm")
    assert page.form.pair is not None
    assert page.form.pair.name == results.data.record.plan.pair.name  # type: ignore[union-attr]
    driver.click(driver.window.footer.back)
    assert driver.window.current is results


def test_the_button_that_deploys_names_the_whole_candidate(driver: Driver) -> None:
    driver.window.resize(1024, 700)
    driver.compare()
    driver.idle()
    results = driver.window.results
    for nth, place in enumerate(results.data.ranking.ranking):  # type: ignore[union-attr]
        results.table.selectRow(nth)
        title = results.data.result((place.solution, place.suite)).title  # type: ignore[union-attr]
        # What cannot be deployed is not named on the button.
        wanted = f"Deploy {title}…" if results.deploy.isEnabled() else "Deploy…"
        assert results.deploy.text().replace("&", "") == wanted
        assert driver.window.width() == 1024


def test_what_protects_nothing_cannot_be_deployed_from_the_results(driver: Driver) -> None:
    driver.compare()
    driver.idle()
    results = driver.window.results
    keys = [(place.solution, place.suite) for place in results.data.ranking.ranking]  # type: ignore[union-attr]
    results.table.selectRow(next(nth for nth, key in enumerate(keys) if key[0] == "baseline"))
    assert not results.deploy.isEnabled()


def test_what_is_there_for_comparison_alone_cannot_be_deployed_from_the_results(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver.compare()
    driver.idle()
    results = driver.window.results
    assert results.deploy.isEnabled()
    monkeypatch.setattr("ui.results.results_page.comparison_reason", lambda _solution: "it is old.")
    results.table.selectRow(1)
    results.table.selectRow(0)
    assert not results.deploy.isEnabled()
    assert results.deploy.text().replace("&", "") == "Deploy…"


def test_rules_are_moved_only_where_a_lan_port_is_chosen(driver: Driver) -> None:
    page = inspected(driver)
    lan = page.form.lans[Side.A].port
    lan.setCurrentIndex(lan.findData("eth2"))
    page.form.moves_rules.click()
    assert page.form.options.moves_lan_rules
    lan.setCurrentIndex(0)
    assert not page.form.moves_rules.isVisible()
    assert not page.form.options.moves_lan_rules


def test_what_crosses_between_the_lans_can_be_chosen_where_a_lan_port_is(driver: Driver) -> None:
    page = inspected(driver)
    guard, lan = page.form.guard, page.form.lans[Side.A].port
    widgets = (guard.limit, guard.dhcp, guard.advertisements)
    assert not any(widget.isEnabled() for widget in widgets)
    lan.setCurrentIndex(lan.findData("eth2"))
    assert all(widget.isEnabled() for widget in widgets)
    guard.limit.setValue(250)
    guard.dhcp.setChecked(True)
    options = page.form.options
    assert (options.broadcast_limit, options.blocks_dhcp, options.blocks_router_advertisements) == (250, True, False)
    lan.setCurrentIndex(0)
    assert not page.form.options.blocks_dhcp, "without LANs there is nothing to block"
    page.form.guard.want(DeploymentOptions(broadcast_limit=0, blocks_router_advertisements=True))
    lan.setCurrentIndex(lan.findData("eth2"))
    options = page.form.options
    assert (options.broadcast_limit, options.blocks_dhcp, options.blocks_router_advertisements) == (0, False, True)


def test_tcp_can_be_fitted_to_the_path_as_an_earlier_deployment_was(driver: Driver) -> None:
    page = inspected(driver)
    assert not page.form.options.fits_path_mtu
    page.form.fits_path.click()
    assert page.form.options.fits_path_mtu


def test_a_metered_link_can_be_chosen_as_an_earlier_deployment_had_it(driver: Driver) -> None:
    page = inspected(driver)
    assert page.form.options.keepalive is Keepalive.WIRED
    page.form.metered.click()
    assert page.form.options.keepalive is Keepalive.METERED
    page.form._take_options(DeploymentOptions())
    assert page.form.options.keepalive is Keepalive.WIRED
    page.form._take_options(DeploymentOptions(keepalive=Keepalive.METERED))
    assert page.form.options.keepalive is Keepalive.METERED


def test_the_focus_goes_on_with_what_has_to_be_done_next(driver: Driver) -> None:
    page = inspected(driver)
    page.ask_hosts.setFocus()
    driver.click(page.ask_hosts)
    driver.idle()
    assert page.preview.hasFocus()
    driver.click(page.preview)
    driver.until(page.view.isVisible)
    driver.until(page.view.tabBar().hasFocus)
