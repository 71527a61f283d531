"""OpenVPN of two ages on real gateways: each refuses strangers in its own way; every kind of cipher is as computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import DeadlineExceeded
from app.domain.hosts import HostFacts, Side
from app.domain.solutions import CensusOption, Suite
from support.bare_tunnel import BareTunnel, build, new_tunnel, ping
from support.lab_pairs import MIXED, LabPair, LabPairs, Platforms, each_pair
from support.made_up_capture import captured
from support.tunnel_checks import by_its_steps
from support.waiting import PATIENCE_S, wait_until
from vpn_adapters.openvpn import udp_adapter
from vpn_adapters.openvpn.overhead import Overhead

NAME = udp_adapter.info.name
NEWER_TLS = {"tls-1.3", "tls-group:X25519", "tls-group:X25519MLKEM768"}
FRAMES = 20
SIZES = 243, 1000


def default(facts: tuple[HostFacts, HostFacts]) -> Suite:
    return next(suite for suite in udp_adapter.suites(*facts) if suite.is_default)


@pytest.fixture(scope="module")
def mixed_pair(lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.get(*MIXED)


@pytest.fixture
def mixed(mixed_pair: LabPair) -> Iterator[BareTunnel]:
    """Give a tunnel between OpenVPN 2.5 and 2.6 of which nothing is made, and take it away."""
    pair = mixed_pair
    tunnel = new_tunnel(pair.sessions, udp_adapter, default(pair.facts), pair.facts, pair.link)
    yield tunnel
    tunnel.undo()


@pytest.mark.parametrize("who", list(Side), ids=["authority-of-2.5", "fingerprint-of-2.6"])
def test_each_version_refuses_a_stranger(mixed: BareTunnel, who: Side) -> None:
    mixed.make_keys()
    request = mixed.request
    stranger = request.identity(who)  # any certificate but the peer's
    wrong = {"identity_b": stranger} if who is Side.A else {"identity_a": stranger}
    mixed.request = replace(request, **wrong)
    mixed.apply()
    with pytest.raises(DeadlineExceeded):
        mixed.wait_until_up(timeout_s=4)
    # It was asked, and it is that end which refused.
    words = "VERIFY ERROR" if who is Side.A else "TLS handshake failed|TLS Error"
    wait_until(lambda: any(word in mixed.logs() for word in words.split("|")), words)
    assert ping(mixed.sessions.a, mixed.plan.probe_address_b, wait_s=1) == 0


def test_tls_1_2_where_one_host_has_no_newer(mixed: BareTunnel) -> None:
    older, newer = mixed.request.facts_a, mixed.request.facts_b
    support = older.solutions[NAME]
    lacking = replace(support, features=tuple(one for one in support.features if one not in NEWER_TLS))
    older = replace(older, solutions={**older.solutions, NAME: lacking})
    mixed.request = replace(mixed.request, facts_a=older, suite=default((older, newer)))
    assert {"TLS-1.2", "P-384"} <= set(mixed.request.suite.algorithms)
    build(mixed)
    for side in Side:
        negotiated = mixed.plan.on(side).negotiated
        assert negotiated
        assert mixed.holds(side, negotiated), mixed.logs()
    assert ping(mixed.sessions.a, mixed.plan.probe_address_b) >= 10


@pytest.fixture(scope="module", params=each_pair(Platforms(MIXED)))
def pair(request: pytest.FixtureRequest, lab_pairs: LabPairs) -> LabPair:
    return lab_pairs.of(request.param)


def test_every_kind_of_cipher_is_switched_to_used_and_costs_what_theory_says(pair: LabPair) -> None:
    options = {option.suite.name: option for option in udp_adapter.census(*pair.facts)}
    with by_its_steps(pair, udp_adapter) as tunnel:
        for name in ("cipher-bf-cbc", "cipher-aes-256-cfb", "cipher-none"):
            see_switched(tunnel, options[name])


def see_switched(tunnel: BareTunnel, option: CensusOption) -> None:
    switch(tunnel, option.suite)
    tunnel.wait_until_up(timeout_s=PATIENCE_S)
    for side in Side:
        negotiated = tunnel.plan.on(side).negotiated
        assert negotiated
        assert tunnel.holds(side, negotiated), (option.name, tunnel.logs())
    seen = captured(tunnel.sessions.a, tunnel.request.link.underlay_b, lambda: send(tunnel))
    assert (seen.canaries > 0) == option.is_unprotected, option.name
    for size in SIZES:
        expected = size + overhead_bytes(tunnel, size)
        assert seen.lengths.count(expected) >= FRAMES - 2, (option.name, size, expected, sorted(seen.lengths))


def switch(tunnel: BareTunnel, suite: Suite) -> None:
    """Undo and do again what depends on the suite, and nothing else."""

    def run(side: Side, commands: list[Command]) -> None:
        for result in tunnel.session(side).run_batch(commands, token=CancelToken(), should_stop_at_failure=True):
            assert result.is_ok, (side, result.stdout, result.stderr)

    def again(side: Side) -> None:
        end = tunnel.plan.on(side)
        steps = [step for step in end.steps if step.depends_on_suite]
        run(side, [step.undo for step in steps if step.undo])
        tunnel.session(side).write_files(end.files, token=CancelToken())
        run(side, [step.command for step in steps])

    tunnel.request = replace(tunnel.request, suite=suite)
    tunnel.both(again)


def send(tunnel: BareTunnel) -> None:
    for size in SIZES:
        address = tunnel.plan.probe_address_b
        assert ping(tunnel.sessions.a, address, frame_bytes=size, count=FRAMES, mark=True) >= FRAMES


def overhead_bytes(tunnel: BareTunnel, frame_bytes: int) -> int:
    settings = tunnel.request.suite.settings
    found = Overhead(udp_adapter.info.carrier, settings["data-ciphers"], settings["auth"]).bytes_at(frame_bytes)
    assert found is not None
    return found
