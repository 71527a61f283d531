"""known_hosts files: what is believed, what is not, and how ours is written."""

from __future__ import annotations

import base64
import logging
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import StorageFault
from app.ssh import known_hosts
from app.ssh.known_hosts import HostKeyVerdict
from app.ssh.messages import HOST_KEY_NOT_STORED
from support.message_checks import has_message

# Made by ssh-keygen (OpenSSH 9.2): the key, `ssh-keygen -lf` and `ssh-keygen -H`.
KEY = "AAAAC3NzaC1lZDI1NTE5AAAAINICdXeJNc2ufxmGkdCJg5z5lgUWzYPEW2qZ2//zLr+5"
FINGERPRINT = "SHA256:rQYAKWXM2B7xKXuQJtzVn2ftLni/nl22TDZTtoXdvfA"
HASHED = (
    f"|1|RwLlKGSz6Bdnee+4KetfQxDnKog=|MDeRBVffmGdDHUfBHN9S7MVkqco= ssh-ed25519 {KEY}\n"
    f"|1|L77cPHDX0P7nydvC8poHfSiUOu8=|timIVTRXz9Bkez+1FxaIOKRXciM= ssh-ed25519 {KEY}\n"
)

BLOB = base64.b64decode(KEY)
OTHER = bytes(reversed(BLOB))
OTHER_KEY = base64.b64encode(OTHER).decode()


def judge(tmp_path: Path, text: str, address: str, port: int = 22, blob: bytes = BLOB) -> HostKeyVerdict:
    file = tmp_path / "known_hosts"
    file.write_text(text)
    return known_hosts.judge(known_hosts.read_known_hosts([file]), address, port, blob)


def test_fingerprint_is_what_ssh_keygen_prints() -> None:
    assert known_hosts.fingerprint(BLOB) == FINGERPRINT


@pytest.mark.parametrize(
    ("names", "address", "port", "verdict"),
    [
        ("gw.example", "gw.example", 22, HostKeyVerdict.KNOWN),
        ("gw.example", "GW.Example", 22, HostKeyVerdict.KNOWN),
        ("other,gw.example", "gw.example", 22, HostKeyVerdict.KNOWN),
        ("gw.example", "gw.example.org", 22, HostKeyVerdict.UNKNOWN),
        ("[gw.example]:2222", "gw.example", 2222, HostKeyVerdict.KNOWN),
        ("[gw.example]:2222", "gw.example", 22, HostKeyVerdict.UNKNOWN),
        ("[gw.example]:2222", "gw.example", 2223, HostKeyVerdict.UNKNOWN),
        ("gw.example", "gw.example", 2222, HostKeyVerdict.KNOWN),  # the same key on another port of the same host
        ("*.example", "gw.example", 22, HostKeyVerdict.KNOWN),
        ("gw?.example", "gw1.example", 22, HostKeyVerdict.KNOWN),
        ("*.example,!gw.example", "gw.example", 22, HostKeyVerdict.UNKNOWN),
        ("!gw.example,*.example", "gw.example", 22, HostKeyVerdict.UNKNOWN),
        ("[*]:2222", "10.0.0.1", 2222, HostKeyVerdict.KNOWN),
        ("[f]e80::1", "fe80::1", 22, HostKeyVerdict.UNKNOWN),  # brackets are no character class
    ],
)
def test_names(tmp_path: Path, names: str, address: str, port: int, verdict: HostKeyVerdict) -> None:
    assert judge(tmp_path, f"{names} ssh-ed25519 {KEY} a comment\n", address, port) is verdict


def test_another_key_is_a_changed_one(tmp_path: Path) -> None:
    assert judge(tmp_path, f"gw ssh-ed25519 {KEY}\n", "gw", blob=OTHER) is HostKeyVerdict.CHANGED


def test_a_known_key_of_another_type_does_not_make_a_new_key_harmless(tmp_path: Path) -> None:
    assert judge(tmp_path, f"gw ssh-rsa {OTHER_KEY}\n", "gw") is HostKeyVerdict.CHANGED


def test_another_key_for_the_bare_address_proves_nothing_about_another_port(tmp_path: Path) -> None:
    assert judge(tmp_path, f"gw ssh-ed25519 {OTHER_KEY}\n", "gw", 2222) is HostKeyVerdict.UNKNOWN


def test_the_key_of_the_bare_address_is_no_other_ports_where_one_is_known_for_that(tmp_path: Path) -> None:
    # Gateways behind one address with forwarded ports: who has the key of the first is not the second.
    other = base64.b64encode(OTHER).decode()
    text = f"[nat.example]:2201 ssh-ed25519 {other}\nnat.example ssh-ed25519 {KEY}\n"
    assert judge(tmp_path, text, "nat.example", 2201, BLOB) is HostKeyVerdict.CHANGED
    assert judge(tmp_path, text, "nat.example", 2201, OTHER) is HostKeyVerdict.KNOWN
    assert judge(tmp_path, text, "nat.example", 2202, BLOB) is HostKeyVerdict.KNOWN
    assert judge(tmp_path, text, "nat.example", 22, OTHER) is HostKeyVerdict.CHANGED


