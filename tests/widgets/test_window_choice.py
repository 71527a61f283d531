"""The choice page: what solutions take and promise, what is missing, guidelines, and finding a line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QTreeWidgetItem
from shown_text import shown_text
from window_driver import Driver

from app.domain.errors import InvalidFile
from app.domain.hosts import MissingPart, Side, SolutionSupport
from app.domain.mesh import MeshEffort, PerSite
from app.domain.results import Candidate
from app.domain.verdicts import Finding, PostQuantum, Verdict
from app.measurement.wizard import Step
from app.policy import DEFAULT_GUIDELINES, GUIDELINES
from ui.common.guidelines import GuidelinesDialog
from ui.comparison.candidates_page import CandidatesPage
from ui.comparison.tree_search import every_item
from vpn_adapters.shared.messages import KERNEL_MODULE_PART

KEY = Qt.ItemDataRole.UserRole
TCP = ("openvpn-tcp", "aes-256-gcm")


def choice(driver: Driver) -> CandidatesPage:
    driver.go_to(Step.CHOOSE)
    driver.idle()
    page = driver.window.step_page(Step.CHOOSE)
    assert isinstance(page, CandidatesPage)
    return page


def select(page: CandidatesPage, text: str) -> QTreeWidgetItem:
    item = next(item for item in every_item(page.tree) if item.text(0) == text)
    page.tree.setCurrentItem(item)
    return item


def visible(page: CandidatesPage) -> list[str]:
    return [item.text(0) for item in every_item(page.tree) if not item.isHidden()]


def test_a_solutions_facts_are_beside_its_suites(driver: Driver) -> None:
    page = choice(driver)
    select(page, "OpenVPN over TCP, AES-256-GCM")
    for words in (
        "Encrypts in\nuser space",
        "Carried by\nTCP",
        "Routing\none tunnel interface per peer, joined by a bridge",
        "Per site\nfiles: 1, commands or routes: 2(N-1), keys: N",
        "Keys that were made once are used until somebody changes them.",
    ):
        assert words in shown_text(page.details)
    assert [one for one in QApplication.topLevelWidgets() if one.isVisible()] == [driver.window]
    own, _, design = shown_text(page.details).partition("Applies to all its suites")
    assert "RFC 8439" in own
    assert "one-stream" not in own
    assert "A lost packet holds up all others." in design


def test_post_quantum_is_beside_the_verdict(driver: Driver) -> None:
    page = choice(driver)
    candidate = next(one for one in page._by_key.values() if one.solution == "wireguard")
    found = page._shown
    assert found is not None
    info = found.solutions["wireguard"]
    for post_quantum, words in (
        (PostQuantum.HYBRID, "Post-quantum: hybrid key exchange"),
        (PostQuantum.PURE, "Post-quantum: key exchange without a classical part"),
        (PostQuantum.STORED, "Post-quantum: hybrid as long as the pre-shared key"),
        (PostQuantum.SYMMETRIC, "Post-quantum: by pre-shared keys only"),
        (PostQuantum.NONE, "Post-quantum: no;"),
        (None, ""),
    ):
        page.details.show_candidate(replace(candidate, post_quantum=post_quantum), info)
        assert words in shown_text(page.details)
        assert ("Post-quantum" in shown_text(page.details)) == bool(words)
        page.details.show_candidate(replace(candidate, post_quantum=post_quantum, is_unprotected=True), info)
        assert "Post-quantum" not in shown_text(page.details)


def test_the_deciding_finding_comes_first(driver: Driver) -> None:
    page = choice(driver)
    candidate = next(one for one in page._by_key.values() if one.solution == "wireguard")
    found = page._shown
    assert found is not None
    info = replace(found.solutions["wireguard"], design=("design",))
    good = Finding("good", Verdict.RECOMMENDED, "Sound.", "here")
    weak = Finding("weak", Verdict.LEGACY, "Old.", "here")
    design = Finding("design", Verdict.RECOMMENDED, "Sound as well.", "here")
    page.details.show_candidate(replace(candidate, findings=(good, weak, design)), info)
    assert shown_text(page.details).index("Old.") < shown_text(page.details).index("Sound.")
    page.details.show_candidate(replace(candidate, findings=(good, replace(design, verdict=Verdict.LEGACY))), info)
    assert shown_text(page.details).index("Sound as well.") < shown_text(page.details).index("Sound.")


def test_the_effort_of_a_mesh_follows_the_number_of_sites(driver: Driver) -> None:
    page = choice(driver)
    select(page, "WireGuard, ChaCha20-Poly1305")
    facts = page.details.facts
    assert facts is not None
    effort = MeshEffort(PerSite(0, 1), PerSite(2, -2), PerSite(1, 0))
    assert facts.sites.value() == 10
    assert facts.total.text() == f"{effort.total(10)} configuration items" == "290 configuration items"
    facts.sites.setValue(3)
    assert facts.total.text() == "24 configuration items"
    assert facts.sites.accessibleDescription() == "24 configuration items"
    select(page, "OpenVPN over TCP, AES-256-GCM")
    kept = page.details.facts
    assert kept is not None
    assert kept is not facts
    assert kept.sites.value() == 3
    select(page, "Bare underlay")
    assert page.details.facts is not None
    assert page.details.facts.sites.isHidden()


def test_what_is_missing_is_reported_per_host_with_the_way_to_install_it(driver: Driver) -> None:
    driver.inspect_hosts()
    wizard = driver.window.wizard
    found = wizard.state.discovery
    lacking = SolutionSupport(
        "tinc",
        is_available=False,
        missing=(MissingPart(module := KERNEL_MODULE_PART(module="tun"), "tinc"),),
        note="Its kernel is too old.",
    )
    facts = replace(found.b.facts, solutions={**found.b.facts.solutions, "tinc": lacking})
    wizard.set_discovery(replace(found, b=replace(found.b, facts=facts)))
    page = choice(driver)
    select(page, "tinc")
    text = shown_text(page.details)
    assert found.pair.host(Side.A).label == "gateway-a"
    assert "gateway-a\ntincd (in package tinc)\n" in text
    assert f"gateway-b\n{module} (no known package)\nIts kernel is too old.\n" in text
    assert "A mesh." in text
    assert page.details.install is not None
    assert page.details.install.text() == "Install tinc in step 1"
    driver.until(page.details.install.isVisible)
    driver.click(page.details.install)
    assert driver.window.wizard.current is Step.HOSTS
    assert driver.window.current is driver.window.hosts


def test_without_a_package_there_is_no_button(driver: Driver) -> None:
    driver.inspect_hosts()
    wizard = driver.window.wizard
    found = wizard.state.discovery
    lacking = SolutionSupport("tinc", is_available=False, missing=(MissingPart("tincd", "tinc"),))
    for side in ("a", "b"):
        check = getattr(found, side)
        facts = replace(check.facts, solutions={**check.facts.solutions, "tinc": lacking})
        found = replace(found, **{side: replace(check, facts=facts)})
    wizard.set_discovery(found)
    page = choice(driver)
    select(page, "tinc")
    assert page.details.install is None
    assert "No known package provides it." in shown_text(page.details)


@pytest.mark.parametrize(
    ("support", "words"),
    [
        (SolutionSupport("tinc", is_available=True), "gateway-b\nnothing missing\n"),
        (SolutionSupport("tinc", is_available=False), "gateway-b\nnot supported (reason unknown)\n"),
    ],
)
def test_a_host_that_lacks_nothing_is_distinguished_from_one_that_cannot(
    driver: Driver, support: SolutionSupport, words: str
) -> None:
    driver.inspect_hosts()
    wizard = driver.window.wizard
    found = wizard.state.discovery
    facts = replace(found.b.facts, solutions={**found.b.facts.solutions, "tinc": support})
    wizard.set_discovery(replace(found, b=replace(found.b, facts=facts)))
    page = choice(driver)
    select(page, "tinc")
    assert words in shown_text(page.details)


def test_the_search_opens_folds_and_leaves_ticks_alone(driver: Driver) -> None:
    page = choice(driver)
    before, everything = page.ticked(), visible(page)
    fold = next(item for item in every_item(page.tree) if item.text(0) == "1 more supported suites")
    assert not fold.isExpanded()
    page.search.field.setText("openvpn BF insecure")
    assert visible(page) == ["OpenVPN over UDP", "1 more supported suites", "BF-CBC"]
    assert fold.isExpanded()
    assert page.search.hits.text() == "1 found"
    assert page.ticked() == before
    page.search.field.setText("nothing of the kind")
    assert visible(page) == []
    assert page.search.hits.text() == "0 found"
    page.search.field.clear()
    assert visible(page) == everything
    assert not fold.isExpanded()
    assert page.search.hits.isHidden()


def test_a_hit_without_a_box_is_shown_with_the_reason(driver: Driver) -> None:
    page = choice(driver)
    page.search.field.setText("wireguard")
    assert not page.no_box.isVisible(), "it has a box"
    page.search.field.setText("BF-CBC")
    assert page.no_box.isVisible()
    assert "Include weak suites" in page.no_box.text()
    assert "BF-CBC" in shown_text(page.details), "the hit, not what was selected before"
    page.weak.setChecked(True)
    assert not page.no_box.isVisible()
    page.weak.setChecked(False)
    page.search.field.clear()
    assert not page.no_box.isVisible()


def test_references_alone_are_measured_only_after_a_question(driver: Driver) -> None:
    page = choice(driver)
    for key in page.ticked():
        page.tick(key, is_on=key == ("baseline", "none"))
    assert page.ticked() == (("baseline", "none"),)
    driver.window.go_next()
    question = driver.dialog()
    assert question.windowTitle() == "No VPN is selected"
    question.reject()
    assert driver.window.current is page
    driver.window.go_next()
    driver.dialog().yes.click()
    driver.until(lambda: driver.window.wizard.current is Step.PLAN)


def test_the_search_works_with_the_keyboard_alone(driver: Driver) -> None:
    page = choice(driver)
    driver.window.activateWindow()
    page.tree.setFocus()
    driver.until(page.tree.hasFocus)
    driver.press(page, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    driver.until(page.search.field.hasFocus)
    driver.qtbot.keyClicks(page.search.field, "wireguard")
    driver.press(page.search.field, Qt.Key.Key_Return)
    assert page.tree.hasFocus()
    assert page.tree.currentItem().text(0) == "WireGuard, ChaCha20-Poly1305"
    driver.press(page.tree, Qt.Key.Key_Space)
    assert ("wireguard", "chacha20-poly1305") not in page.ticked()
    page.search.field.setFocus()
    driver.press(page.search.field, Qt.Key.Key_Down)
    assert page.tree.hasFocus()


def test_hundreds_of_listed_suites_can_be_filtered(driver: Driver) -> None:
    driver.inspect_hosts()
    wizard = driver.window.wizard
    found = wizard.state.discovery
    many = tuple(
        Candidate("openvpn-udp", f"option-{nth}", f"OpenVPN over UDP, OPTION-{nth}", Verdict.INSECURE, (), False, True)
        for nth in range(400)
    )
    wizard.set_discovery(replace(found, candidates=(*found.candidates, *many)))
    page = choice(driver)
    assert any(item.text(0) == "401 more supported suites" for item in every_item(page.tree))
    page.search.field.setText("option-39")
    assert page.search.hits.text() == "11 found"
    page.weak.setChecked(True)
    page.tick(("openvpn-udp", "option-399"))
    assert ("openvpn-udp", "option-399") in page.ticked()


def pick(driver: Driver, page: CandidatesPage, *ids: str) -> None:
    driver.click(page.guidelines.open)
    dialog = driver.dialog()
    assert isinstance(dialog, GuidelinesDialog)
    for name, box in dialog.boxes.items():
        box.setChecked(name in ids)
    driver.click(dialog.yes)
    driver.until(lambda: not dialog.isVisible())
    driver.idle()


def test_the_dialog_lists_every_guideline_with_its_version(driver: Driver) -> None:
    page = choice(driver)
    assert "RFC 8221 (ipsec)" in page.guidelines.summary.text(), "by its id: these services have no adapter for it"
    driver.click(page.guidelines.open)
    dialog = driver.dialog()
    assert isinstance(dialog, GuidelinesDialog)
    assert {name: box.text() for name, box in dialog.boxes.items()} == {
        one.id: f"{one.title}, {one.version}" for one in GUIDELINES.values()
    }
    assert dialog.picked() == DEFAULT_GUIDELINES
    texts = [one.text() for one in dialog.findChildren(QLabel)]
    for one in GUIDELINES.values():
        assert any(one.scope in text and f"{one.published:%Y-%m-%d}" in text for text in texts)
    driver.click(dialog.nothing)
    assert dialog.picked() == ()
    driver.click(dialog.defaults)
    assert dialog.picked() == DEFAULT_GUIDELINES
    dialog.boxes["bsi-tr-02102-2"].setChecked(True)
    driver.click(dialog.no)
    driver.until(lambda: not dialog.isVisible())
    driver.idle()
    assert driver.services.chosen_guidelines == DEFAULT_GUIDELINES
    assert "judge_again" not in driver.services.calls


def test_candidates_are_judged_anew_by_the_guidelines_that_were_picked(driver: Driver) -> None:
    page = choice(driver)
    page.tick(TCP, is_on=False)
    item = select(page, "OpenVPN over TCP, AES-256-GCM")
    assert item.text(1) == "Recommended"
    pick(driver, page, "bsi-tr-02102-2")
    assert driver.services.chosen_guidelines == ("bsi-tr-02102-2",)
    assert (
        page.guidelines.summary.text()
        == "1 guideline applies: BSI TR-02102-2 (OpenVPN over UDP, OpenVPN over TCP, stunnel)"
    )
    item = select(page, "OpenVPN over TCP, AES-256-GCM")
    assert item.text(1) == "Acceptable"
    assert "BSI TR-02102-2, 3.3" in shown_text(page.details)
    words = [one.text() for one in page.details.findChildren(QLabel)]
    assert "Outside a guideline" in words
    assert TCP not in page.ticked()
    assert driver.services.calls.count("discover") == 1
    assert page.notice.text == "One verdict changed. OpenVPN over TCP, AES-256-GCM: Acceptable"
    assert page.notice._title.width() > page.notice.width() / 2
    pick(driver, page)
    assert page.guidelines.summary.text() == "No guideline applies."
    assert select(page, "OpenVPN over TCP, AES-256-GCM").text(1) == "Recommended"


def test_the_step_list_takes_what_is_ticked(driver: Driver) -> None:
    driver.go_to(Step.PLAN)
    driver.idle()
    window = driver.window
    window.show_previous()
    page = driver.page(CandidatesPage)
    for key in page.ticked()[2:]:
        page.tick(key, is_on=False)
    kept = page.ticked()
    window.frame.step_chosen.emit(Step.PLAN)
    driver.idle()
    assert (window.wizard.current, window.wizard.state.chosen) == (Step.PLAN, kept)
    window.show_previous()
    page.search.untick.click()
    window.frame.step_chosen.emit(Step.PLAN)
    assert window.wizard.current is Step.CHOOSE
    assert page.notice.isVisible()
    for key in kept:
        page.tick(key)
    assert not page.notice.isVisible()
    driver.next()
    assert (window.wizard.current, window.wizard.state.chosen) == (Step.PLAN, kept)


def test_a_plan_made_before_is_not_kept(driver: Driver) -> None:
    driver.go_to(Step.PLAN)
    driver.idle()
    driver.window.show_previous()
    page = driver.window.step_page(Step.CHOOSE)
    pick(driver, page, "bsi-tr-02102-2")
    wizard = driver.window.wizard
    assert wizard.state.plan is None
    assert wizard.is_done(Step.CHOOSE)
    driver.next()
    assert wizard.current is Step.PLAN


@pytest.mark.parametrize("method", ["guidelines", "use_guidelines", "judge_again"])
def test_what_goes_wrong_with_guidelines_is_reported(driver: Driver, method: str) -> None:
    page = choice(driver)
    driver.services.faults[method] = InvalidFile("settings.toml, line 2: this is not TOML.", hint="Correct the line.")
    driver.click(page.guidelines.open)
    if method != "guidelines":
        driver.click(driver.dialog().yes)
    driver.until(lambda: "settings.toml, line 2" in page.notice.text)
    driver.idle()
    if method == "judge_again":
        driver.click(page.notice.action("Try again"))
        driver.idle()
        assert page.notice.text == ""


def test_a_finding_without_a_source_has_no_empty_line_for_it(driver: Driver) -> None:
    page = choice(driver)
    found = driver.window.wizard.state.discovery
    assert found is not None
    candidate = next(one for one in found.candidates if one.solution == "baseline")
    plain = replace(candidate, findings=(Finding("baseline", Verdict.UNPROTECTED, "It has no cryptography.", ""),))
    page.details.show_candidate(plain, found.solutions["baseline"])
    assert "It has no cryptography." in shown_text(page.details)
    assert "Source" not in shown_text(page.details)
