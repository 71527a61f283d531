"""A tunnel that is built, runs and is undone, and what keeps it from being built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import IdentityRecipe, PlanRequest, PublicIdentity, UpCheck, shell_step_argv
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, FileToWrite
from app.domain.errors import (
    Bug,
    CommandFailed,
    DiskFull,
    HostUnreachable,
    PreflightRefused,
    TunnelDown,
)
from app.domain.events import Stage
from app.domain.hosts import Side
from app.domain.link import STATE_DIR
from app.tunnel import ActiveTunnel
from app.tunnel.messages import (
    DISARM_AND_RELEASE,
    FILE_PRESENT,
    FRAMES_NOT_CROSSING,
    INTERFACE_PRESENT,
    KEY_UNREAD,
    LOCK_AND_ARM,
    MAKE_RUN_DIR,
    NO_SPACE_FOR_STEP,
    OTHER_THAN_REQUESTED,
    STEP_FAILED,
    UNDO_OF,
    UNDO_WITH_STDIN,
    UP_TOO_LATE,
    WRITE_FILE,
)
from support.deploy_world import RUN_DIR, World, assert_untouched, open_tunnel, running_world, shell_of
from support.made_up_vpn import MADE_DIR, MadeUpVpn, link_step, step
from support.message_checks import has_message
from support.tunnel_state import still_up


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, shell_of(request)) as made:
        yield made


def test_tunnel_is_up_and_is_undone(world: World) -> None:
    stages: list[tuple[Stage, str]] = []
    with open_tunnel(world, on_stage=lambda stage, detail: stages.append((stage, detail))) as tunnel:
        assert isinstance(tunnel, ActiveTunnel)
        assert world.a.links == world.b.links == {"eth1", "tmk0"}
        assert world.a.path(f"{RUN_DIR}/config").read_text() == "peer public-b\n"
        assert world.b.path(f"{RUN_DIR}/config").read_text() == "peer public-a\n"
        assert (world.a.state_dir.stat().st_mode & 0o777) == 0o700
        assert still_up(tunnel)
        assert "begins" in tunnel.collect_logs(CancelToken())
        assert tunnel.setup_s > 0
        assert tunnel.cleanup_s == 0
    assert tunnel.cleanup_s > 0
    assert tunnel.differences == ()
    assert_untouched(world)
    order = list(dict.fromkeys(stage for stage, _ in stages))
    assert order == [Stage.PREFLIGHT, Stage.ARM, Stage.IDENTITY, Stage.APPLY, Stage.VERIFY, Stage.CLEANUP]


class _InspectsFirst(MadeUpVpn):
    """Checks for the running rollback timer in the step that makes the first change, and fails without it."""

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        recipe = super().identity(request, side)
        inspect = (
            'read -r watcher bond < "$1/watcher" && kill -0 "${watcher%%:*}" && test -n "$bond" && test -s "$1/undo.sh"'
        )
        return replace(recipe, steps=(step("Look", inspect, None, STATE_DIR), *recipe.steps))


def test_nothing_changes_before_the_timer_runs(world: World) -> None:
    with open_tunnel(world, world.with_vpn(_InspectsFirst())) as tunnel:
        assert still_up(tunnel)


def test_every_change_and_its_undo_is_audited(world: World) -> None:
    entries: list[AuditEntry] = []
    with open_tunnel(world, audit=entries):
        pass
    on_a = [entry for entry in entries if entry.side is Side.A]
    # On a busy computer the daemon may not have written its number when it is to be stopped: it is ended, and
    # everything undone once more.
    assert list(dict.fromkeys(entry.what for entry in on_a)) == [
        LOCK_AND_ARM(),
        MAKE_RUN_DIR(),
        "Make a key",
        WRITE_FILE(path=f"{RUN_DIR}/config"),
        "Make tmk0",
        "Start the daemon",
        *(UNDO_OF(title=one) for one in ("Start the daemon", "Make tmk0", "Make a key", MAKE_RUN_DIR())),
        DISARM_AND_RELEASE(),
    ]
    assert {entry.exit_status for entry in on_a} == {0}
    assert on_a[4].command == "ip link add tmk0"
    assert on_a[7].command == "ip link del tmk0"
    assert not any("secret of a\n" in entry.command for entry in entries)


def test_step_that_fails_on_one_host_undoes_both(world: World) -> None:
    vpn = MadeUpVpn(
        steps={
            Side.A: (link_step("tmk0"),),
            Side.B: (link_step("tmk0"), step("Fail", "echo went wrong; exit 7", "true")),
        }
    )
    with (
        pytest.raises(
            CommandFailed, check=has_message(STEP_FAILED, host="gateway-b", status="7", step="Fail")
        ) as caught,
        open_tunnel(world, world.with_vpn(vpn)),
    ):
        pytest.fail("it must not stand")
    assert "went wrong" in caught.value.context["output"]
    assert_untouched(world)


class Mute(MadeUpVpn):
    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        raise CommandFailed("The host printed no public key.")


def test_key_that_cannot_be_read_is_reported_with_its_host(world: World) -> None:
    with (
        pytest.raises(CommandFailed, check=has_message(KEY_UNREAD, host="gateway-a")) as caught,
        open_tunnel(world, world.with_vpn(Mute())),
    ):
        pytest.fail("it must not be up")
    assert caught.value.context["host"] == "gateway-a"
    assert_untouched(world)


def test_undo_of_a_failing_step_runs_because_it_may_have_done_half(world: World) -> None:
    half = step("Half", "ip link add half; exit 1", "ip link del half")
    with pytest.raises(CommandFailed), open_tunnel(world, world.with_vpn(MadeUpVpn(steps={Side.A: (half,)}))):
        pass
    assert_untouched(world)


def test_step_is_tried_again_where_it_may(world: World) -> None:
    path = f"{RUN_DIR}/tries"
    late = step("Late", 'echo x >> "$1"; test "$(wc -l < "$1")" -ge 3', "true", path, retry_s=20)
    with open_tunnel(world, world.with_vpn(MadeUpVpn(steps={Side.A: (late, link_step("tmk0"))}))):
        assert world.a.path(path).read_text() == "x\n" * 3
    assert_untouched(world)


def test_secret_on_stdin_reaches_the_step_and_no_file_remains(world: World) -> None:
    made = step("Keep a secret", 'umask 077; cat > "$1"', 'rm -f "$1"', f"{RUN_DIR}/psk")
    secret = replace(made, command=replace(made.command, stdin=b"pre-shared"))
    entries: list[AuditEntry] = []
    with open_tunnel(
        world, world.with_vpn(MadeUpVpn(steps={Side.A: (secret, link_step("tmk0"))})), audit=entries
    ) as tunnel:
        assert world.a.path(f"{RUN_DIR}/psk").read_text() == "pre-shared"
        assert not list(world.a.path(RUN_DIR).glob(".stdin*"))
        assert not any("pre-shared" in item.text for item in tunnel.configuration)
    assert not any("pre-shared" in entry.command for entry in entries)


def test_an_undo_with_stdin_is_a_fault_that_names_its_host(world: World) -> None:
    made = step("Keep a secret", ":", ":")
    assert made.undo is not None
    wrong = replace(made, undo=replace(made.undo, stdin=b"secret"))
    adapter = MadeUpVpn(steps={Side.B: (wrong, link_step("tmk0"))})
    expected = has_message(UNDO_WITH_STDIN, host="gateway-b", step="Keep a secret")
    with pytest.raises(Bug, check=expected), open_tunnel(world, world.with_vpn(adapter)):
        pass
    assert_untouched(world)


def test_file_outside_the_folder_goes_again(world: World) -> None:
    world.a.path(MADE_DIR).mkdir()
    file = FileToWrite(f"{MADE_DIR}/x.conf", b"it's \x00 bytes\n", 0o640)
    with open_tunnel(world, world.with_vpn(MadeUpVpn(files={Side.A: (file,)}))):
        made = world.a.path(file.path)
        assert made.read_bytes() == file.content
        assert made.stat().st_mode & 0o777 == 0o640
    assert not made.exists()
    world.a.path(MADE_DIR).rmdir()
    assert_untouched(world)


def test_file_that_is_there_already_is_refused_and_left(world: World) -> None:
    world.a.path(MADE_DIR).mkdir()
    there = world.a.path(f"{MADE_DIR}/x.conf")
    there.write_text("mine")
    vpn = MadeUpVpn(files={Side.A: (FileToWrite(f"{MADE_DIR}/x.conf", b"new"),)})
    with (
        pytest.raises(PreflightRefused, check=has_message(FILE_PRESENT, path=f"{MADE_DIR}/x.conf")),
        open_tunnel(world, world.with_vpn(vpn)),
    ):
        pass
    assert there.read_text() == "mine"
    assert not world.a.state_dir.exists()


def test_interface_that_is_there_already_is_refused_and_left(world: World) -> None:
    (world.b.net / "links" / "tmk0").touch()
    with (
        pytest.raises(PreflightRefused, check=has_message(INTERFACE_PRESENT, host="gateway-b", interface="tmk0")),
        open_tunnel(world),
    ):
        pass
    assert world.b.links == {"eth1", "tmk0"}
    assert not world.a.state_dir.exists()


def test_tunnel_that_never_comes_up_says_what_was_not_seen(world: World) -> None:
    never = UpCheck("the moon is blue", Command(("false",), is_root=True))
    vpn = MadeUpVpn(up_checks=(never,), up_timeout_s=1)
    with (
        pytest.raises(TunnelDown, check=has_message(UP_TOO_LATE, check="the moon is blue", seconds=1)) as caught,
        open_tunnel(world, world.with_vpn(vpn)),
    ):
        pass
    assert "begins" in caught.value.context["log"]
    assert_untouched(world)


def test_check_is_asked_until_its_output_matches(world: World) -> None:
    script = 'echo x >> "$1"; echo "tries $(wc -l < "$1")"'
    check = UpCheck("three tries", Command(shell_step_argv(script, f"{RUN_DIR}/n"), is_root=True), r"tries\s+[3-9]\b")
    with open_tunnel(world, world.with_vpn(MadeUpVpn(up_checks=(check,), up_timeout_s=60))):
        assert len(world.a.path(f"{RUN_DIR}/n").read_text()) >= 6
    assert_untouched(world)


def test_frames_that_do_not_cross_fail_it(world: World) -> None:
    # The inspection before it must find the underlay alive; the far end falls silent afterwards.
    deaf = step("Fall silent", ': > "$1"', 'rm -f "$1"', str(world.a.net / "deaf"))
    vpn = MadeUpVpn(steps={Side.A: (deaf, link_step("tmk0"))}, up_timeout_s=1)
    with pytest.raises(TunnelDown, check=has_message(FRAMES_NOT_CROSSING)), open_tunnel(world, world.with_vpn(vpn)):
        pass
    assert_untouched(world)


def test_negotiated_suite_is_reported(world: World) -> None:
    reported = UpCheck("the cipher", Command(("echo", "Cipher: strong"), is_root=True), "Cipher: (?=strong)")
    with open_tunnel(world, world.with_vpn(MadeUpVpn(negotiated=reported))) as tunnel:
        assert tunnel.negotiated == "gateway-a: Cipher: strong\ngateway-b: Cipher: strong"


def test_other_suite_than_asked_for_fails_it(world: World) -> None:
    reported = UpCheck("the cipher", Command(("echo", "Cipher: weak"), is_root=True), "Cipher: (?=strong)")
    with (
        pytest.raises(TunnelDown, check=has_message(OTHER_THAN_REQUESTED, check="the cipher")),
        open_tunnel(world, world.with_vpn(MadeUpVpn(negotiated=reported))),
    ):
        pass
    assert_untouched(world)


def test_host_that_lets_no_one_in_anew_fails_it(world: World) -> None:
    world.b.can_connect_anew = False
    with pytest.raises(HostUnreachable, match="gateway-b"), open_tunnel(world):
        pass
    assert_untouched(world)


def test_baseline_changes_nothing_but_the_lock(world: World) -> None:
    vpn = MadeUpVpn(interface="", has_identity=False)
    with open_tunnel(world, world.with_vpn(vpn)) as tunnel:
        assert world.a.links == {"eth1"}
        assert world.a.state_dir.is_dir()
        assert tunnel.configuration == ()
        assert still_up(tunnel)
    assert_untouched(world)


def test_full_disk_is_reported_and_leaves_nothing(world: World) -> None:
    full = step("Fill", 'echo "cp: No space left on device" >&2; exit 1', "true")
    with (
        pytest.raises(DiskFull, check=has_message(NO_SPACE_FOR_STEP, host="gateway-a", step="Fill")),
        open_tunnel(world, world.with_vpn(MadeUpVpn(steps={Side.A: (full,)}))),
    ):
        pass
    assert_untouched(world)


def test_hostile_title_remains_a_comment_in_the_journal(world: World) -> None:
    nasty = replace(link_step("tmk0"), title="Make it\nrm -rf /nowhere; $(touch x) `y` 'z'")
    with open_tunnel(world, world.with_vpn(MadeUpVpn(steps={Side.A: (nasty,)}))):
        text = next((world.a.state_dir / "journal").glob("0200")).read_text()
        assert text == "# Make it rm -rf /nowhere; $(touch x) `y` 'z'\nlimited 30 ip link del tmk0\n# end\n"
    assert_untouched(world)


WORDS = ("a b", "it's", '"$HOME"', "`id`", "$(id)", "\\", "*", "", "ä\u2028", "-n", "a\nb")


def test_every_word_of_a_step_arrives_as_it_is(world: World) -> None:
    folder = world.a.root / "words"
    folder.mkdir()
    steps = [
        step("Keep", 'printf %s "$2" > "$1"', 'printf %s "$2" > "$1.undone"', str(folder / str(number)), word)
        for number, word in enumerate(WORDS)
    ]
    with open_tunnel(world, world.with_vpn(MadeUpVpn(steps={Side.A: (*steps, link_step("tmk0"))}))):
        assert [(folder / str(number)).read_text() for number in range(len(WORDS))] == list(WORDS)
    assert [(folder / f"{number}.undone").read_text() for number in range(len(WORDS))] == list(WORDS)
    assert_untouched(world)
