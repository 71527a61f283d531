from __future__ import annotations

import io
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.deployments import TOO_LATE, DeploymentDisplay, status_code
from app.cli.deployments_text import print_deployment, print_dry_run, print_status
from app.cli.exit_codes import ExitCode
from app.cli.history import history_table
from app.cli.main import main
from app.cli.messages import (
    AGAIN_IS_UNCHANGED,
    NO_SOLUTION,
    OPTION_FOR_SIDE,
    OUTPUT_FOLDER_MISSING,
    SIDE_GIVEN_TWICE,
)
from app.cli.parser import parse
from app.cli.records import deployment_table
from app.cli.sides import by_side, deployment_options
from app.cli.terminal import CleanConsole
from app.deployment.events import DeploymentStage, DeploymentStageStarted
from app.deployment.messages import AUDIT_FORMAT, UNREACHABLE
from app.deployment.slots import slot_of
from app.domain.audit import AuditEntry
from app.domain.deployment import (
    Deployment,
    DeploymentObstacle,
    DeploymentState,
    DryRun,
    EndpointDryRun,
    FileDiff,
    PlannedCommand,
)
from app.domain.deployment_status import EndpointStatus, FileDrift, KeyAge, Outage, PairStatus
from app.domain.errors import InvalidOption
from app.domain.history import EntryKind, HistoryEntry
from app.domain.hosts import PairSpec, Side
from app.domain.messages import MessageForm
from app.domain.messages.inputs import AGAIN_OF_OTHER_PAIR
from app.domain.paths import find_paths
from app.domain.verdicts import Verdict
from app.ranking.history_entries import deployment_entries
from app.storage import Store
from app.storage.codec import to_data
from support.message_checks import has_message, shows
from support.stored_deployments import AT, DEPLOYMENT, PAIR


def end(side: Side) -> EndpointStatus:
    return EndpointStatus(
        side,
        PAIR.host(side).label,
        is_reachable=True,
        deployment_id=DEPLOYMENT.id,
        is_confirmed=True,
        is_enabled=True,
        is_up=True,
        is_watched=True,
        interface="tml0",
        rtt_ms=1.25,
        loss_pct=0.0,
        keys=(KeyAge("Certificate openvpn.crt", 3.0, 27.0),),
    )


STATUS = PairStatus("north", AT, DEPLOYMENT, DeploymentState.CONFIRMED, end(Side.A), end(Side.B))


def text_of(show: object, value: object, width: int = 200) -> str:
    out = io.StringIO()
    assert callable(show)
    show(CleanConsole(file=out, width=width), value)
    return out.getvalue()


def test_the_options_of_deploy_are_read() -> None:
    options = parse(
        [
            "deploy",
            "north",
            "wireguard",
            "--bridge",
            "A=eth2",
            "--bridge",
            "b=eth3",
            "--confirm-within",
            "60",
            "--dry-run",
        ]
    )
    assert (options.pair, options.solution, options.confirm_within, options.dry_run) == (
        "north",
        "wireguard",
        60.0,
        True,
    )
    assert by_side(options.bridge, "--bridge") == ("eth2", "eth3")
    assert options.move_lan_rules is None
    assert parse(["deploy", "north", "wireguard", "--move-lan-rules"]).move_lan_rules is True
    assert parse(["deploy", "north", "--again", "11", "--no-move-lan-rules"]).move_lan_rules is False
    assert options.mtu is None
    assert deployment_options(parse(["deploy", "north", "wireguard", "--mtu", "fit"])).fits_path_mtu
    assert not deployment_options(parse(["deploy", "north", "wireguard", "--mtu", "1500"])).fits_path_mtu


@pytest.mark.parametrize("texts", [["eth2"], ["C=eth2"], ["A="], ["=eth2"], ["A=eth2", "a=eth3"]])
def test_a_bridge_without_a_host_or_port_or_twice_for_one_host_is_refused(texts: list[str]) -> None:
    form = OPTION_FOR_SIDE if len(texts) == 1 else SIDE_GIVEN_TWICE
    with pytest.raises(InvalidOption, check=has_message(form, option="--bridge")):
        by_side(texts, "--bridge")


def test_a_healthy_status_says_what_matters() -> None:
    text = text_of(print_status, STATUS)
    for words in ("north: WireGuard, active since", "eve on laptop", "alpha: tml0 up, 1.25 ms", "27 days left"):
        assert words in text
    assert "DOWN" not in text
    assert "NOT" not in text
    assert status_code(STATUS) == 0


