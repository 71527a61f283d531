"""A real sshd on 127.0.0.1 with its own configuration and keys, and what tests with it need."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.credentials import Secret, SecretKey
from app.domain.hosts import AuthKind, HostSpec
from app.ssh import SshConnector
from support.held_port import held_port

SSHD = "/usr/sbin/sshd"


class NoPasswords:
    def confirm(self, key: SecretKey, *, token: object = None) -> None:
        pass

    def get(self, key: SecretKey, *, is_retry: bool, token: object = None) -> Secret | None:
        return None


@dataclass
class Sshd:
    """One SSH server and what is needed to log in to it."""

    folder: Path
    port: int = field(default_factory=held_port)
    options: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = None

    @property
    def key(self) -> Path:
        return self.folder / "user_key"

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    def make_host_key(self, kind: str) -> str:
        """Make a host key; return its line for known_hosts."""
        file = self.folder / f"host_{kind}"
        file.unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", str(file)], check=True, input=b"y\n")
        return f"[127.0.0.1]:{self.port} {' '.join(file.with_suffix('.pub').read_text().split()[:2])}\n"

    def start(self, *kinds: str) -> None:
        """Start with host keys of these kinds, all of which become known."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        (self.folder / "home").mkdir(exist_ok=True)
        if not self.key.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.key)], check=True)
            shutil.copy(self.key.with_suffix(".pub"), self.folder / "authorized_keys")
        self.known_hosts.write_text("".join(map(self.make_host_key, kinds)))
        self.run([self.folder / f"host_{kind}" for kind in kinds])

    def run(self, host_keys: list[Path]) -> None:
        lines = [
            f"Port {self.port}",
            "ListenAddress 127.0.0.1",
            *(f"HostKey {file}" for file in host_keys),
            f"AuthorizedKeysFile {self.folder / 'authorized_keys'}",
            "PidFile none",
            "UsePAM no",
            "PermitRootLogin yes",
            "PasswordAuthentication no",
            "StrictModes no",
            f"SetEnv HOME={self.folder / 'home'}",
            *self.options,
        ]
        config = self.folder / "sshd_config"
        config.write_text("\n".join(lines) + "\n")
        self.process = subprocess.Popen([SSHD, "-D", "-f", config, "-E", self.folder / "log"])
        CancelToken().wait_for(self.answers, timeout_s=120, what="sshd")

    def answers(self) -> bool:
        with socket.socket() as sock:
            sock.settimeout(1.0)
            return sock.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        if self.process is not None:
            for pid in self.children():
                # One that was stopped may end by itself as soon as it goes on.
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
                    os.kill(pid, signal.SIGKILL)
            self.process.terminate()
            self.process.wait()
            self.process = None

    def children(self) -> list[int]:
        """Return the processes that serve connections."""
        assert self.process is not None
        return children_of(self.process.pid)

    @property
    def spec(self) -> HostSpec:
        return HostSpec(
            "gateway",
            "127.0.0.1",
            self.port,
            "root",
            AuthKind.KEY,
            identity_file=str(self.key),
            host_key_file=str(self.known_hosts),
        )


def children_of(parent: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def sleeping(number: int) -> str:
    """Return the command line of a long sleep that no other process of this computer has."""
    return f"sleep {number}.{os.getpid()}"


def processes_with(text: str) -> list[str]:
    """Return the command lines of living processes that hold a text."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line and int(folder.name) != os.getpid():
            found.append(line)
    return found


def connector(folder: Path, config: str = "", **options: object) -> SshConnector:
    file = folder / "ssh_config"
    file.write_text(config)
    settings: dict[str, object] = {
        "known_hosts": folder / "own_known_hosts",
        "passwords": NoPasswords(),
        "confirm_host_key": None,
        "ssh_config": file,
    }
    return SshConnector(**(settings | options))  # type: ignore[arg-type]


def cancel_when(token: CancelToken, condition: Callable[[], object]) -> threading.Thread:
    """Cancel a token from another thread as soon as a condition holds."""

    def wait() -> None:
        CancelToken().wait_for(lambda: bool(condition()), timeout_s=120, what="the moment to cancel")
        token.cancel()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread
