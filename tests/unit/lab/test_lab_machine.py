"""QEMU's command line, and a gateway's identity, ports and keys."""

from __future__ import annotations

import base64
import io
import json
import shutil
import socket
import stat
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.errors import LabFault
from app.domain.hosts import AuthKind, Side
from app.lab import CpuKind, ImagePaths, Lab, LabSpec
from app.lab.guest import GuestIdentity, identity_message, known_hosts_line, make_key, make_passwords
from app.lab.machine import Accelerator, MachinePlan, card_addresses, cpu_option, qemu_argv
from app.lab.messages import LAB_UNREADABLE
from app.lab.ports import free_ports
from app.lab.running import load_lab
from app.lab.spec import LabMachine, LabNode
from support.message_checks import has_message

CARDS = "52:54:00:00:00:01", "52:54:00:00:00:02"
IDENTITY = GuestIdentity(Side.A, "0" * 32, b"PRIVATE", "ssh-ed25519 AAAA", CARDS)


def plan(machine: LabMachine, **changes: object) -> MachinePlan:
    values = {
        "machine": machine,
        "image": ImagePaths(Path("/cache/lab/debian-13-0")),
        "accelerator": Accelerator.TCG,
        "cpu": CpuKind.AES,
        "port": 20_001,
        "machine_id": "f" * 32,
    }
    return MachinePlan(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("accelerator", "cpu", "expected"),
    [
        (Accelerator.TCG, CpuKind.AES, "max"),
        (Accelerator.TCG, CpuKind.NO_AES, "max,-aes,-vaes"),
        (Accelerator.KVM, CpuKind.AES, "host"),
        (Accelerator.KVM, CpuKind.NO_AES, "host,-aes,-vaes"),
    ],
)
def test_cpu_features(accelerator: Accelerator, cpu: CpuKind, expected: str) -> None:
    assert cpu_option(accelerator, cpu) == expected


@pytest.mark.parametrize(
    ("accelerator", "expected"),
    [(Accelerator.TCG, "1,maxcpus=2"), (Accelerator.KVM, "1")],
)
def test_an_emulated_cpu_has_memory_barriers(accelerator: Accelerator, expected: str) -> None:
    argv = qemu_argv(plan(Side.A, accelerator=accelerator))
    assert argv[argv.index("-smp") + 1] == expected


@pytest.mark.parametrize(("accelerator", "is_there"), [(Accelerator.TCG, True), (Accelerator.KVM, False)])
def test_options_for_the_kernel_of_an_emulated_guest(accelerator: Accelerator, is_there: bool) -> None:
    argv = qemu_argv(plan(Side.A, accelerator=accelerator))
    options = argv[argv.index("-append") + 1].split()
    for option in ("possible_cpus=1", "clearcpuid=141", "norandmaps", "tsc=reliable"):
        assert (option in options) is is_there


def test_nothing_of_a_guest_reaches_the_computer_s_own_network() -> None:
    argv = qemu_argv(plan(Side.A))
    networks = [argv[index + 1] for index, word in enumerate(argv) if word == "-netdev"]
    assert networks == [
        "user,id=management,restrict=on,hostfwd=tcp:127.0.0.1:20001-:22",
        "dgram,id=underlay,local.type=fd,local.str=@UNDERLAY_FD@",
    ]


def test_nothing_leads_to_a_machine_that_is_booted_to_be_saved() -> None:
    argv = qemu_argv(plan(Side.A, port=None))
    networks = [argv[index + 1] for index, word in enumerate(argv) if word == "-netdev"]
    assert networks == ["user,id=management,restrict=on", "user,id=underlay,restrict=on"]


def networks_of(machine: LabMachine, **changes: object) -> list[str]:
    argv = qemu_argv(plan(machine, **changes))
    return [argv[index + 1] for index, word in enumerate(argv) if word == "-netdev"]


@pytest.mark.parametrize("machine", [Side.A, Side.B])
def test_a_gateway_with_a_node_has_a_third_card(machine: LabMachine) -> None:
    assert [one.partition(",id=")[2].partition(",")[0] for one in networks_of(machine)] == ["management", "underlay"]
    assert networks_of(machine, has_lan=True)[2:] == ["dgram,id=lan,local.type=fd,local.str=@LAN_FD@"]
    assert networks_of(machine, has_lan=True, port=None)[2:] == ["user,id=lan,restrict=on"]
    for has_lan, number in ((False, 2), (True, 3)):
        line = " ".join(qemu_argv(plan(machine, has_lan=has_lan)))
        assert [card in line for card in card_addresses(machine, has_lan=True)] == [True, True, number == 3]


