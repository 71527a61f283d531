from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.script_files import host_script
from app.host.script_events import ScriptEvent, find, parse_script_events, parse_sections, text_after
from app.host.scripts import call, call_with_deadline, extended_pattern, filled_script, one_line

DEPLOYMENT_SCRIPTS = (
    "lasting.sh",
    "start.sh",
    "install.sh",
    "uninstall.sh",
    "commit.sh",
    "retire.sh",
    "remove.sh",
    "unlock.sh",
    "find.sh",
    "state.sh",
    "lan.sh",
    "join.sh",
    "part.sh",
    *("lan-guard.sh", "lan-unguard.sh", "lan-probe.sh", "lan-unprobe.sh", "lan-client.sh"),
)
MAIN_SCRIPTS = (
    *("begin.sh", "prepare.sh", "apply.sh", "undo-suite.sh", "undo-member.sh", "finish.sh", "inspect.sh"),
    *("undo.sh", "watch.sh", "renew.sh"),
    *DEPLOYMENT_SCRIPTS,
)
SHELLS = [shell for shell in (("dash",), ("busybox", "sh"), ("bash", "--posix")) if shutil.which(shell[0])]


def test_every_script_that_no_other_includes_is_among_them() -> None:
    folder = Path(__file__).parents[3] / "resources" / "templates"
    texts = [file.read_text(encoding="utf-8") for file in folder.rglob("*.sh")]
    included = {name for text in texts for name in re.findall(r"^# @include (?:\S*/)?(\S+)$", text, re.MULTILINE)}
    assert {file.name for file in (folder / "host").glob("*.sh")} - included <= set(MAIN_SCRIPTS)


@pytest.mark.parametrize("name", MAIN_SCRIPTS)
@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_script_is_understood_by_every_shell(name: str, shell: tuple[str, ...]) -> None:
    script = filled_script(name, steps=[call("step", "0001", "it's")], checks=[call_with_deadline("check", "1", "")])
    done = subprocess.run([*shell, "-n"], input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", MAIN_SCRIPTS)
def test_nothing_is_left_to_be_filled_in(name: str) -> None:
    script = filled_script(name, steps=["step x"], checks=["check x"])
    assert not re.search(r"^\s*# @", script, re.MULTILINE)


_HANDLED_SPECIAL = re.compile(
    r"(?:^|[;&|{(!]|\b(?:if|then|else|do|while|until))\s*(?::|\.|exec|export|set|trap|unset)\s[^;&|#]*[<>][^;&|]*"
    r"(?:\|\||&&|; then)"
)


@pytest.mark.parametrize("name", MAIN_SCRIPTS)
def test_no_failed_redirection_of_a_special_builtin_is_handled_for_it_ends_the_shell(name: str) -> None:
    # Source: POSIX.1-2017, XCU 2.8.1, as dash and BusyBox do it.
    found = [line for line in host_script(name).splitlines() if _HANDLED_SPECIAL.search(line)]
    assert found == []


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("saved", ["/nowhere/file", "/"], ids=["no folder", "a folder"])
def test_file_that_cannot_be_written_fails_the_rollback_of_a_port_and_ends_no_shell(
    shell: tuple[str, ...], saved: str
) -> None:
    functions = host_script("lan-addresses.sh")
    script = 'bridge=none port=none tunnel=none inner=none saved=$1\nrestore_port && echo done; echo "went on with $?"'
    argv = [*shell, "-c", functions + script, "sh", saved]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.stdout == "went on with 1\n", done.stderr
    assert done.returncode == 0


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not there")
@pytest.mark.parametrize("name", MAIN_SCRIPTS)
def test_script_has_no_faults_that_shellcheck_knows(name: str) -> None:
    script = filled_script(name, steps=["step 0001"], checks=['check 0900 "$up_until"'])
    done = subprocess.run(
        ["shellcheck", "-s", "sh", "-S", "warning", "-"], input=script, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\t[1-9]\d*", "key=\t1763000000"),
        (r"latest handshake: ", "  latest handshake: 1 second ago"),
        (r"\btmk0\b", "7: tmk0: <UP>"),
        (r"cipher '(?:AES|CHACHA)-256\-GCM'", "Data Channel: cipher 'AES-256-GCM'"),
        (r"^state\s+UP$", "state   UP"),
        (r"a\.b\\c", r"a.b\c"),
        ("(?s)(?=.*one)(?=.*two)", "two\none"),
        ("lazy.*?match", "lazy and match"),
        (r"[\d.]+ ms", "1.5 ms"),
    ],
)
def test_pattern_for_the_host_matches_whatever_the_real_one_matches(pattern: str, text: str) -> None:
    assert re.search(pattern, text)
    done = subprocess.run(["grep", "-Eq", "-e", extended_pattern(pattern)], input=text, text=True, check=False)
    assert done.returncode == 0


def test_pattern_for_the_host_is_as_strict_as_it_can_be() -> None:
    assert extended_pattern(r"\t[1-9]\d*") == "\t[1-9][0-9]*"
    assert extended_pattern("(?=.*one)") == ""
    assert extended_pattern("lazy.*?match") == ""


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30), max_size=5))
def test_words_of_a_line_reach_the_function_as_they_are(words: list[str]) -> None:
    script = 'show() { for word in "$@"; do printf "%s\\0" "$word"; done; }\n' + call("show", *words)
    done = subprocess.run(["dash"], input=script.encode(), capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == words


@given(st.text())
def test_title_becomes_one_printable_line(text: str) -> None:
    assert "\n" not in one_line(text)
    assert one_line(text).isprintable()


def test_marks_are_distinguished_from_what_programs_print() -> None:
    output = "w1 hello\nw2 step 0001 0\nstep 9 9\nw1 begin output\nw2 fake\nlast\n\nw1 end output\nw1 step 0002 1\n"
    events = parse_script_events(output, "w1")
    assert events == (
        ScriptEvent(("hello",)),
        ScriptEvent(("text", "output"), "w2 fake\nlast\n"),
        ScriptEvent(("step", "0002", "1")),
    )
    assert find(events, "step") == events[2]
    assert find(events, "step", "0003") is None
    assert text_after(events, "hello", name="output") == "w2 fake\nlast\n"
    assert text_after(events, "step", name="output") == ""


def test_sections_end_where_the_script_speaks_again() -> None:
    output = "noise\nw section one\na\n\nw section two\nw section three\nb\nw finished\nnoise\n"
    assert parse_sections(output, "w") == {"one": "a", "two": "", "three": "b"}
