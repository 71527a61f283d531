from __future__ import annotations

import pytest

from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.linting import MASK
from support.adapter_cases import WIREGUARD_KEYS, facts, recorded, request, result
from support.message_checks import has_message
from vpn_adapters.shared import l2tpv3
from vpn_adapters.shared.messages import A_PUBLIC_KEY, CHECK_COMMANDS
from vpn_adapters.shared.wireguard import identity
from vpn_adapters.wireguard import INSIDE, adapter
from vpn_adapters.wireguard.config_reader import read


def test_discovery_of_debian_13() -> None:
    support = adapter.parse_discovery(recorded("debian-13")["wireguard"])
    assert support.is_available
    assert support.version == "1.0.20210914"


@pytest.mark.parametrize(
    ("question", "whats"),
    [
        ("wg", ["wireguard-tools"]),
        ("ip", ["iproute2"]),
        ("modules", ["kernel module wireguard", "kernel module l2tp_ip", "kernel module l2tp_eth"]),
    ],
)
def test_discovery_names_what_is_missing(question: str, whats: list[str]) -> None:
    answers = {**recorded("debian-13")["wireguard"], question: result(stderr="not found", exit_status=127)}
    support = adapter.parse_discovery(answers)
    assert not support.is_available
    assert [part.what for part in support.missing] == whats


def test_busyboxs_ip_does_not_count() -> None:
    answers = {**recorded("debian-13")["wireguard"], "ip": result(stderr="BusyBox v1.36.1 multi-call binary.")}
    assert [part.what for part in adapter.parse_discovery(answers).missing] == ["iproute2"]


def test_missing_modules_among_present_ones() -> None:
    answers = dict(recorded("debian-13")["wireguard"])
    answers["modules"] = result("wireguard built-in\nl2tp_ip loadable\nl2tp_eth missing\n")
    assert [part.what for part in adapter.parse_discovery(answers).missing] == ["kernel module l2tp_eth"]


@pytest.mark.parametrize("text", ["", "short", "A" * 44, "!" * 43 + "=", "QUFB" * 20])
def test_identity_must_be_32_bytes_in_base64(text: str) -> None:
    with pytest.raises(CommandFailed, check=has_message(A_PUBLIC_KEY, kind="WireGuard")) as caught:
        identity.parse({"public-key": result(text)})
    assert has_message(CHECK_COMMANDS, commands=("`wg genkey`", "`wg pubkey`"))(caught.value)
    assert not text or text not in str(caught.value.__dict__)


def test_identity_is_the_public_key() -> None:
    found = identity.parse({"public-key": result(WIREGUARD_KEYS[Side.A] + "\n")})
    assert found.values == {"public-key": WIREGUARD_KEYS[Side.A]}


def test_carrier_mtu_holds_a_whole_lan_frame_in_one_packet() -> None:
    link = Link("192.0.2.1", "192.0.2.2")
    assert INSIDE.mtu_bytes(link) == 1568
    assert INSIDE.mtu_bytes(link) >= l2tpv3.packet_bytes(1518)


@pytest.mark.parametrize(("frame_bytes", "overhead"), [(234, 112), (992, 122)])
def test_overhead_as_measured(frame_bytes: int, overhead: int) -> None:
    # Measured without a cookie, with frames that are 8 bytes longer: 242 → 346 and 1000 → 1114 bytes.
    assert INSIDE.overhead_bytes(frame_bytes) == overhead


def test_largest_unfragmented_frame_is_the_largest() -> None:
    largest = INSIDE.largest_frame_bytes(1500)
    sizes = [frame + INSIDE.overhead_bytes(frame) for frame in (largest, largest + 1)]
    assert sizes[0] <= 1514 < sizes[1]


def test_guard_comes_first_and_goes_last() -> None:
    made = adapter.plan(request(adapter, adapter.suites(facts(), facts())[0]))
    for side in Side:
        table, route, device, session = made.on(side).steps
        assert "create table inet" in table.command.argv[2]
        assert route.command.argv[:4] == ("ip", "route", "add", "unreachable")
        assert "type wireguard" in device.command.argv[2]
        assert "l2tp add session" in session.command.argv[2]


def test_cookies_come_of_both_keys_in_the_same_order_at_both_hosts() -> None:
    made = adapter.plan(request(adapter, adapter.suites(facts(), facts())[0]))
    for side in Side:
        assert made.on(side).steps[-1].command.argv[-3:] == (side, WIREGUARD_KEYS[Side.A], WIREGUARD_KEYS[Side.B])


def test_each_end_is_reported_the_others_key() -> None:
    made = adapter.plan(request(adapter, adapter.suites(facts(), facts())[0]))
    for side in Side:
        words = made.on(side).steps[2].command.argv
        assert WIREGUARD_KEYS[side.other] in words
        assert WIREGUARD_KEYS[side] not in words


def test_reader_masks_secrets() -> None:
    text = (
        "[Interface]\nPrivateKey = SECRET=\nAddress=10.0.0.1/24 # home\n"
        "\n[Peer]\nPublicKey = PUBLIC=\npresharedkey=SECRET\n#x\nnonsense\n= novalue\n"
    )
    found = [(one.line, one.name, one.value) for one in read(text).settings]
    assert found == [
        (1, "[Interface]", ""),
        (2, "PrivateKey", MASK),
        (3, "Address", "10.0.0.1/24"),
        (5, "[Peer]", ""),
        (6, "PublicKey", "PUBLIC="),
        (7, "presharedkey", MASK),
        (9, f"{MASK} (no value)", MASK),
        (10, f"{MASK} (no value)", MASK),
    ]
