"""A desktop session of its own (screen, session bus, accessibility bus) with the window in it, for AT-SPI tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

SYSTEM_PYTHON = "/usr/bin/python3"
"""Debian's own: its `gi` is not in the virtual environment."""
LIMIT_S = 480.0
"""For each part of the session to begin, and for a client; the computer may be busy."""
_GET_BUS = ("--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress")
_SUPPORT = Path(__file__).parent
_ROOT = _SUPPORT.parents[1]


def missing() -> str:
    """Return what the session needs and this computer lacks; empty if nothing."""
    lacking = [name for name in ("Xvfb", "dbus-daemon") if shutil.which(name) is None]
    if not Path("/usr/share/dbus-1/services/org.a11y.Bus.service").exists():
        lacking.append("at-spi2-core")
    probe = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
    if (
        not Path(SYSTEM_PYTHON).exists()
        or subprocess.run([SYSTEM_PYTHON, "-c", probe], capture_output=True, check=False).returncode
    ):
        lacking.append("python3-gi and gir1.2-atspi-2.0")
    return ", ".join(lacking)


class Session:
    """A running session.

    Args:
        folder: Of its own; logs are written there.
        variables: Environment of its programs.
        window: The window.
    """

    def __init__(self, folder: Path, variables: dict[str, str], window: subprocess.Popen[bytes]) -> None:
        self.folder = folder
        self.variables = variables
        self.window = window

    def client(self, script: str, *words: str) -> Any:
        """Run a script of tests/support as a client of the session and return what it prints as JSON."""
        out, err = (self.folder / f"{Path(script).stem}.{kind}" for kind in ("json", "log"))
        with out.open("wb") as stdout, err.open("wb") as stderr:
            client = subprocess.Popen(
                [SYSTEM_PYTHON, "-W", "ignore::DeprecationWarning", str(_SUPPORT / script), *words],
                env=self.variables,
                stdout=stdout,
                stderr=stderr,
            )
            try:
                self._wait(client)
            finally:
                end(client)
        reported = err.read_text("utf-8", "replace")[-4000:]
        assert self.window.poll() is None, f"the window died: {self.log()}"
        assert client.returncode == 0, f"{script}: {client.returncode}\n{reported}\n{self.log()}"
        return json.loads(out.read_text("utf-8"))

    def _wait(self, client: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + LIMIT_S
        while client.poll() is None and self.window.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)

    def log(self) -> str:
        """Return the end of what the window printed."""
        return (self.folder / "window.log").read_text("utf-8", "replace")[-4000:]


@contextmanager
def session(folder: Path) -> Iterator[Session]:
    """Begin a session, open the window on services that touch nothing, and end both."""
    with ExitStack() as stack:
        # What the program and the desktop know of the user's own session must not leak into this one.
        variables = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        variables |= {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "TUNNELMARK_HOME": str(folder)}
        number = started(
            stack, folder, ("Xvfb", "-displayfd", "{fd}", "-screen", "0", "1280x800x24", "-nolisten", "tcp"), variables
        )
        variables["DISPLAY"] = f":{number}"
        bus = ("dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address={fd}")
        variables["DBUS_SESSION_BUS_ADDRESS"] = started(stack, folder, bus, variables)
        wake = ("dbus-send", "--session", f"--reply-timeout={int(1000 * LIMIT_S)}", "--print-reply", *_GET_BUS)
        subprocess.run(
            wake, env=variables, check=True, capture_output=True
        )  # the library gives up soon where it starts
        variables |= {"QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
        with (folder / "window.log").open("wb") as log:
            window = subprocess.Popen(
                [sys.executable, "-X", "faulthandler", str(_SUPPORT / "at_spi_window.py")],
                env={**variables, "PYTHONPATH": os.pathsep.join(map(str, (_ROOT, _ROOT / "tests", _SUPPORT)))},
                stdout=log,
                stderr=log,
            )
        stack.callback(end, window)
        yield Session(folder, variables, window)


def started(stack: ExitStack, folder: Path, argv: tuple[str, ...], variables: dict[str, str]) -> str:
    """Start a program that writes a line to a file descriptor once it is ready; return the line."""
    reading, writing = os.pipe()
    with (folder / f"{argv[0]}.log").open("wb") as log, os.fdopen(reading, encoding="ascii") as lines:
        program = subprocess.Popen(
            [word.replace("{fd}", str(writing)) for word in argv],
            env=variables,
            pass_fds=(writing,),
            stdout=log,
            stderr=log,
        )
        os.close(writing)
        stack.callback(end, program)
        line = lines.readline().strip()
    assert line, f"{argv[0]} did not start; see {folder}"
    return line


def end(program: subprocess.Popen[bytes]) -> None:
    """End a program that was started here."""
    if program.poll() is None:
        program.terminate()
        try:
            program.wait(timeout=30)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
