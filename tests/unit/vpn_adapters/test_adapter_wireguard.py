from __future__ import annotations

import itertools
import os
import re
import subprocess
from pathlib import Path

import pytest

from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.linting import MASK
from app.domain.script_files import adapter_script
from app.domain.verdicts import PostQuantum
from app.policy import post_quantum
from support.adapter_cases import WIREGUARD_KEYS, facts, recorded, request, result
from support.message_checks import has_message
from vpn_adapters.shared import l2tpv3, public_keys
from vpn_adapters.shared.key_encapsulation import KEM_KEY
from vpn_adapters.shared.messages import A_PUBLIC_KEY, CHECK_COMMANDS, KERNEL_MODULE_PART
from vpn_adapters.shared.wireguard import identity
from vpn_adapters.shared.wireguard.protocol import HYBRID_SUITE, SUITE
from vpn_adapters.wireguard import INSIDE, adapter
from vpn_adapters.wireguard.config_reader import read


def kem_key(*, head: str = "308204b2300b0609608648016503040402038204a100", size: int = 1184) -> str:
    """Return PEM around zeros. Source: `openssl pkey -pubout` of OpenSSL 3.5."""
    return public_keys.pem(public_keys.PUBLIC_KEY, bytes.fromhex(head) + bytes(size)) + "\n"


def test_discovery_of_debian_13() -> None:
    support = adapter.parse_discovery(recorded("debian-13")["wireguard"])
    assert support.is_available
    assert support.version == "1.0.20210914"


def test_hybrid_suite_is_the_default_where_both_hosts_have_the_key_exchange() -> None:
    new, old = facts(), facts("debian-11")
    assert [one.name for one in adapter.suites(new, new)] == [HYBRID_SUITE.name, SUITE.name]
    assert post_quantum(adapter.suites(new, new)[0], adapter.info) is PostQuantum.STORED
    for hosts in ((new, old), (old, new), (old, old)):
        assert [(one.name, one.is_default) for one in adapter.suites(*hosts)] == [(SUITE.name, True)]
    assert post_quantum(SUITE, adapter.info) is PostQuantum.NONE


@pytest.mark.parametrize(
    "text", ["", "{ 1.3.101.110, X25519 } @ default", "  mlkem768 @ oqsprovider", "  ML-KEM-768 @ oqsprovider"]
)
def test_another_providers_key_exchange_does_not_count(text: str) -> None:
    answers = {**recorded("debian-13")["wireguard"], "kem": result(text)}
    support = adapter.parse_discovery(answers)
    assert support.is_available
    assert support.features == ()


