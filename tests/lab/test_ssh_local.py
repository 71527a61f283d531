"""Sessions against a real sshd on 127.0.0.1 that the test runs itself, with its own configuration and keys."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, FileToWrite, Stream
from app.domain.credentials import Secret, SecretKey
from app.domain.errors import (
    AuthenticationFailed,
    Cancelled,
    CommandFailed,
    ConnectionLost,
    DeadlineExceeded,
    DiskFull,
    HostKeyChanged,
    HostKeyUnknown,
    HostUnreachable,
)
from app.domain.hosts import AuthKind, HostSpec, Privilege
from app.ssh import SshConnector, SshSession

SSHD = "/usr/sbin/sshd"

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not Path(SSHD).exists(), reason="needs openssh-server"),
    pytest.mark.skipif(os.geteuid() != 0, reason="sshd logs in root here"),
]


class NoPasswords:
    def get(self, key: SecretKey, *, is_retry: bool) -> Secret | None:
        return None


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@dataclass
class Sshd:
    """One SSH server and what is needed to log in to it."""

    folder: Path
    port: int = field(default_factory=free_port)
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
        CancelToken().wait_for(self.answers, timeout_s=20, what="sshd")

    def answers(self) -> bool:
        with socket.socket() as sock:
            sock.settimeout(1.0)
            return sock.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        if self.process is not None:
            for pid in self.children():
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


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    sshd = Sshd(tmp_path_factory.mktemp("sshd"))
    sshd.start("ed25519")
    yield sshd
    sshd.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Sshd]:
    """A server of the test's own, not started yet."""
    sshd = Sshd(tmp_path / "sshd")
    yield sshd
    sshd.stop()


@pytest.fixture
def session(server: Sshd, tmp_path: Path) -> Iterator[SshSession]:
    opened = connector(tmp_path).open(server.spec, token=CancelToken())
    yield opened
    opened.close()


@pytest.fixture
def token() -> CancelToken:
    return CancelToken()


def cancel_when(token: CancelToken, condition: Callable[[], object]) -> threading.Thread:
    """Cancel a token from another thread as soon as a condition holds."""

    def wait() -> None:
        CancelToken().wait_for(lambda: bool(condition()), timeout_s=30, what="the moment to cancel")
        token.cancel()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


# --- commands ---------------------------------------------------------------------------------------------------------


def test_a_command_runs_and_its_streams_come_apart(session: SshSession, token: CancelToken) -> None:
    lines: list[tuple[Stream, str]] = []
    command = Command(("sh", "-c", "echo one; echo two >&2; printf three; exit 5"))
    result = session.run(command, token=token, on_line=lambda stream, line: lines.append((stream, line)))
    assert (result.exit_status, result.stdout, result.stderr) == (5, "one\nthree", "two\n")
    assert (result.argv, result.is_truncated, result.is_ok) == (command.argv, False, False)
    assert sorted(lines) == [(Stream.STDERR, "two"), (Stream.STDOUT, "one"), (Stream.STDOUT, "three")]
    assert 0 < result.duration_s < 30


def test_lines_come_while_the_command_runs(session: SshSession, token: CancelToken) -> None:
    arrived: list[float] = []
    session.run(
        Command(("sh", "-c", "for i in 1 2 3; do echo $i; sleep 0.4; done")),
        token=token,
        on_line=lambda _stream, _line: arrived.append(time.monotonic()),
    )
    assert len(arrived) == 3
    assert arrived[2] - arrived[0] > 0.6


def test_a_command_that_does_not_exist_ends_with_127(session: SshSession, token: CancelToken) -> None:
    assert session.run(Command(("no-such-program",)), token=token).exit_status == 127