def test_how_soon_it_was_connected_and_is_back_is_reported_as_the_hosts_measured_it() -> None:
    outages = (Outage(AT, 12.0), Outage(AT, 31.0), Outage(AT))
    a = replace(STATUS.a, connect_s=4.0, boot_connect_s=41.0, outages=outages)
    text = text_of(print_status, replace(STATUS, a=a, deployment=replace(DEPLOYMENT, timings_s={"connect": 3.24})))
    assert "connected 3.2 s after both sides were started" in text
    assert (
        "  connected 4 s after its last start; connected 41 s after the host's boot; "
        "lost 2 times, recovered after 31 s the last time; lost since " in text
    )
    assert "controllers in an outage: the longest of 31.0 s, outlasted with PROFINET RT none" in " ".join(text.split())
    far = replace(STATUS, a=replace(a, outages=(Outage(AT, 0.8),), rtt_ms=500.0))
    assert "Modbus/TCP 5 000 ms" in " ".join(text_of(print_status, far).split())
    assert text_of(print_status, STATUS).count("connected") == 0
    assert "controllers in an outage" not in text_of(print_status, STATUS), "none was measured"
    data = to_data(a)
    assert (data["connect_s"], data["boot_connect_s"], data["outages"][0]["lasted_s"]) == (4.0, 41.0, 12.0)


def test_a_tunnel_that_waits_for_a_confirmation_is_not_called_down() -> None:
    waits = {"is_confirmed": False, "left_s": 75.0, "is_up": False, "rtt_ms": None, "rx_bytes": 0, "tx_bytes": 0}
    status = replace(STATUS, a=replace(STATUS.a, **waits), b=replace(STATUS.b, **waits), state=DeploymentState.APPLIED)
    text = text_of(print_status, status)
    assert "alpha: awaiting confirmation, rolls back in 75 s" in text
    assert "DOWN" not in text
    assert "no answer" not in text
    assert status_code(status) == 1, "nothing is confirmed"


def test_a_waiting_deployment_that_replaces_another_is_not_called_down_or_changed() -> None:
    drift = (FileDrift("/run/x/wireguard.key", "The file that the programs read was changed."),)
    old = {"is_confirmed": True, "left_s": 93.0, "is_up": False, "drift": drift}
    status = replace(STATUS, a=replace(STATUS.a, **old), b=replace(STATUS.b, **old), state=DeploymentState.APPLIED)
    text = text_of(print_status, status)
    assert "alpha: awaiting confirmation, rolls back in 93 s" in text
    assert "DOWN" not in text
    assert "Drift" not in text


def test_what_is_wrong_is_up_out_and_fails() -> None:
    drift = (FileDrift("/run/x/openvpn.conf", "The file was changed.", "+# by hand"),)
    bad = replace(STATUS.a, is_up=False, is_watched=False, rtt_ms=None, loss_pct=100.0, restarts=3, drift=drift)
    status = replace(STATUS, a=bad, b=EndpointStatus(Side.B, "beta", is_reachable=False, note="No route."))
    text = text_of(print_status, status)
    for words in (
        "alpha: tml0 DOWN",
        "NOT SUPERVISED",
        "100 % lost",
        "3 times",
        "+# by hand",
        "beta: unreachable. No route.",
    ):
        assert words in text
    assert status_code(status) == 1


def test_an_unreachable_pair_is_reported_once_for_each_host() -> None:
    a, b = (EndpointStatus(side, PAIR.host(side).label, is_reachable=False, note="No route.") for side in Side)
    sentences = tuple(UNREACHABLE(host=PAIR.host(side).label) for side in Side)
    text = text_of(print_status, PairStatus("north", AT, None, None, a, b, sentences=sentences))
    assert text.splitlines() == [
        "north: it is unknown whether anything is deployed.",
        "alpha: unreachable. No route.",
        "beta: unreachable. No route.",
    ]


def test_status_fits_into_80_columns_and_breaks_between_words() -> None:
    a = replace(STATUS.a, connect_s=4.0, boot_connect_s=41.0, outages=(Outage(AT, 12.0), Outage(AT)), restarts=2)
    status = replace(STATUS, a=replace(a, rx_bytes=123456789, tx_bytes=123456789, is_watched=False))
    lines = text_of(print_status, status, 80).splitlines()
    assert max(map(len, lines)) <= 80
    whole = text_of(print_status, status).split()
    assert " ".join(lines).split() == whole


