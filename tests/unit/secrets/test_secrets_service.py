"""The keyring against a real Secret Service: gnome-keyring on a session bus of its own, below a temporary home."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from app.secrets.messages import KEYRING_NOT_READ, PASSWORDS_IN_KEYRING, PASSWORDS_IN_MEMORY_BECAUSE
from support.message_checks import shows

pytestmark = [
    pytest.mark.keyring,
    pytest.mark.skipif(
        not (shutil.which("dbus-run-session") and shutil.which("gnome-keyring-daemon")),
        reason="needs dbus and gnome-keyring",
    ),
]

UNLOCK = "printf 'keyring password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; "
START_LOCKED = "gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1; "


def in_session(home: Path, prepare: str | None, program: str) -> dict[str, object]:
    """Run Python code in a session, with a bus unless `prepare` is None; return what it prints as JSON."""
    script = home / "program.py"
    script.write_text(
        "import json\nfrom app.domain.credentials import *\nfrom app.domain.errors import *\n"
        "from app.secrets import *\n"
        "key = SecretKey(SecretKind.LOGIN, 'operator@gw:22')\nstore = PasswordStore()\n" + textwrap.dedent(program)
    )
    environment = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }
    # The daemon dies with its bus, which ends with the shell.
    python = [sys.executable, "-W", "error", str(script)]
    command = python if prepare is None else ["dbus-run-session", "--", "sh", "-c", prepare + '"$@"', "sh", *python]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    result = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result


@pytest.fixture
def home(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


def test_a_password_outlives_the_program(home: Path) -> None:
    stored = in_session(
        home,
        UNLOCK,
        """
        passwords = LayeredPasswords(store, MemoryPasswords(), None)
        before = store.get(key)
        said = passwords.remember(key, Secret("pass wörd"))
        print(json.dumps({"before": before, "said": said, "available": store.availability()[0]}))
        """,
    )
    assert stored["before"] is None
    assert stored["available"] is True
    assert shows(str(stored["said"]), PASSWORDS_IN_KEYRING.text)
    files = [file for file in home.rglob("*.keyring") if file.is_file()]
    assert files
    assert not any("pass wörd".encode() in file.read_bytes() for file in files)
    found = in_session(
        home,
        UNLOCK,
        """
        found = LayeredPasswords(store, MemoryPasswords(), None).get(key, is_retry=False)
        print(json.dumps({"found": found.value if found else None}))
        """,
    )
    assert found == {"found": "pass wörd"}


def test_a_locked_keyring_is_passed_over_and_reported(home: Path) -> None:
    in_session(home, UNLOCK, "store.set(key, Secret('x'))\nprint('{}')")
    reported = in_session(
        home,
        START_LOCKED,
        """
        try:
            store.get(key)
            error = None
        except KeyringUnavailable as caught:
            error = caught.sentence()
        passwords = LayeredPasswords(store, MemoryPasswords(), lambda key, is_retry: Secret("typed"))
        got = passwords.get(key, is_retry=False)
        print(json.dumps({"error": error, "got": got.value, "where": passwords.where()}))
        """,
    )
    assert shows(str(reported["error"]), KEYRING_NOT_READ.text)
    assert reported["got"] == "typed"
    assert shows(str(reported["where"]), PASSWORDS_IN_MEMORY_BECAUSE.text)


def test_without_a_secret_service_it_is_memory_only(home: Path) -> None:
    reported = in_session(
        home,
        None,
        """
        passwords = LayeredPasswords(store, MemoryPasswords(), None)
        print(json.dumps({"available": store.availability(), "said": passwords.remember(key, Secret("x"))}))
        """,
    )
    available = reported["available"]
    assert isinstance(available, list)
    assert available[0] is False
    assert shows(str(reported["said"]), PASSWORDS_IN_MEMORY_BECAUSE.text)
