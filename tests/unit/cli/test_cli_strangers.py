"""Output of hosts before their keys are verified: none of it steers the terminal."""

from __future__ import annotations

import io
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.table import Table

from app.cli import main
from app.cli.terminal import CleanConsole
from app.domain.errors import CommandFailed
from app.domain.plain_text import plain_text
from app.ssh.logs import adopt_paramiko_logging

ROOT = Path(__file__).resolve().parents[3]
# Writes to the clipboard, clears the screen, changes colours; a C1 control; reversed reading order.
HOSTILE = "3.0\x1b]52;c;cm0gLXJmIH4=\x1b\\\x1b[2J\x1b[1;32mAll_hosts_verified\x1b[0m\x9b31m\u202egnp"
UNDERLAY = ("--underlay", "192.0.2.1,192.0.2.2")
HARMLESS = "3.0]52;c;cm0gLXJmIH4=\\[2J[1;32mAll_hosts_verified[0m31mgnp"


@contextmanager
def stranger(banner: bytes) -> Iterator[int]:
    """Listen on a port of this computer, and greet each client with a banner."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    client.sendall(banner)
                    client.recv(4096)

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=120)


def tunnelmark(home: Path, *words: str) -> tuple[int, str]:
    """Run the command line as a user does; return its status and all that it printed."""
    done = subprocess.run(
        [sys.executable, "-c", "from ui.main import main; raise SystemExit(main())", *words],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "TUNNELMARK_HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        timeout=300,
    )
    return done.returncode, (done.stdout + done.stderr).decode(errors="surrogateescape")


VERSION, SOFTWARE, NO_SSH = f"SSH-{HOSTILE}-x\r\n", f"SSH-2.0-{HOSTILE}\r\n", f"{HOSTILE}\r\n" * 3


@pytest.mark.parametrize(
    ("banner", "details"),
    [
        pytest.param(VERSION, ("-vv",), id="version-details"),
        pytest.param(SOFTWARE, (), id="software"),
        pytest.param(NO_SSH, ("-vv",), id="no-ssh-details"),
        pytest.param(VERSION, (), id="version", marks=pytest.mark.full),
        pytest.param(SOFTWARE, ("-vv",), id="software-details", marks=pytest.mark.full),
        pytest.param(NO_SSH, (), id="no-ssh", marks=pytest.mark.full),
    ],
)
def test_a_greeting_before_authentication_does_not_reach_the_terminal_as_it_is(
    banner: str, details: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    with stranger(banner.encode()) as port:
        a, b = (f"{user}@127.0.0.1:{port}" for user in ("root", "admin"))
        assert main(["pair", "add", "p", "--a", a, "--b", b, *UNDERLAY]) == 0
        status, reported = tunnelmark(tmp_path, *details, "discover", "p")
    assert status == 1
    assert details or reported.startswith(("Connecting", "Error"))
    assert details or "Traceback" not in reported
    if details and banner.startswith("SSH-3"):
        assert "app.ssh" in reported, "without log lines this has not been tried"
    assert not [character for character in "\x1b\x9b\u202e" if character in reported], reported


def test_text_is_cleaned_of_what_is_not_for_reading() -> None:
    assert plain_text(HOSTILE) == HARMLESS
    assert plain_text("a\tb\r\nc\rd\u2028e\x00\ud800") == "a\tb\nc\nde"
    assert plain_text("Übertragung 日本語 ✓ 🙂") == "Übertragung 日本語 ✓ 🙂"


def test_errors_are_clean_in_all_their_parts() -> None:
    error = CommandFailed(f"said {HOSTILE}", hint=HOSTILE, context={"stderr": HOSTILE})
    assert (error.message, error.hint, error.context) == (f"said {HARMLESS}", HARMLESS, {"stderr": HARMLESS})
    assert str(error) == f"said {HARMLESS}"


def test_nothing_that_is_printed_steers_the_terminal() -> None:
    out = io.StringIO()
    console = CleanConsole(file=out, width=200, force_terminal=True, color_system=None, highlight=False)
    console.print(HOSTILE, markup=False)
    table = Table(title=HOSTILE)
    table.add_column(HOSTILE)
    table.add_row(HOSTILE)
    console.print(table)
    assert not set("\x1b\x9b\u202e") & set(out.getvalue())
    assert out.getvalue().count("All_hosts_verified") == 4


def test_paramikos_words_reach_no_one_who_has_not_asked_for_details() -> None:
    root, reported = logging.getLogger(), io.StringIO()
    handler = logging.StreamHandler(reported)
    channel, ours = logging.getLogger(adopt_paramiko_logging()), logging.getLogger("app.ssh")
    level = ours.level
    root.addHandler(handler)
    try:
        ours.setLevel(logging.ERROR)
        channel.error("Traceback of a stranger")
        assert reported.getvalue() == ""
        ours.setLevel(logging.DEBUG)
        channel.error("for whoever wants to know")
        assert reported.getvalue() == "for whoever wants to know\n"
    finally:
        ours.setLevel(level)
        root.removeHandler(handler)
