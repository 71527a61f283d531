"""The sudoers file that Tunnelmark prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import SUDOERS_TWO_USERS
from app.domain.errors import InvalidOption
from app.domain.hosts import Privilege
from app.export.messages import ROOT_NEEDS_NO_SUDOERS
from app.export.sudoers import COMMANDS, sudoers_text
from app.ssh import privileges
from app.ssh.remote_line import remote_line, remote_script_line


def rules(text: str) -> list[str]:
    """Return what sudo reads: neither comments nor empty lines."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_three_lines_and_no_more() -> None:
    assert rules(sudoers_text("opc.gateway-1", "1.2.3")) == [
        "Cmnd_Alias TUNNELMARK_OPC_GATEWAY_1 = /bin/sh, /usr/bin/sh, /bin/true, /usr/bin/true",
        "Defaults:opc.gateway-1 !requiretty",
        "opc.gateway-1 ALL=(root) NOPASSWD: TUNNELMARK_OPC_GATEWAY_1",
    ]


def test_it_says_what_it_amounts_to() -> None:
    text = sudoers_text("plc", "1.2.3")
    assert "THIS AMOUNTS TO ROOT" in text
    assert "/etc/sudoers.d/tunnelmark-plc\n" in text
    assert "Tunnelmark 1.2.3" in text


def test_sudo_passes_over_names_with_a_dot() -> None:
    assert "/etc/sudoers.d/tunnelmark-opc_gateway\n" in sudoers_text("opc.gateway", "1")


def test_with_a_password() -> None:
    assert rules(sudoers_text("plc", "1", has_password=True))[-1] == "plc ALL=(root) TUNNELMARK_PLC"
    assert "sudo asks for plc's own password" in sudoers_text("plc", "1", has_password=True)


@pytest.mark.parametrize(
    "user",
    ["", "root", "ALL", "DB", "a b", "a\nb ALL=(ALL) ALL", "%sudo", "#0", "+group", "a,b", "a!", "ä", "-x", "a" * 40],
)
def test_no_name_becomes_a_rule_of_its_own(user: str) -> None:
    with pytest.raises(InvalidOption):
        sudoers_text(user, "1")


def test_nothing_else_is_ever_asked_of_sudo() -> None:
    """The lines that reach a gateway name no program before the shell but sudo with its own options."""
    for privilege in (Privilege.SUDO, Privilege.SUDO_PASSWORD):
        for line in (remote_line(("ip", "link"), privilege), remote_script_line(privilege)):
            words = shlex.split(line.text)
            assert words[:2] == ["exec", "sudo"]
            assert words[words.index("--") + 1] in COMMANDS
    asked = re.findall(r"sudo -n (\w+)", privileges._DETECT)
    assert asked
    assert set(asked) <= set(COMMANDS)


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sudoers", "--user", "plc"]) == ExitCode.OK
    assert rules(capsys.readouterr().out)[-1] == "plc ALL=(root) NOPASSWD: TUNNELMARK_PLC"
    assert main(["sudoers", "--user", "plc", "--password"]) == ExitCode.OK
    assert rules(capsys.readouterr().out)[-1] == "plc ALL=(root) TUNNELMARK_PLC"
    assert main(["sudoers"]) == ExitCode.INVALID
    assert main(["sudoers", "somewhere", "--user", "plc"]) == ExitCode.INVALID


def test_each_side_has_its_own_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    hosts = ("--a", "anna@192.0.2.1", "--b", "root@192.0.2.2", "--underlay", "10.0.0.1,10.0.0.2")
    assert main(["pair", "add", "works", *hosts]) == ExitCode.OK
    assert main(["sudoers", "works"]) == ExitCode.INVALID
    assert SUDOERS_TWO_USERS(user_a="anna", user_b="root") in capsys.readouterr().err
    assert main(["sudoers", "works", "--side", "A"]) == ExitCode.OK
    assert "anna ALL=(root)" in capsys.readouterr().out
    assert main(["sudoers", "works", "--side", "b"]) == ExitCode.INVALID
    assert ROOT_NEEDS_NO_SUDOERS() in capsys.readouterr().err