def test_status_names_the_addresses_in_the_tunnel_unless_both_sides_have_a_lan_port() -> None:
    assert "addresses in the tunnel" not in text_of(print_status, STATUS)
    alone = replace(DEPLOYMENT, a=replace(DEPLOYMENT.a, lan_port=""), b=replace(DEPLOYMENT.b, lan_port=""))
    a, b = (alone.link.inner_ip(side) for side in Side)
    text = text_of(print_status, replace(STATUS, deployment=alone))
    assert f"addresses in the tunnel: {a} on alpha, {b} on beta" in text


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (DeploymentState.APPLIED, "awaiting confirmation"),
        (DeploymentState.CONFIRMED, "active"),
        (DeploymentState.REMOVED, "removed"),
    ],
)
def test_states_have_the_same_words_in_every_command(state: DeploymentState, word: str) -> None:
    one = replace(DEPLOYMENT, state=state, confirmed_at=AT, message="")
    assert f" on {PAIR.name}: {word} (deployment " in text_of(print_deployment, one)
    assert text_of(lambda out, found: deployment_table(found).print(out), [one]).count(word) == 1
    entry = HistoryEntry(EntryKind.DEPLOYMENT, one.id, AT, "north", state.value)
    assert word in text_of(lambda out, found: history_table(found).print(out), [entry])
    if state is not DeploymentState.REMOVED:
        assert f"{word} since" in text_of(print_status, replace(STATUS, deployment=one, state=state))


def test_a_deployment_that_was_not_confirmed_is_called_rolled_back_and_not_removed() -> None:
    one = replace(DEPLOYMENT, state=DeploymentState.REMOVED, confirmed_at=None, message="")
    (entry,) = deployment_entries((one,))
    for text in (
        text_of(print_deployment, one),
        text_of(lambda out, found: deployment_table(found).print(out), [one]),
        text_of(lambda out, found: history_table(found).print(out), [entry]),
    ):
        assert "rolled back" in text
        assert "removed" not in text


def test_a_loop_between_the_lans_is_shown_and_is_not_healthy() -> None:
    status = replace(STATUS, a=replace(STATUS.a, is_looped=True, limited_broadcasts=12))
    text = text_of(print_status, status)
    assert "LANS PARTED BY A LOOP, 12 broadcasts over the limit dropped" in text
    assert status_code(STATUS) == 0
    assert status_code(status) == 1


def test_nothing_deployed_is_no_failure_where_both_hosts_say_so() -> None:
    nothing = replace(STATUS, deployment=None, state=None)
    assert "nothing is deployed" in text_of(print_status, nothing)
    assert status_code(nothing) == 0
    blind = replace(nothing, a=EndpointStatus(Side.A, "alpha", is_reachable=False))
    assert status_code(blind) == 1
    assert "it is unknown whether anything is deployed" in text_of(print_status, blind)


def test_a_dry_run_shows_every_file_command_and_undo() -> None:
    one = EndpointDryRun(
        side=Side.A,
        label="alpha",
        files=(FileDiff("/etc/tunnelmark/x", 0o600, "+port 1", is_new=True),),
        commands=(PlannedCommand("Make it", "ip link add tml0", "ip link del tml0"),),
        services=("tunnelmark-58fca5ac.service",),
        firewall=("Let only MACsec pass",),
        ports=(("udp", 22820),),
        interface="tml0",
        bridge="tmlbr0",
        lan_port="eth2",
        mtu_bytes=1500,
        largest_unfragmented_frame_bytes=1412,
    )
    obstacles = (
        DeploymentObstacle(Side.A, "Port taken.", "Free it.", is_blocking=True),
        DeploymentObstacle(None, "Slow."),
    )
    run = DryRun("north", "wireguard", "x", "WireGuard", Verdict.RECOMMENDED, (), one, one, obstacles)
    assert not run.is_possible
    text = text_of(print_dry_run, run)
    for words in (
        "Obstacle: Port taken. Free it.",
        "Warning: Slow.",
        "joined with eth2 in tmlbr0; MTU 1500",
        "+port 1",
        "$ ip link add tml0",
        "rollback: ip link del tml0",
        "udp 22820",
        "Let only MACsec pass",
        "tunnelmark-58fca5ac.service",
    ):
        assert words in text