def test_a_node_has_no_way_but_to_its_gateway_and_less_memory() -> None:
    assert networks_of(LabNode.B)[1:] == ["dgram,id=lan,local.type=fd,local.str=@LAN_FD@"]
    assert networks_of(LabNode.B)[0].startswith("user,id=management,restrict=on,hostfwd=tcp:127.0.0.1:20001-")
    memory = [int(argv[argv.index("-m") + 1]) for argv in (qemu_argv(plan(one)) for one in (Side.B, LabNode.B))]
    assert memory == [640, 384]


def test_machines_of_one_kind_share_what_was_saved_and_others_do_not() -> None:
    kinds = [(one, has_lan) for has_lan in (False, True) for one in (*Side, *LabNode)]
    endings = [plan(one, has_lan=has_lan).kind for one, has_lan in kinds]
    assert endings == ["", "", "-node", "-node", "-lan", "-lan", "-node", "-node"]


def test_a_guest_may_reboot() -> None:
    assert "-no-reboot" not in qemu_argv(plan(Side.A))


def test_the_two_machines_share_nothing_that_must_differ() -> None:
    a, b = (" ".join(qemu_argv(plan(side))) for side in Side)
    for differing in (
        "mac=52:54:00:54:4d:a0",
        "mac=52:54:00:54:4d:a1",
        "disk-a",
        "identity-a",
        "monitor-a",
        "console-a",
        "gateway-a",
    ):
        assert differing in a
        assert differing not in b


def test_no_secret_is_on_the_command_line(tmp_path: Path) -> None:
    words = " ".join(qemu_argv(plan(Side.A)))
    assert "PRIVATE" not in words
    assert "password" not in words.lower()


def test_the_identity_carries_names_keys_and_passwords() -> None:
    message = identity_message(IDENTITY, authorized_key="ssh-ed25519 BBBB", passwords={"operator": "geheim"})
    assert message.endswith(b"\nend\n")
    assert max(len(line) for line in message.splitlines()) < 4096, "a terminal cuts longer lines"
    packed = base64.b64decode(message.removesuffix(b"end\n"))
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        members = {member.name: member for member in archive.getmembers()}
        contents = {name: archive.extractfile(member).read() for name, member in members.items()}  # type: ignore[union-attr]
    assert all((member.uid, member.gid) == (0, 0) for member in members.values())
    assert contents["etc/ssh/ssh_host_ed25519_key"] == b"PRIVATE"
    assert members["etc/ssh/ssh_host_ed25519_key"].mode == 0o600
    own = {name.rpartition("/")[2]: name for name in contents if name.startswith("run/")}
    assert {members[name].mode for name in own.values()} == {0o600}
    assert contents[own["passwords"]] == b"operator:geheim\n"
    assert contents[own["cards"]] == b"eth0 52:54:00:00:00:01\neth1 52:54:00:00:00:02\n"
    assert contents[own["machine-id"]] == b"0" * 32 + b"\n"
    assert len(contents[own["entropy"]]) == 64
    assert b"Address=192.0.2.1/24" in contents["etc/systemd/network/20-underlay.network"]
    assert contents["etc/hostname"] == b"gateway-a\n"


def test_a_node_has_no_address_on_the_underlay() -> None:
    identity = GuestIdentity(LabNode.B, "0" * 32, b"PRIVATE", "ssh-ed25519 AAAA", CARDS)
    packed = base64.b64decode(identity_message(identity, authorized_key="", passwords={}).removesuffix(b"end\n"))
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        assert archive.extractfile("etc/hostname").read() == b"node-b\n"  # type: ignore[union-attr]
        assert [name for name in archive.getnames() if "underlay" in name] == []
        assert b"192.0.2." not in archive.extractfile("etc/hosts").read()  # type: ignore[union-attr]


def test_no_two_identities_carry_the_same_random_numbers() -> None:
    one, other = (identity_message(IDENTITY, authorized_key="", passwords={}) for _ in range(2))
    assert one != other


def test_a_secret_is_in_no_representation() -> None:
    assert "PRIVATE" not in repr(IDENTITY)


