"""A secret that one host makes and the other gets: it arrives, and nothing that is kept or shown ever has it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import IdentityRecipe, PlanRequest, SharedSecret, shell_step_argv
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.tunnel import preview
from app.tunnel.messages import SECRET_NOT_READ, SECRET_OF_HOST
from support.deploy_world import RUN_DIR, World, open_tunnel, running_world, shell_of
from support.made_up_vpn import MadeUpVpn, link_step, step
from support.message_checks import has_message, shows

PATH = f"{RUN_DIR}/shared"
MAKE = "umask 077; head -c 32 /dev/urandom | od -A n -v -t x1 | tr -d ' \\n' > \"$1\""


class SharingVpn(MadeUpVpn):
    """A makes a random secret for both; `show` is how it is printed there."""

    show = 'cat "$1"'

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        own = super().identity(request, side)
        if side is Side.B:
            return own
        make = step("Make what both share", MAKE, 'rm -f "$1"', PATH)
        secret = SharedSecret("The made-up secret", Command(shell_step_argv(self.show, PATH), is_root=True), PATH)
        return replace(own, steps=(*own.steps, make), shared=(secret,))


class LateFailure(SharingVpn):
    """Prints the secret and fails."""

    show = 'cat "$1"; cat "$1" >&2; exit 3'


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, shell_of(request)) as made:
        yield made


def files_with(world: World, text: str) -> set[str]:
    """Return the files of both hosts that hold a text."""
    found = set()
    for host in world.hosts:
        for path in host.root.rglob("*"):
            if path.is_file() and text.encode() in path.read_bytes():
                found.add(f"{host.side}:{path.relative_to(host.root)}")
    return found


def test_both_hosts_have_it_and_nothing_else_has(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    entries: list[AuditEntry] = []
    sharing = world.with_vpn(SharingVpn())
    lines: list[str] = []
    world.b.on_line = lines.append
    with open_tunnel(world, sharing, audit=entries) as tunnel:
        secret = world.a.path(PATH).read_text()
        assert len(secret) == 64
        assert world.b.path(PATH).read_text() == f"{secret}\n"
        assert (world.b.path(PATH).stat().st_mode & 0o777) == 0o600
        inside = PATH.removeprefix("/")
        assert files_with(world, secret) == {f"{side}:{inside}" for side in Side}
        log = tunnel.collect_logs(CancelToken())
        shown = [log, tunnel.negotiated, repr(tunnel.configuration), repr(tunnel.plan), repr(tunnel.warnings)]
    shown += [repr(entries), repr(preview(sharing)), caplog.text, *world.a.commands, *world.b.commands, *lines]
    assert entries
    assert any(shows(text, SECRET_OF_HOST.text) for text in shown)
    assert not any(secret in text for text in shown)
    assert files_with(world, secret) == set()


def test_host_that_does_not_hand_it_out_is_an_error_without_it(world: World) -> None:
    made: list[str] = []

    def inspect(command: Command) -> None:
        if world.a.path(PATH).exists():
            made.append(world.a.path(PATH).read_text())

    world.a.on_run = inspect
    with (
        pytest.raises(CommandFailed, check=has_message(SECRET_NOT_READ, secret="The made-up secret")) as caught,
        open_tunnel(world, world.with_vpn(LateFailure())),
    ):
        pass
    assert made
    text = "".join(traceback.format_exception(caught.value)) + repr(caught.value.context) + caught.value.sentence()
    assert not any(secret in text for secret in made)
    assert files_with(world, made[0]) == set()


def test_step_that_fails_later_does_not_show_it(world: World) -> None:
    failing = step("Fail", 'test -s "$1" && exit 4', "true", PATH)
    # On B alone: a failure of A may come first, and then B's step is not begun.
    steps = {Side.A: (link_step("tmk0"),), Side.B: (link_step("tmk0"), failing)}
    made: list[str] = []
    world.b.on_line = lambda _: made.append(world.b.path(PATH).read_text()) if world.b.path(PATH).exists() else None
    with pytest.raises(CommandFailed) as caught, open_tunnel(world, world.with_vpn(SharingVpn(steps=steps))):
        pass
    assert made
    text = "".join(traceback.format_exception(caught.value)) + repr(caught.value.context)
    assert made[0].strip() not in text
    assert files_with(world, made[0].strip()) == set()


@pytest.mark.parametrize("printed", ["", "two\nlines", "x" * 5000, "non-ascii é"])
def test_secret_that_is_no_secret_is_refused(world: World, printed: str) -> None:
    world.a.path("/printed").write_text(printed)

    class Printing(SharingVpn):
        show = f"cat {world.a.path('/printed')}"

    with pytest.raises(CommandFailed), open_tunnel(world, world.with_vpn(Printing())):
        pass