@pytest.mark.parametrize("size", [0, 1, 5_000_000])
def test_stdin_passes_whatever_it_holds(session: SshSession, token: CancelToken, size: int) -> None:
    content = (bytes(range(256)) * (size // 256 + 1))[:size]
    result = session.run(Command(("wc", "-c"), stdin=content), token=token)
    assert int(result.stdout) == size


def test_a_command_that_reads_nothing_does_not_block_its_stdin(session: SshSession, token: CancelToken) -> None:
    assert session.run(Command(("true",), stdin=b"x" * 5_000_000), token=token).exit_status == 0


def test_ten_megabytes_are_cut_and_read_to_the_end(session: SshSession, token: CancelToken) -> None:
    count = 0

    def take(_stream: Stream, _line: str) -> None:
        nonlocal count
        count += 1

    command = Command(("sh", "-c", "yes 012345678 | head -n 1000000; yes err >&2 & sleep 0.2; kill $!"))
    result = session.run(replace(command, timeout_s=120, max_output_bytes=100_000), token=token, on_line=take)
    assert (len(result.stdout), len(result.stderr)) == (100_000, 100_000)
    assert result.is_truncated
    assert count > 1_000_000


def test_output_that_is_no_text_is_replaced(session: SshSession, token: CancelToken) -> None:
    assert session.run(Command(("printf", "\\377a\\000")), token=token).stdout == "\ufffda\0"


def test_the_exit_status_of_a_killed_wrapper_is_known(session: SshSession, token: CancelToken) -> None:
    assert session.run(Command(("sh", "-c", "kill -9 $PPID; kill -9 $$")), token=token).exit_status == 128 + 9


def test_a_daemon_that_keeps_stdout_open_holds_nobody_up(session: SshSession, token: CancelToken) -> None:
    result = session.run(Command(("sh", "-c", "sleep 4711 & echo $!"), timeout_s=20), token=token)
    assert result.is_ok
    os.kill(int(result.stdout), signal.SIGKILL)


def test_cancelling_stops_at_once_and_leaves_nothing_running(session: SshSession, token: CancelToken) -> None:
    canceller = cancel_when(token, lambda: len(processes_with("sleep 4712")) >= 3)
    with pytest.raises(Cancelled):
        session.run(Command(("sh", "-c", "sleep 4712 & setsid sleep 4712 & sleep 4712"), timeout_s=60), token=token)
    canceller.join()
    assert processes_with("4712") == []
    assert session.run(Command(("true",)), token=CancelToken()).is_ok


def test_cancelling_takes_less_than_two_seconds(session: SshSession, token: CancelToken) -> None:
    started_s: list[float] = []
    token.on_cancel(lambda: started_s.append(time.monotonic()))
    canceller = cancel_when(token, lambda: processes_with("sleep 4713"))
    with pytest.raises(Cancelled):
        session.run(Command(("sleep", "4713"), timeout_s=60), token=token)
    assert time.monotonic() - started_s[0] < 2.0
    canceller.join()
    assert processes_with("4713") == []


def test_a_command_ends_at_its_deadline(session: SshSession, token: CancelToken) -> None:
    with pytest.raises(DeadlineExceeded, match="`sleep` on gateway"):
        session.run(Command(("sleep", "4714"), timeout_s=0.5), token=token)
    assert processes_with("4714") == []


def test_a_batch_is_cancelled_as_a_whole(session: SshSession, token: CancelToken) -> None:
    canceller = cancel_when(token, lambda: processes_with("sleep 4715"))
    with pytest.raises(Cancelled):
        session.run_batch([Command(("sleep", "4715")), Command(("sleep", "4716"))], token=token)
    canceller.join()
    assert processes_with("sleep 471") == []


def test_an_error_in_the_one_who_gets_the_lines_stops_the_command(session: SshSession, token: CancelToken) -> None:
    def fail(_stream: Stream, _line: str) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        session.run(Command(("sh", "-c", "echo; exec sleep 4717")), token=token, on_line=fail)
    assert processes_with("4717") == []


def test_what_is_cancelled_before_it_starts_does_not_start(session: SshSession, token: CancelToken) -> None:
    token.cancel()
    with pytest.raises(Cancelled):
        session.run(Command(("true",)), token=token)


def test_root_is_root(session: SshSession, token: CancelToken) -> None:
    assert session.privilege is Privilege.ROOT
    assert session.run(Command(("id", "-u"), is_root=True), token=token).stdout == "0\n"


# --- batches ----------------------------------------------------------------------------------------------------------


def test_a_batch_gives_one_result_per_command(session: SshSession, token: CancelToken) -> None:
    lines: list[tuple[int, Stream, str]] = []
    commands = [Command(("echo", "a")), Command(("sh", "-c", "echo b >&2; exit 2"), is_root=True), Command(("cat",))]
    results = session.run_batch(commands, token=token, on_line=lambda *line: lines.append(line))
    assert [result.exit_status for result in results] == [0, 2, 0]
    assert sorted(lines) == [(0, Stream.STDOUT, "a"), (1, Stream.STDERR, "b")]
    assert session.run_batch([], token=token) == ()


def test_a_batch_stops_where_it_should(session: SshSession, token: CancelToken) -> None:
    commands = [Command(("true",)), Command(("false",)), Command(("true",))]
    results = session.run_batch(commands, token=token, should_stop_at_failure=True)
    assert [result.exit_status for result in results] == [0, 1, None]


def test_a_long_batch_passes(session: SshSession, token: CancelToken) -> None:
    commands = [Command(("printf", "%s", f"{number:04}" * 250)) for number in range(300)]
    results = session.run_batch(commands, token=token)
    assert [result.stdout[:4] for result in results] == [f"{number:04}" for number in range(300)]


def test_a_batch_whose_shell_dies_says_where(session: SshSession, token: CancelToken) -> None:
    commands = [Command(("true",)), Command(("sh", "-c", "kill -9 $PPID; kill -9 $$")), Command(("true",))]
    with pytest.raises(CommandFailed, match=r"during `sh`, command 2 of 3"):
        session.run_batch(commands, token=token)


# --- files ------------------------------------------------------------------------------------------------------------


def test_files_arrive_byte_for_byte(session: SshSession, token: CancelToken, tmp_path: Path) -> None:
    content = os.urandom(300_000)
    files = [FileToWrite(str(tmp_path / "a"), content, 0o600), FileToWrite(str(tmp_path / "b"), b"text\n", 0o755)]
    session.write_files(files, token=token)
    assert (tmp_path / "a").read_bytes() == content
    assert [(tmp_path / name).stat().st_mode & 0o7777 for name in "ab"] == [0o600, 0o755]


def test_a_full_disk_keeps_the_old_file(session: SshSession, token: CancelToken, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], check=True)
    try:
        session.write_files([FileToWrite(str(small / "file"), b"old")], token=token)
        files = [FileToWrite(str(small / "file"), b"new"), FileToWrite(str(small / "big"), bytes(200_000))]
        with pytest.raises(DiskFull, match="no space left"):
            session.write_files(files, token=token)
        assert [(path.name, path.read_bytes()) for path in small.iterdir()] == [("file", b"old")]
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_missing_folder_is_said(session: SshSession, token: CancelToken, tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match="does not exist on gateway"):
        session.write_files([FileToWrite(str(tmp_path / "no" / "file"), b"x")], token=token)


def test_a_protected_file_is_said(session: SshSession, token: CancelToken) -> None:
    with pytest.raises(CommandFailed, match="/proc/version"):
        session.write_files([FileToWrite("/proc/version", b"x")], token=token)


# --- host keys --------------------------------------------------------------------------------------------------------


def test_an_unknown_host_key_is_refused_scanned_and_accepted(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    ssh = connector(tmp_path)
    spec = replace(server.spec, host_key_file=None)
    listed = subprocess.run(
        ["ssh-keygen", "-lf", server.folder / "host_ed25519.pub"], capture_output=True, text=True, check=True
    )
    with pytest.raises(HostKeyUnknown) as caught:
        ssh.open(spec, token=token)
    question = ssh.scan_host_key(spec, token=token)
    assert question.fingerprint == caught.value.context["fingerprint"] == listed.stdout.split()[1]
    assert not ssh.is_host_key_known(spec, token=token)
    with pytest.raises(HostKeyChanged, match="Nothing was stored"):
        ssh.accept_host_key(spec, "SHA256:" + "A" * 43, token=token)
    assert not (tmp_path / "own_known_hosts").exists()
    assert ssh.accept_host_key(spec, question.fingerprint, token=token) == question
    assert ssh.is_host_key_known(spec, token=token)
    ssh.open(spec, token=token).close()


def test_a_changed_host_key_is_refused(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    other = Sshd(tmp_path, port=server.port)
    (tmp_path / "own_known_hosts").write_text(other.make_host_key("ed25519"))
    ssh = connector(tmp_path, confirm_host_key=lambda _question: True)
    spec = replace(server.spec, host_key_file=None)
    for attempt in (ssh.open, ssh.is_host_key_known):
        with pytest.raises(HostKeyChanged, match="another host key than the known one"):
            attempt(spec, token=token)


@pytest.mark.parametrize("known", ["rsa", "ecdsa", "ed25519"])
def test_the_known_type_is_asked_for(own_server: Sshd, token: CancelToken, tmp_path: Path, known: str) -> None:
    own_server.start("ed25519", "ecdsa", "rsa")
    lines = own_server.known_hosts.read_text().splitlines(keepends=True)
    own_server.known_hosts.write_text("".join(line for line in lines if known in line.split()[1]))
    connector(tmp_path).open(own_server.spec, token=token).close()


# --- logging in -------------------------------------------------------------------------------------------------------


def test_a_wrong_key_is_refused_by_name(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "wrong")], check=True)
    with pytest.raises(AuthenticationFailed, match="wrong"):
        connector(tmp_path).open(replace(server.spec, identity_file=str(tmp_path / "wrong")), token=token)


def test_the_ssh_configuration_is_followed_through_two_jump_hosts(
    server: Sshd, own_server: Sshd, token: CancelToken, tmp_path: Path
) -> None:
    own_server.start("ed25519")
    (tmp_path / "own_known_hosts").write_text(server.known_hosts.read_text() + own_server.known_hosts.read_text())
    config = (
        f"Host outer\n  HostName 127.0.0.1\n  Port {server.port}\n  IdentityFile {server.key}\n"
        f"Host inner\n  HostName 127.0.0.1\n  Port {own_server.port}\n  IdentityFile {own_server.key}\n"
        "  ProxyJump outer\n"
        f"Host gw\n  HostName 127.0.0.1\n  Port {server.port}\n  IdentityFile {server.key}\n  ProxyJump inner\n"
        "Host *\n  User root\n"
    )
    token.wait_for(lambda: not own_server.children(), timeout_s=10, what="a server without connections")
    with closing(connector(tmp_path, config).open(HostSpec("gw", "gw"), token=token)) as session:
        assert len(own_server.children()) == 1
        result = session.run(Command(("sh", "-c", "echo $SSH_CONNECTION; cat"), stdin=b"x" * 500_000), token=token)
        assert result.stdout.split()[3] == str(server.port)
        assert result.stdout.endswith("x" * 500_000)
    (tmp_path / "own_known_hosts").write_text(server.known_hosts.read_text())
    with pytest.raises(HostKeyUnknown, match="jump host inner"):
        connector(tmp_path, config).open(HostSpec("gw", "gw"), token=token)


def test_a_jump_host_that_does_not_reach_the_host(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    (tmp_path / "own_known_hosts").write_text(server.known_hosts.read_text())
    config = (
        f"Host outer\n  HostName 127.0.0.1\n  Port {server.port}\n  IdentityFile {server.key}\n  User root\n"
        f"Host gw\n  HostName 127.0.0.1\n  Port {free_port()}\n  ProxyJump outer\n"
    )
    with pytest.raises(HostUnreachable, match="The jump host does not reach"):
        connector(tmp_path, config).open(HostSpec("gw", "gw"), token=token)


def test_nothing_listens(token: CancelToken, tmp_path: Path, server: Sshd) -> None:
    with pytest.raises(HostUnreachable, match="cannot be reached: Connection refused"):
        connector(tmp_path).open(replace(server.spec, port=free_port()), token=token)


def test_something_else_listens(token: CancelToken, tmp_path: Path, server: Sshd) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(HostUnreachable, match="did not say that it is an SSH server"):
            connector(tmp_path).open(replace(server.spec, port=listener.getsockname()[1]), token=token)
        thread.join()


def test_connecting_can_be_cancelled(token: CancelToken, tmp_path: Path, server: Sshd) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepted: list[socket.socket] = []
        accepting = threading.Thread(target=lambda: accepted.append(listener.accept()[0]))
        accepting.start()
        canceller = cancel_when(token, lambda: accepted)
        with pytest.raises(Cancelled):  # it waits for a banner that does not come
            connector(tmp_path).open(replace(server.spec, port=listener.getsockname()[1]), token=token)
        accepting.join()
        canceller.join()
        accepted[0].close()


def test_a_login_shell_that_talks_disturbs_nothing(own_server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    own_server.start("ed25519")
    (own_server.folder / "home" / ".bashrc").write_text("echo Welcome; printf 'no end' >&2\n")
    session = connector(tmp_path).open(own_server.spec, token=token)
    result = session.run(Command(("sh", "-c", "echo out; echo err >&2")), token=token)
    assert (result.stdout, result.stderr) == ("out\n", "err\n")
    assert session.privilege is Privilege.ROOT
    assert session.run_batch([Command(("echo", "x"))], token=token)[0].stdout == "x\n"
    session.close()


def test_a_forced_command_is_said(own_server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    own_server.options = ("ForceCommand echo This account is closed >&2",)
    own_server.start("ed25519")
    session = connector(tmp_path).open(own_server.spec, token=token)
    with pytest.raises(CommandFailed, match="not run by the host's login shell: This account is closed"):
        session.run(Command(("true",)), token=token)
    session.close()


# --- many at once, and the end ----------------------------------------------------------------------------------------


def test_many_threads_share_a_session(session: SshSession, token: CancelToken) -> None:
    def work(number: int) -> str:
        return session.run(Command(("sh", "-c", f"sleep 0.2; echo {number}"), timeout_s=60), token=token).stdout

    with ThreadPoolExecutor(25) as pool:  # sshd allows 10 channels at a time
        assert list(pool.map(work, range(25))) == [f"{number}\n" for number in range(25)]


def test_a_new_connection_is_really_new(server: Sshd, session: SshSession, token: CancelToken) -> None:
    seconds = session.check_new_connection(token=token)
    assert 0 < seconds < 30
    keys = server.folder / "authorized_keys"
    saved = keys.read_bytes()
    keys.write_bytes(b"")
    try:
        with pytest.raises(AuthenticationFailed):
            session.check_new_connection(token=token)
    finally:
        keys.write_bytes(saved)
    assert session.run(Command(("true",)), token=token).is_ok


def test_a_cut_connection_is_lost_and_can_be_made_anew(own_server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    own_server.start("ed25519")
    session = connector(tmp_path).open(own_server.spec, token=token)
    assert session.is_connected
    waiting = Command(("sh", "-c", "echo; sleep 4718"), timeout_s=60)

    def cut(_stream: Stream, _line: str) -> None:
        for pid in own_server.children():
            os.kill(pid, signal.SIGKILL)

    with pytest.raises(ConnectionLost, match="`sh` on gateway"):
        session.run(waiting, token=token, on_line=cut)
    for line in processes_with("4718"):
        assert line  # it may live on: nobody could tell it to end
    assert not session.is_connected
    for use in (
        lambda: session.run(Command(("true",)), token=token),
        lambda: session.run_batch([Command(("true",))], token=token),
        lambda: session.write_files([FileToWrite("/tmp/x", b"")], token=token),
    ):
        with pytest.raises(ConnectionLost):
            use()
    session.reconnect(token=token)
    assert session.is_connected
    session.run(Command(("pkill", "-f", "sleep 4718")), token=token)
    session.close()


def test_a_host_that_freezes_is_noticed(own_server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    own_server.start("ed25519")
    session = connector(tmp_path).open(own_server.spec, token=token)
    frozen_s: list[float] = []

    def freeze(_stream: Stream, _line: str) -> None:
        for pid in own_server.children():
            os.kill(pid, signal.SIGSTOP)
        frozen_s.append(time.monotonic())

    with pytest.raises(ConnectionLost):
        session.run(Command(("sh", "-c", "echo; sleep 60"), timeout_s=60), token=token, on_line=freeze)
    assert 10 < time.monotonic() - frozen_s[0] < 25
    assert not session.is_connected
    session.close()


def test_an_idle_connection_is_kept(own_server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    own_server.options = ("ClientAliveInterval 1", "ClientAliveCountMax 3")
    own_server.start("ed25519")
    session = connector(tmp_path).open(own_server.spec, token=token)
    assert session.run(Command(("sleep", "7"), timeout_s=30), token=token).is_ok
    session.close()


def test_closing_ends_everything(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    session = connector(tmp_path).open(server.spec, token=token)
    served = set(server.children())
    session.close()
    session.close()
    assert set(threading.enumerate()) <= before
    assert not session.is_connected
    token.wait_for(lambda: len(server.children()) < len(served), timeout_s=10, what="sshd's child to end")
    with pytest.raises(ConnectionLost, match="no connection to gateway"):
        session.run(Command(("true",)), token=token)


def test_closing_while_a_command_runs_ends_it(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    session = connector(tmp_path).open(server.spec, token=token)
    closer = threading.Thread(target=session.close)
    with pytest.raises(ConnectionLost):
        session.run(
            Command(("sh", "-c", "echo; exec sleep 4719"), timeout_s=60),
            token=token,
            on_line=lambda _stream, _line: closer.start(),
        )
    closer.join()
    subprocess.run(["pkill", "-f", "sleep 4719"], check=False)