def test_known_hosts_line() -> None:
    assert known_hosts_line(20_001, IDENTITY) == "[127.0.0.1]:20001 ssh-ed25519 AAAA\n"


def test_passwords_are_long_random_and_different() -> None:
    one, two = make_passwords(), make_passwords()
    values = [*one.values(), *two.values()]
    assert set(one) == {"operator", "plain"}
    assert len(set(values)) == len(values)
    assert all(len(value) >= 16 for value in values)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs openssh-client")
def test_a_key_is_made_with_its_public_half(tmp_path: Path) -> None:
    public = make_key(tmp_path / "key", comment="x y")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    argv = ["ssh-keygen", "-y", "-f", str(tmp_path / "key")]
    derived = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert derived.split()[:2] == public.split() == ["ssh-ed25519", public.split()[1]]


def test_a_missing_ssh_keygen_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LabFault) as caught:
        make_key(tmp_path / "key", comment="")
    assert "openssh-client" in caught.value.hint


def test_free_ports_are_different_and_free() -> None:
    ports = free_ports(2)
    assert len(set(ports)) == 2
    for port in ports:
        assert 20_000 <= port < 30_000
        with socket.socket() as trial:
            trial.bind(("127.0.0.1", port))


def lab(folder: Path) -> Lab:
    spec = LabSpec(folder.name, cpu=CpuKind.NO_AES)
    return Lab(spec, folder, {Side.A: 20_001, Side.B: 20_002}, datetime(2026, 1, 2, 3, 4, tzinfo=UTC), 4711)


def lab_with_nodes(folder: Path) -> Lab:
    plain = lab(folder)
    return replace(plain, spec=replace(plain.spec, has_nodes=True), node_ports={LabNode.A: 20_003, LabNode.B: 20_004})


@pytest.mark.parametrize("kind", [lab, lab_with_nodes])
def test_a_lab_can_be_described_and_read_again(tmp_path: Path, kind: Callable[[Path], Lab]) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    kind(folder).save()
    assert load_lab(folder) == kind(folder)


def test_the_description_of_an_earlier_version_has_no_nodes(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    lab(folder).save()
    content = json.loads((folder / "lab.json").read_text())
    del content["node_ports"]
    (folder / "lab.json").write_text(json.dumps(content))
    assert load_lab(folder) == lab(folder)
    assert load_lab(folder).pair.nodes == {}


def test_the_pair_of_a_lab_names_its_nodes(tmp_path: Path) -> None:
    made = lab_with_nodes(tmp_path / "mine")
    nodes = made.pair.nodes
    assert list(nodes) == [Side.A, Side.B]
    assert [(one.host.label, one.host.port, one.host.user) for one in nodes.values()] == [
        ("node-a", 20_003, "root"),
        ("node-b", 20_004, "root"),
    ]
    assert {(one.interface, one.gateway_interface) for one in nodes.values()} == {("eth1", "eth2")}
    assert {one.host.host_key_file for one in nodes.values()} == {made.pair.a.host_key_file}
    assert made.ssh_argv(LabNode.B)[made.ssh_argv(LabNode.B).index("-p") + 1] == "20004"


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"ports": {"c": 1}}', json.dumps({"ports": 3})])
def test_a_damaged_description_is_a_clear_fault(tmp_path: Path, content: str) -> None:
    (tmp_path / "lab.json").write_text(content)
    with pytest.raises(LabFault, check=has_message(LAB_UNREADABLE, lab=tmp_path.name)):
        load_lab(tmp_path)


def test_the_pair_of_a_lab(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    pair = lab(folder).pair
    assert (pair.name, pair.is_lab, pair.underlay_a, pair.underlay_b) == ("lab:mine", True, "192.0.2.1", "192.0.2.2")
    assert (pair.b.address, pair.b.port, pair.b.user, pair.b.auth) == ("127.0.0.1", 20_002, "root", AuthKind.KEY)
    assert pair.a.identity_file == str(folder / "id_ed25519")
    assert pair.a.host_key_file == str(folder / "known_hosts")


def test_logging_in_always_checks_the_host_key(tmp_path: Path) -> None:
    argv = lab(tmp_path / "a b").ssh_argv(Side.B, "operator")
    assert "StrictHostKeyChecking=yes" in argv
    assert f'UserKnownHostsFile="{tmp_path}/a b/known_hosts"' in argv
    assert argv[argv.index("-l") + 1] == "operator"
    assert argv[argv.index("-p") + 1] == "20002"
