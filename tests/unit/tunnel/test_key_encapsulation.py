"""A secret that both hosts derive: only public values pass through this process, and no trace is left."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import EncapsulatedSecret, IdentityRecipe, PlanRequest, PublicIdentity, shell_step_argv
from app.domain.audit import AuditEntry
from app.domain.commands import Command, CommandResult
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.tunnel import preview
from app.tunnel.messages import COMMAND_WITH_INPUT, NOT_DERIVED, PUBLIC_INPUT
from app.wording.messages import local_text
from support.deploy_world import RUN_DIR, World, open_tunnel, running_world, shell_of
from support.made_up_vpn import MadeUpVpn, step
from support.message_checks import has_message
from support.pseudo_language import LiteralBrackets, brackets

PATH, KEY = f"{RUN_DIR}/derived", f"{RUN_DIR}/one-time-key"
PUBLIC = "public-part"
# Each bit of "private" undoes what the public part did: enough to see who got what.
ENCAPSULATE = """umask 077; read -r public || exit 1
secret=$(head -c 16 /dev/urandom | od -A n -v -t x1 | tr -d ' \\n')
echo "$secret" > "$1"; echo "$secret" | tr 0-9a-f f0-9a-e"""
DECAPSULATE = """umask 077; read -r text && test -s "$2" || exit 1
echo "$text" | tr f0-9a-e 0-9a-f > "$1"; rm "$2\""""


class DerivingVpn(MadeUpVpn):
    """A has a one-time key, for which B encapsulates a secret."""

    encapsulate = ENCAPSULATE
    decapsulate = DECAPSULATE

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        own = super().identity(request, side)
        if side is Side.B:
            return own
        make = step("Make a one-time key", 'umask 077; echo private > "$1"', 'rm -f "$1"', KEY)
        secret = EncapsulatedSecret(
            "The derived secret",
            PUBLIC,
            Command(shell_step_argv(self.encapsulate, PATH), is_root=True),
            Command(shell_step_argv(self.decapsulate, PATH, KEY), is_root=True),
        )
        return replace(own, steps=(*own.steps, make), encapsulated=(secret,))

    def parse_identity(self, outputs: dict[str, CommandResult]) -> PublicIdentity:  # type: ignore[override]
        found = super().parse_identity(outputs)
        return replace(found, values={**found.values, PUBLIC: "the one-time public key\n"})


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with running_world(tmp_path, shell_of(request)) as made:
        yield made


def test_both_hosts_have_it_and_nothing_else_has(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    entries: list[AuditEntry] = []
    deriving = world.with_vpn(DerivingVpn())
    with open_tunnel(world, deriving, audit=entries) as tunnel:
        secret = world.a.path(PATH).read_text().strip()
        assert len(secret) == 32
        assert world.b.path(PATH).read_text().strip() == secret
        assert not world.a.path(KEY).exists()
        shown = [tunnel.negotiated, repr(tunnel.configuration), repr(tunnel.plan)]
    shown += [repr(entries), repr(preview(deriving)), caplog.text, *world.a.commands, *world.b.commands]
    assert not any(secret in text for text in shown)
    assert [one.side for one in entries if one.what == "The derived secret"] == [Side.B, Side.A]
    has_input = has_message(COMMAND_WITH_INPUT, input=PUBLIC_INPUT())
    lines = [one.text for one in preview(deriving) if has_input(one.text)]
    assert len(lines) == 2, "the preview names it"
    with brackets(LiteralBrackets):
        assert {local_text(PUBLIC_INPUT()) in local_text(line) for line in lines} == {True}
    assert not world.a.path(PATH).exists()
    assert not world.b.path(PATH).exists()


@pytest.mark.parametrize(
    ("part", "script", "label"),
    [
        ("encapsulate", 'echo half > "$1"; exit 3', "gateway-b"),
        ("encapsulate", "cat > /dev/null", "gateway-b"),
        ("encapsulate", "printf 'two\\nlines\\n'", "gateway-b"),
        ("decapsulate", "exit 3", "gateway-a"),
    ],
)
def test_host_that_cannot_derive_it_ends_the_work_without_a_trace(
    world: World, part: str, script: str, label: str
) -> None:
    vpn = DerivingVpn()
    setattr(vpn, part, script)
    with (
        pytest.raises(CommandFailed, check=has_message(NOT_DERIVED, host=label, secret="The derived secret")),
        open_tunnel(world, world.with_vpn(vpn)),
    ):
        pass
    for host in world.hosts:
        assert not host.path(PATH).exists()
        assert not host.path(KEY).exists()
