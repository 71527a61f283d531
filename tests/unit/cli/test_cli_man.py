"""Man page and completion: every command and option is in them, and programs that read them understand them."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

import pytest

from app.cli.exit_codes import EXIT_STATUSES
from app.cli.main import main
from app.cli.man import commands_of, man_page
from app.cli.parser import make_parser

PAGE = man_page(make_parser(), "0.1.0", "2026-03-06")
ALL = dict(commands_of(make_parser()))


def plain(text: str) -> str:
    return text.replace(r"\-", "-").replace(r"\(dq", '"').replace(r"\fB", "").replace(r"\fR", "")


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    return [option for action in parser._actions for option in action.option_strings]


@pytest.mark.parametrize("words", list(ALL))
def test_each_command_and_its_options_are_in_the_man_page(words: str) -> None:
    head = f'.SS "{words}"\n'
    page = plain(PAGE)
    assert page.count(head) == 1
    section = page.partition(head)[2].partition("\n.S")[0]
    heads = section.split("\n.TP\n")[1:]
    for option in options_of(ALL[words]):
        assert any(option in lines.partition("\n")[0].replace(",", " ").split() for lines in heads), option
    assert "Example:" in section


def test_exit_statuses_are_in_the_man_page() -> None:
    section = plain(PAGE).partition(".SH EXIT STATUS")[2].partition(".SH")[0]
    for code, text in EXIT_STATUSES.items():
        assert f".TP\n{int(code)}\n{text}." in section


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_groff_sets_the_page_without_a_warning() -> None:
    argv = ["groff", "-man", "-Tutf8", "-ww", "-P-c"]
    done = subprocess.run(argv, input=PAGE, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "--open-firewall" in done.stdout.replace("‐", "-").replace("−", "-")
    assert "\\" not in done.stdout


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="needs mandoc")
def test_mandoc_finds_nothing_to_warn_of() -> None:
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning"], input=PAGE, capture_output=True, text=True, check=False
    )
    assert done.stdout + done.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_option(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for words, parser in ALL.items():
        assert words.split()[-1] in script
        for option in options_of(parser):
            assert option in script or (shell == "fish" and option.lstrip("-") in script), (words, option)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["comp"], {"compare", "completion"}),
        (["lab", "s"], {"status", "ssh"}),
        (["compare", "north", "--sol"], {"--solutions"}),
        (["compare", "--profile", "st"], {"standard"}),
    ],
)
def test_bash_completes(
    typed: list[str], offered: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "bash"]) == 0
    (tmp_path / "completion").write_text(capsys.readouterr().out, encoding="utf-8")
    words = " ".join(["tunnelmark", *typed])
    script = f"""
        . {tmp_path}/completion
        COMP_WORDS=({words}); COMP_CWORD={len(typed)}; COMP_LINE='{words}'; COMP_POINT={len(words)}
        $(complete -p tunnelmark | sed 's/.*-F \\([^ ]*\\).*/\\1/') tunnelmark {typed[-1]}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert {line.strip() for line in done.stdout.splitlines()} == offered


@pytest.mark.parametrize(("shell", "argv"), [("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])])
def test_shell_can_read_its_completion(
    shell: str, argv: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    assert main(["completion", shell]) == 0
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out, encoding="utf-8")
    assert subprocess.run([*argv, str(script)], capture_output=True, text=True, check=True).stderr == ""