def test_a_port_is_asked_for_the_types_of_its_own_keys(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    file.write_text(f"gw ssh-rsa {KEY}\n[gw]:2222 ssh-ed25519 {KEY}\n")
    keys = known_hosts.read_known_hosts([file])
    assert known_hosts.known_types(keys, "gw", 2222) == ("ssh-ed25519",)
    assert known_hosts.known_types(keys, "gw", 2223) == known_hosts.known_types(keys, "gw", 22) == ("ssh-rsa",)


def test_one_matching_line_is_enough(tmp_path: Path) -> None:
    assert judge(tmp_path, f"gw ssh-ed25519 {OTHER_KEY}\ngw ssh-ed25519 {KEY}\n", "gw") is HostKeyVerdict.KNOWN


@pytest.mark.parametrize(("address", "port"), [("gw.example", 2222), ("10.0.0.7", 22)])
def test_hashed_names_are_understood(tmp_path: Path, address: str, port: int) -> None:
    assert judge(tmp_path, HASHED, address, port) is HostKeyVerdict.KNOWN
    assert judge(tmp_path, HASHED, address, port, OTHER) is HostKeyVerdict.CHANGED
    assert judge(tmp_path, HASHED, address + "0", port) is HostKeyVerdict.UNKNOWN


def test_a_revoked_key_is_refused_even_if_it_is_also_known(tmp_path: Path) -> None:
    lines = f"gw ssh-ed25519 {KEY}\n@revoked * ssh-ed25519 {KEY}\n"
    assert judge(tmp_path, lines, "gw") is HostKeyVerdict.REVOKED
    assert judge(tmp_path, lines, "gw", 2222) is HostKeyVerdict.REVOKED


def test_a_revoked_key_alone_makes_no_host_known(tmp_path: Path) -> None:
    assert judge(tmp_path, f"@revoked gw ssh-ed25519 {KEY}\n", "gw", blob=OTHER) is HostKeyVerdict.UNKNOWN


def test_certificate_authorities_are_passed_over_and_that_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="app.ssh"):
        assert judge(tmp_path, f"@cert-authority * ssh-ed25519 {KEY}\n", "gw") is HostKeyVerdict.UNKNOWN
    assert "@cert-authority lines are not supported" in caplog.text


def test_known_types_come_without_revoked_ones(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    file.write_text(f"@revoked gw ssh-dss {KEY}\n[gw]:22 ssh-dss {KEY}\ngw ssh-rsa {OTHER_KEY}\n* ssh-ed25519 {KEY}\n")
    keys = known_hosts.read_known_hosts([file, tmp_path / "missing"])
    assert known_hosts.known_types(keys, "gw", 22) == ("ssh-rsa", "ssh-ed25519")


@given(st.text())
def test_no_line_breaks_the_parser(line: str) -> None:
    key = known_hosts._parse(line.strip(), "somewhere:1")
    if key is not None:
        key.is_for("gw.example")


@given(st.text(alphabet="*?!,|1=[]:.abAB", max_size=20), st.text(alphabet="ab.[]:12", max_size=12))
def test_no_pattern_breaks_the_comparison(names: str, name: str) -> None:
    key = known_hosts._parse(f"{names} ssh-ed25519 {KEY}", "somewhere:1")
    if key is not None:
        assert key.is_for(name) in {True, False}


def test_our_file_is_private_and_keeps_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "new" / "known_hosts"
    known_hosts.add_line(file, "a ssh-ed25519 AAAA")
    file.write_text(file.read_text().rstrip("\n"))  # edited by hand
    known_hosts.add_line(file, "b ssh-ed25519 BBBB")
    known_hosts.add_line(file, "a ssh-ed25519 AAAA")
    assert file.read_text() == "a ssh-ed25519 AAAA\nb ssh-ed25519 BBBB\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(path.name for path in file.parent.iterdir()) == [".known_hosts.lock", "known_hosts"]


_ADDING = """\
import sys
from pathlib import Path
from app.ssh import known_hosts
sys.stdin.readline()
for number in range(40):
    known_hosts.add_line(Path(sys.argv[1]), f"{sys.argv[2]}-{number} ssh-ed25519 AAAA")
"""


def test_processes_that_add_keys_at_once_lose_none(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    words = [sys.executable, "-c", _ADDING, str(file)]
    adding = [subprocess.Popen([*words, name], stdin=subprocess.PIPE, text=True) for name in ("a", "b", "c")]
    for process in adding:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in adding:
        assert process.wait(120) == 0
        assert process.stdin is not None
        process.stdin.close()
    names = {line.split()[0] for line in file.read_text().splitlines()}
    assert names == {f"{name}-{number}" for name in "abc" for number in range(40)}


def test_a_folder_that_is_a_file_gives_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFault, check=has_message(HOST_KEY_NOT_STORED)):
        known_hosts.add_line(tmp_path / "file" / "known_hosts", "a ssh-ed25519 AAAA")


def test_what_is_written_is_believed(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    known_hosts.add_line(file, known_hosts.line_for("FE80::1", 2222, "ssh-ed25519", BLOB))
    keys = known_hosts.read_known_hosts([file])
    assert known_hosts.judge(keys, "fe80::1", 2222, BLOB) is HostKeyVerdict.KNOWN


@pytest.mark.parametrize(
    "line", ["gw ssh-ed25519 \x85\x80", "|1|\u00e9|x ssh-ed25519 " + KEY, "gw", "@revoked", "gw ssh-rsa !"]
)
def test_broken_lines_are_passed_over(tmp_path: Path, line: str) -> None:
    assert judge(tmp_path, f"{line}\ngw ssh-ed25519 {KEY}\n", "gw") is HostKeyVerdict.KNOWN