def test_a_deployment_says_what_to_open() -> None:
    assert "open for the other host: udp 22820, esp" in text_of(print_deployment, DEPLOYMENT)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that knows two pairs and one deployment of the first; no host can be reached."""
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "400")
    closed = {side: replace(PAIR.host(side), address="127.0.0.1", port=1, user="root") for side in Side}
    south = replace(PAIR, name="south", a=closed[Side.A], b=closed[Side.B], underlay_a="192.0.2.5")
    with Store.open(find_paths().database) as store:
        store.save_pair(replace(south, name="north", underlay_a="192.0.2.1"))
        store.save_pair(south)
        store.save_deployment(replace(DEPLOYMENT, slot=slot_of(PAIR)))


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("more", ["--bridge A=eth2", "--suite aes", "--inner 10.0.0.1/24,10.0.0.2/24", "--reason x"])
def test_an_earlier_deployment_is_deployed_with_its_own_options_only(
    more: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deploy", "north", "--again", DEPLOYMENT.id, *more.split()]) == ExitCode.INVALID
    assert AGAIN_IS_UNCHANGED(pair="north") in capsys.readouterr().err


@pytest.mark.usefixtures("home")
def test_an_earlier_deployment_of_another_pair_is_not_deployed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", "south", "--again", DEPLOYMENT.id[:8]]) == ExitCode.INVALID
    reported = capsys.readouterr().err
    refusal = AGAIN_OF_OTHER_PAIR(deployment=DEPLOYMENT.id, of="north", pair="south")
    assert refusal in reported
    assert refusal.hint in reported
    # That of its own pair gets as far as the hosts, which cannot be reached.
    assert main(["deploy", "north", "--again", DEPLOYMENT.id[:8]]) not in (ExitCode.OK, ExitCode.INVALID)


def entry(host: str, number: int) -> AuditEntry:
    return AuditEntry(AT, host, Side.A, f"ip link add tml{number}", 0, "Make it", "eve on laptop", DEPLOYMENT.id)


@pytest.mark.usefixtures("home")
def test_the_whole_audit_log_is_written_in_place_of_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("app.deployment.audit_export.AUDIT_LIMIT", 2)
    with Store.open(find_paths().database) as store:
        for number in range(5):
            store.audit(entry(PAIR.a.address, number))
        store.audit(entry("elsewhere", 9))
    for ending in ("json", "csv"):
        path = tmp_path / f"audit.{ending}"
        path.write_text("old")
        assert main(["audit", "north", "--out", str(path), "--force"]) == ExitCode.OK
        text = path.read_text()
        assert [text.count(f"tml{number}") for number in (0, 1, 2, 3, 4, 9)] == [1, 1, 1, 1, 1, 0]
        assert "old" not in text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["audit.csv", "audit.json", "home"]
    capsys.readouterr()


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(("name", "form"), [("no/audit.csv", OUTPUT_FOLDER_MISSING), ("audit.txt", AUDIT_FORMAT)])
def test_an_audit_log_that_cannot_be_written_is_a_sentence_with_a_hint(
    tmp_path: Path, name: str, form: MessageForm, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "--out", str(tmp_path / name)]) == ExitCode.INVALID
    reported = capsys.readouterr().err
    assert shows(reported, form.text)
    assert shows(reported, form.hint)
    assert "Traceback" not in reported


@pytest.mark.usefixtures("home")
def test_ctrl_c_just_after_a_deployment_has_ended_tells_what_became_of_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def confirm(_services: object, _pair: PairSpec, **_more: object) -> Deployment:
        os.kill(os.getpid(), signal.SIGINT)
        return DEPLOYMENT

    monkeypatch.setattr("app.services.deployments.DeploymentService.confirm", confirm)
    assert main(["confirm", "north"]) == ExitCode.OK
    reported = capsys.readouterr()
    assert TOO_LATE in " ".join(reported.err.split())
    assert ": active (deployment" in reported.out
    assert "Cancelled." not in reported.err


def test_deploy_without_a_solution_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", "north"]) == ExitCode.INVALID
    reported = capsys.readouterr().err
    assert shows(reported, NO_SOLUTION.text)
    assert "wireguard (WireGuard with L2TPv3), " in " ".join(reported.split())


def test_a_stage_is_shown_once_however_many_steps_it_has() -> None:
    err = io.StringIO()
    display = DeploymentDisplay(CleanConsole(file=err, width=120))
    for stage, detail in (("prepare", ""), ("prepare", ""), ("verify", ""), ("verify", "on the wire"), ("verify", "")):
        display.handle(DeploymentStageStarted(DeploymentStage(stage), detail))
    assert [line.split(" s  ")[1] for line in err.getvalue().splitlines()] == [
        "preflight checks",
        "verifying tunnel",
        "verifying tunnel: on the wire",
        "verifying tunnel",
    ]
