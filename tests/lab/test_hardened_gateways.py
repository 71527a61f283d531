"""Gateways with closed firewalls (nftables owns A's, ufw B's), as an ordinary user with a sudo password."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from deploy_driver import page_of
from lab_window import opened
from program import Run, load
from pytestqt.qtbot import QtBot
from window_driver import Driver

from app.cli.exit_codes import ExitCode
from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.deployment import DeploymentState
from app.domain.errors import PreflightRefused
from app.domain.hosts import Privilege, Side
from app.domain.paths import Paths
from app.domain.profiles import PROFILES, ProfileName
from app.domain.results import AttemptStatus
from app.lab import Lab, LabManager, LabSpec
from app.measurement.control import CampaignControl
from app.measurement.options import RunOptions
from app.measurement.wizard import Step
from app.services.wiring import Services
from support.lab_deployment import Desk
from support.lab_sessions import connected, sh
from support.waiting import wait_until

# Counters change with every packet.
RULES = {
    Side.A: "nft -s list ruleset; cat /etc/nftables.conf",
    Side.B: (
        "for list in iptables-save ip6tables-save; do $list | sed -e 's/\\[[0-9]*:[0-9]*\\]//' -e '/^#/d'; done; "
        "nft -s list ruleset; cat /etc/ufw/*.rules /etc/ufw/ufw.conf /etc/default/ufw"
    ),
}
RELOAD = {Side.A: "systemctl restart nftables", Side.B: "ufw reload"}
LONG_WAIT_MS = 1_200_000
"""Time limit for all candidates in sequence on emulated gateways, in seconds."""
IN_EVERY_RUN = ("openvpn-udp",)


@pytest.fixture(scope="module")
def hardened(lab_manager: LabManager) -> Iterator[Lab]:
    spec = LabSpec(f"closed-{os.getpid()}", is_hardened=True)
    yield lab_manager.up(spec, token=CancelToken(), on_progress=lambda _: None, is_owned=True)
    lab_manager.down(spec.name)


@pytest.fixture(scope="module")
def desk(hardened: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("closed")
    services = Services(prompts=None, paths=Paths(folder, hardened.folder.parent, folder / "cache"))
    try:
        pair = services.known_pair(hardened.pair.name)
        yield Desk(services, pair, services.discover(pair, token=CancelToken(), on_progress=lambda _text, _share: None))
    finally:
        services.close()


@pytest.fixture
def unchanged(hardened: Lab, tmp_path: Path) -> Iterator[None]:
    """See afterwards that both rulesets are byte for byte as before."""
    with connected(hardened, tmp_path, "root") as root:
        hosts = {Side.A: root.a, Side.B: root.b}
        before = {side: sh(host, RULES[side]) for side, host in hosts.items()}
        assert "drop" in before[Side.A]
        assert ":INPUT DROP" in before[Side.B]
        yield
        assert {side: sh(host, RULES[side]) for side, host in hosts.items()} == before


def compare(desk: Desk, *solutions: str) -> list[tuple[str, AttemptStatus, str]]:
    """Measure solutions for a short time; return what became of each attempt."""
    chosen = [key for key in ((one.solution, one.suite) for one in desk.found.candidates) if key[0] in solutions]
    first = {solution: next(key for key in chosen if key[0] == solution) for solution in solutions}
    profile = replace(PROFILES[ProfileName.QUICK], name=ProfileName.CUSTOM, pings=10, seconds=1)
    plan = desk.services.plan(desk.found, list(first.values()), RunOptions(profile))
    record = desk.services.run(desk.found, plan, control=CampaignControl(), emit=lambda _event: None)
    return [(one.key.solution, one.status, one.message) for one in record.attempts]


def own_rules(host: HostSession, side: Side) -> list[str]:
    return sorted(line.strip() for line in sh(host, RULES[side]).splitlines() if "tunnelmark tunnelmark-" in line)


def is_open_again(host: HostSession, side: Side, rules: list[str]) -> bool:
    return own_rules(host, side) == rules


def consent(desk: Desk, *, may_open: bool) -> None:
    desk.pair = desk.services.allow_opening_firewalls(desk.pair, may_open=may_open)
    desk.found = replace(desk.found, pair=desk.pair)


@pytest.mark.full
def test_what_is_blocked_is_reported_before_anything_is_tried(desk: Desk, unchanged: None) -> None:
    facts = desk.found.a.facts, desk.found.b.facts
    assert [(one.user, one.privilege) for one in facts] == [("operator", Privilege.SUDO_PASSWORD)] * 2
    link = desk.found.link
    on_a, on_b = desk.found.blocked["wireguard"]
    assert on_a.startswith(
        f"blocked by the firewall of gateway-a: udp {link.names.wireguard_port} from {link.underlay_b}"
    )
    assert on_b.startswith(
        f"blocked by the firewall of gateway-b: udp {link.names.wireguard_port} from {link.underlay_a}"
    )
    # Echo requests are allowed on both; iperf3's ports are opened for a comparison only.
    assert "icmp" not in on_a + on_b
    with pytest.raises(PreflightRefused, match="The firewall of gateway-a blocks udp"):
        desk.deploy("wireguard")


@pytest.mark.full
def test_without_consent_an_attempt_fails(desk: Desk, unchanged: None) -> None:
    consent(desk, may_open=False)
    assert [status for _, status, _ in compare(desk, "openvpn-udp")] == [AttemptStatus.FAILED]


@pytest.mark.full
def test_they_are_compared_with_consent(desk: Desk, unchanged: None) -> None:
    consent(desk, may_open=True)
    done = compare(desk, *IN_EVERY_RUN)
    assert {status for _, status, _ in done} == {AttemptStatus.COMPLETED}, done


@pytest.mark.full
def test_all_are_compared_with_consent(desk: Desk, unchanged: None) -> None:
    consent(desk, may_open=True)
    done = compare(desk, *dict.fromkeys(one.solution for one in desk.found.candidates))
    assert {status for _, status, _ in done} == {AttemptStatus.COMPLETED}, done


@pytest.mark.full
def test_a_deployment_survives_reloads_and_leaves_nothing(
    desk: Desk, hardened: Lab, tmp_path: Path, unchanged: None
) -> None:
    consent(desk, may_open=True)
    assert desk.deploy("ipsec").state is DeploymentState.CONFIRMED
    desk.wait_until_healthy()
    with connected(hardened, tmp_path, "root") as root:
        hosts = {Side.A: root.a, Side.B: root.b}
        opened = {side: own_rules(host, side) for side, host in hosts.items()}
        assert all(opened.values())
        for side, host in hosts.items():
            sh(host, RELOAD[side])
            # Made again by the supervisor alone.
            wait_until(partial(is_open_again, host, side, opened[side]), f"the rules of {side}")
    desk.wait_until_healthy()
    assert desk.undeploy().state is DeploymentState.REMOVED


@pytest.mark.full
def test_the_command_compares_and_deploys_with_one_consent(
    tunnelmark: Run, hardened: Lab, tmp_path: Path, unchanged: None
) -> None:
    name, results = hardened.pair.name, tmp_path / "results.json"
    blocked = tunnelmark("deploy", name, "wireguard", "--no-open-firewall", status=None)
    assert blocked.returncode == ExitCode.FAILED, blocked
    assert "The firewall of gateway-a blocks udp" in blocked.stderr
    sizes = ("--profile", "quick", "--pings", "20", "--seconds", "1")
    tunnelmark("compare", name, *sizes, "--open-firewall", "--json", str(results), timeout_s=LONG_WAIT_MS / 1000)
    done = {one["solution"]: one["status"] for one in load(results)["results"]}
    assert set(done.values()) == {"completed"}, done
    assert {"baseline", "wireguard", "ipsec", "openvpn-udp", "openvpn-tcp", "ssh"} <= set(done)
    # Given once: the pair remembers it.
    for solution in ("wireguard", "ipsec"):
        tunnelmark("deploy", name, solution, timeout_s=600)
        wait_until(lambda: tunnelmark("status", name, status=None).returncode == 0, "a healthy tunnel", 120.0)
    tunnelmark("undeploy", name, timeout_s=600)


@pytest.fixture
def driver(hardened: Lab, home: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    with opened(qtbot, home, monkeypatch, wait_ms=LONG_WAIT_MS) as driver:
        yield driver


def deploy_in_window(driver: Driver, solution: str) -> None:
    """Choose a solution, agree to the openings, read the dry run, deploy and confirm."""
    page = page_of(driver)
    page.show_choice()  # what "Back to the choice" does after an earlier deployment
    driver.click(page.ask_hosts)
    driver.until(lambda: page.form.candidate is not None)
    driver.idle()
    assert page.setup.discovery is not None
    suite = next(one.suite for one in page.setup.discovery.candidates if one.solution == solution)
    page.form.choose((solution, suite))
    assert page.firewalls.isVisible()
    assert page.firewalls.may_open, "the consent is the pair's, and was given before the comparison"
    driver.click(page.preview)
    driver.until(page.deploy.isEnabled)
    driver.click(page.deploy)
    driver.until(lambda: page.live.countdown.is_open)
    driver.click(page.live.countdown.confirm)
    driver.until(lambda: not page.is_running)
    driver.idle()


@pytest.mark.full
@pytest.mark.qt_log_ignore("does not support propagateSizeHints", extend=True)
def test_the_window_compares_all_and_deploys_two_with_one_consent(
    driver: Driver, hardened: Lab, unchanged: None
) -> None:
    window = driver.window
    window.begin_with_hosts()
    window.hosts.show_pair(hardened.pair)
    window.hosts.discover()
    driver.until(lambda: window.wizard.state.discovery is not None)
    driver.go_to(Step.LINK)
    link = window.step_page(Step.LINK)
    assert link.firewalls.isVisible()
    if not link.firewalls.may_open:
        driver.click(link.firewalls.box)
    driver.go_to(Step.CHOOSE)
    chosen = {key[0] for key in window.step_page(Step.CHOOSE).ticked()}
    assert {"baseline", "wireguard", "ipsec", "openvpn-udp", "openvpn-tcp"} <= chosen
    driver.go_to(Step.PLAN)
    plan = window.step_page(Step.PLAN)
    plan.form.choose(ProfileName.CUSTOM)
    plan.form.pings.setValue(20)
    plan.form.seconds.setValue(1)
    driver.idle()
    driver.go_to(Step.RESULTS)
    driver.until(lambda: window.results.data is not None)
    done = window.results.data.record.attempts
    assert {one.key.solution for one in done} == chosen
    failed = [
        (one.key.solution, one.message, one.daemon_log) for one in done if one.status is not AttemptStatus.COMPLETED
    ]
    assert failed == []
    deploy_in_window(driver, "wireguard")
    deploy_in_window(driver, "ipsec")
    services = Services(prompts=None)
    try:
        pair = services.known_pair(hardened.pair.name)
        later = Desk(
            services, pair, services.discover(pair, token=CancelToken(), on_progress=lambda _text, _share: None)
        )
        later.wait_until_healthy()
        assert later.undeploy().state is DeploymentState.REMOVED
    finally:
        services.close()