@pytest.mark.parametrize(
    ("question", "whats"),
    [
        ("wg", ["wireguard-tools"]),
        ("ip", ["iproute2"]),
        ("modules", [KERNEL_MODULE_PART(module=one) for one in ("wireguard", "l2tp_ip", "l2tp_eth")]),
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
    assert [part.what for part in adapter.parse_discovery(answers).missing] == [KERNEL_MODULE_PART(module="l2tp_eth")]


@pytest.mark.parametrize("text", ["", "short", "A" * 44, "!" * 43 + "=", "QUFB" * 20])
def test_identity_must_be_32_bytes_in_base64(text: str) -> None:
    with pytest.raises(CommandFailed, check=has_message(A_PUBLIC_KEY, kind="WireGuard")) as caught:
        identity.parse({"public-key": result(text)})
    assert has_message(CHECK_COMMANDS, commands=("`wg genkey`", "`wg pubkey`"))(caught.value)
    assert not text or text not in str(caught.value.__dict__)


def test_identity_is_the_public_key() -> None:
    found = identity.parse({"public-key": result(WIREGUARD_KEYS[Side.A] + "\n")})
    assert found.values == {"public-key": WIREGUARD_KEYS[Side.A]}


def test_only_a_makes_a_key_for_the_exchange_and_only_for_the_hybrid_suite() -> None:
    for suite, side in itertools.product((HYBRID_SUITE, SUITE), Side):
        recipe = adapter.identity(request(adapter, suite), side)
        is_owner = suite is HYBRID_SUITE and side is Side.A
        assert len(recipe.encapsulated) == is_owner
        assert (KEM_KEY in recipe.public) == is_owner
        assert recipe.shared == (), "nothing secret passes through this process"


def test_public_key_of_the_exchange_is_kept_as_it_is() -> None:
    found = identity.parse({"public-key": result(WIREGUARD_KEYS[Side.A]), KEM_KEY: result(kem_key())})
    assert found.values[KEM_KEY] == kem_key()


@pytest.mark.parametrize("text", ["", kem_key(size=1183), kem_key(head="308204b2300b0609608648016503040403038204a100")])
def test_another_key_than_ml_kem_768_is_refused(text: str) -> None:
    with pytest.raises(CommandFailed, check=has_message(A_PUBLIC_KEY, kind="ML-KEM-768")):
        identity.parse({"public-key": result(WIREGUARD_KEYS[Side.A]), KEM_KEY: result(text)})


def test_pre_shared_key_is_in_use_before_it_counts_as_negotiated() -> None:
    link = Link("192.0.2.1", "192.0.2.2")
    shown = "peer: KEY\n  preshared key: (hidden)\n  endpoint: 192.0.2.2:1\n  latest handshake: 2 seconds ago\n"
    for suite, is_hybrid in ((HYBRID_SUITE, True), (SUITE, False)):
        for side in Side:
            end = adapter.plan(request(adapter, suite)).on(side)
            assert (identity.psk_path(link) in end.steps[2].command.argv) == is_hybrid
            assert end.negotiated is not None
            assert re.search(end.negotiated.stdout_pattern, shown)
            without = shown.replace("  preshared key: (hidden)\n", "")
            assert (re.search(end.negotiated.stdout_pattern, without) is None) == is_hybrid


@pytest.mark.parametrize("shell", ["dash", "busybox sh"])
@pytest.mark.parametrize(("content", "is_made"), [("A" * 43 + "=\n", True), ("", False), ("A" * 43 + "=", False)])
def test_interface_is_not_made_with_half_a_pre_shared_key(
    shell: str, content: str, *, is_made: bool, tmp_path: Path
) -> None:
    (tmp_path / "psk").write_text(content)
    for name in ("ip", "wg", "modprobe"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@" >> "{tmp_path}/calls"\n')
        (tmp_path / name).chmod(0o755)
    words = ["wg7", "1", "key", "PEER", "10.0.0.2", "192.0.2.2", "5", "10.0.0.1", "1568", f"{tmp_path}/psk"]
    argv = [*shell.split(), "-c", adapter_script("shared/wireguard", "create.sh"), "tunnelmark", *words]
    ran = subprocess.run(argv, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, check=False)
    assert (ran.returncode == 0) == is_made
    calls = (tmp_path / "calls").read_text() if is_made else ""
    assert (f" peer PEER preshared-key {tmp_path}/psk allowed-ips " in calls) == is_made
    assert (tmp_path / "calls").exists() == is_made


@pytest.mark.parametrize("shell", ["dash", "busybox sh"])
@pytest.mark.parametrize(
    ("side", "ping", "waits"),
    [
        (Side.A, "rtt 64 bytes: icmp_seq=1 ttl=64 time=503 ms", False),
        (Side.B, "rtt 64 bytes: icmp_seq=1 ttl=64 time=503 ms", True),
        (Side.B, "rtt 64 bytes: seq=0 ttl=64 time=49.913 ms", False),
        (Side.B, "", False),
    ],
)
def test_b_leaves_the_first_handshake_to_a_host_far_away(
    shell: str, side: Side, ping: str, *, waits: bool, tmp_path: Path
) -> None:
    for name in ("ip", "modprobe", "sleep"):
        (tmp_path / name).write_text("#!/bin/sh\n")
    (tmp_path / "ping").write_text(f'#!/bin/sh\necho "{ping}"\n')
    (tmp_path / "wg").write_text(f'#!/bin/sh\necho "$*" >> "{tmp_path}/calls"\n[ "$1" = set ] || echo "KEY\t0"\n')
    for name in ("ip", "modprobe", "sleep", "ping", "wg"):
        (tmp_path / name).chmod(0o755)
    words = adapter.plan(request(adapter, SUITE)).on(side).steps[2].command.argv[4:]
    script = adapter_script("shared/wireguard", "create.sh")
    argv = [*shell.split(), "-c", script, "tunnelmark", *words]
    subprocess.run(argv, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, check=True)
    calls = (tmp_path / "calls").read_text().splitlines()
    assert " endpoint " in calls[-1]
    assert calls[-1].startswith("set ")
    shown = [one for one in calls if one.startswith("show ")]
    assert len(shown) == (20 if waits else 0)
    assert sum(" endpoint " in one for one in calls) == 1
    if waits:
        (tmp_path / "sleep").write_text('#!/bin/sh\n[ "$1" = 1 ]\n')  # one that takes no fractions
        (tmp_path / "calls").unlink()
        subprocess.run(argv, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, check=True)
        calls = (tmp_path / "calls").read_text().splitlines()
        assert sum(one.startswith("show ") for one in calls) == 2
        assert " endpoint " in calls[-1]


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
