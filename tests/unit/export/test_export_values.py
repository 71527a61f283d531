"""Tokens, and the shell that fills them in on a host."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.domain.commands import CommandResult
from app.domain.hosts import Side
from app.export.bundle import make_bundle
from app.export.script import tunnel_script
from app.export.values import VALUES, ValueToken, placeholder_identity, tokens_in
from support.export_cases import export_request, value_on_host
from vpn_adapters.registry import ADAPTERS


def script_without_main(solution: str = "openvpn-udp") -> str:
    """Return `tunnel.sh` as a set of functions."""
    text = tunnel_script(make_bundle(export_request(solution)), Side.A)
    return text.removesuffix('main "$@"\n')


@pytest.fixture(params=["sh", "busybox"])
def shell(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Give the shells, and with BusyBox its own programs, that gateways have."""
    if request.param == "busybox" and shutil.which("busybox") is None:
        pytest.skip("BusyBox is not there")
    return ("busybox", "sh") if request.param == "busybox" else ("sh",)


def run(shell: tuple[str, ...], script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    # BusyBox' shell prefers its own programs to the usual ones.
    own = "".join(f'{name}() {{ busybox {name} "$@"; }}\n' for name in ("awk", "grep", "find")) if shell[1:] else ""
    return subprocess.run(
        [*shell, "-c", own + script_without_main() + script],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_tokens_are_found_once_and_unknown_ones_are_not() -> None:
    text = "a @fingerprint-of-b@ @fingerprint-of-b@ @public-key-of-a@ @nothing-of-a@ someone@host-of-a@"
    assert tokens_in((text,)) == (ValueToken(Side.A, "public-key"), ValueToken(Side.B, "fingerprint"))
    assert set(placeholder_identity(Side.A).values) == set(VALUES)


def test_no_token_meets_any_pattern() -> None:
    for value in VALUES.values():
        assert not re.fullmatch(value.pattern, ValueToken(Side.A, value.name).text)


def test_the_fingerprint_on_the_host_is_the_one_that_is_computed_here(shell: tuple[str, ...], tmp_path: Path) -> None:
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384", "-nodes"),
            *("-subj", "/CN=x", "-keyout", "key", "-out", "certificate"),
        ],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    pem = (tmp_path / "certificate").read_text()
    adapter = ADAPTERS["openvpn-udp"]
    known = adapter.parse_identity({"certificate": CommandResult(("cat",), 0, pem, "", 0.0)}).values
    for name in ("certificate", "fingerprint"):
        assert value_on_host(name, pem, *shell).rstrip("\n") == known[name].rstrip("\n")


def test_filling_in_on_a_host(shell: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "values").mkdir()
    (tmp_path / "values/certificate-of-b").write_text("-----BEGIN-----\nAAA+/=\\n&\n-----END-----\n")
    (tmp_path / "values/fingerprint-of-a").write_text("AA:BB\n")
    (tmp_path / "file").write_text("x @fingerprint-of-a@ y @fingerprint-of-a@\n@certificate-of-b@\n\na@b.c\n")
    ran = run(shell, "fill file", tmp_path, TUNNELMARK_VALUES=str(tmp_path / "values"))
    assert ran.stdout == "x AA:BB y AA:BB\n-----BEGIN-----\nAAA+/=\\n&\n-----END-----\n\na@b.c\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@fingerprint-of-b@\n",
        "AA:BB\n",
        ":".join(["AA"] * 32) + "\nscript-security 2\n",
        ":".join(["aa"] * 32) + "\n",
        "x" + ":".join(["AA"] * 32) + "\n",
    ],
)
def test_what_is_no_such_value_is_refused_before_it_is_used(shell: tuple[str, ...], tmp_path: Path, text: str) -> None:
    (tmp_path / "public-of-b").mkdir()
    (tmp_path / "public-of-b/fingerprint-of-b").write_text(text)
    (tmp_path / "values").mkdir()
    ran = run(shell, 'parts=.; check_values; echo "went on"', tmp_path, TUNNELMARK_VALUES=str(tmp_path / "values"))
    assert ran.returncode == 1
    assert "public-of-b/fingerprint-of-b" in ran.stderr
    assert ran.stdout == ""
    assert list((tmp_path / "values").iterdir()) == []


def test_the_own_value_is_not_taken_for_the_other_hosts(shell: tuple[str, ...], tmp_path: Path) -> None:
    value = ":".join(["AB"] * 32) + "\n"
    for path in ("public-of-b/fingerprint-of-b", "values/fingerprint-of-a"):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(value)
    command = 'parts=.; check_values; echo "went on"'
    ran = run(shell, command, tmp_path, TUNNELMARK_VALUES=str(tmp_path / "values"))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "is of this host" in ran.stderr
    (tmp_path / "public-of-b/fingerprint-of-b").write_text(value.replace("A", "C"))
    assert run(shell, command, tmp_path, TUNNELMARK_VALUES=str(tmp_path / "values")).stdout == "went on\n"


def test_put_changes_what_differs_and_nothing_else(shell: tuple[str, ...], tmp_path: Path) -> None:
    command = f"""base={tmp_path}/place; id=x; mkdir $base
umask 077
put x/kept/a.conf 0600 'one
two'; put x/kept/a.conf 0600 'one
two'; put x/kept/a.conf 0644 'one
two' check; put x/kept/a.conf 0644 'one
two'; put x/kept/a.conf 0644 'one
'; put x/kept/a.conf 0644 'one
'"""
    ran = run(shell, command, tmp_path)
    words = ["changed", "same", "changed", "changed", "changed", "same"]
    assert ran.stdout.split() == [word for one in words for word in ("tunnelmark:", one)]
    path = tmp_path / "place/x/kept/a.conf"
    assert path.read_bytes() == b"one\n"
    assert path.stat().st_mode & 0o777 == 0o644
    assert [one.name for one in path.parent.iterdir()] == ["a.conf"]


def test_another_deployment_in_the_place_is_left_alone(shell: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "current").write_text("0123456789abcdef\n")
    ran = run(shell, f"base={tmp_path}; put start.sh 0600 x", tmp_path)
    assert ran.returncode == 1
    assert "Another deployment (0123456789abcdef)" in ran.stderr
    assert not (tmp_path / "start.sh").exists()


def test_a_value_is_made_of_what_its_program_prints(shell: tuple[str, ...], tmp_path: Path) -> None:
    program = "show() { printf 'ssh-ed25519 KEY root@press\\n'; read -r line || return 3; }\n"
    limited = 'limited() { shift; "$@"; }\n'  # a function is no program that `timeout` could run
    ran = run(shell, f"{program}{limited}wanted=ssh-public-key; print_value ssh-public-key 5 show", tmp_path)
    assert ran.stdout == "", "a program that fails shows nothing"
    program = program.replace(" read -r line || return 3;", "")
    ran = run(shell, f"{program}{limited}wanted=ssh-public-key; print_value ssh-public-key 5 show", tmp_path)
    assert ran.stdout == "ssh-ed25519 KEY\n"


def test_a_value_that_is_empty_is_no_value(shell: tuple[str, ...], tmp_path: Path) -> None:
    define = 'print_public() { [ "$1" = public-key ] && printf "%s" "$2"; }\n'
    ran = run(shell, f"{define}write_value public-key none && echo written", tmp_path)
    assert ran.stdout == ""
    ran = run(shell, 'print_public() { echo "$1"; }\nwrite_value public-key one && cat one', tmp_path)
    assert ran.stdout == "public-key\n"
