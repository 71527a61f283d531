"""Connections to a real sshd on 127.0.0.1 that the test runs itself, with its own configuration and keys."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from paramiko.channel import Channel
from paramiko.common import MSG_CHANNEL_EOF, MSG_CHANNEL_REQUEST
from paramiko.message import Message

from app.domain.cancel import CancelToken
from app.domain.commands import Command, FileToWrite, Stream
from app.domain.errors import (
    AuthenticationFailed,
    Cancelled,
    CommandFailed,
    ConnectionLost,
    HostKeyChanged,
    HostKeyUnknown,
    HostUnreachable,
)
from app.domain.hosts import HostSpec, Privilege
from app.ssh import SshSession
from app.ssh.messages import (
    CONNECTION_LOST_RUNNING,
    HOST_KEY_CHANGED,
    HOST_KEY_UNKNOWN,
    HOST_UNREACHABLE,
    JUMP_FAILED,
    NO_CONNECTION_ANY_MORE,
    NO_SSH_SERVER,
    SHELL_DID_NOT_RUN,
)
from app.ssh.transport import WatchfulTransport
from support.held_port import held_port
from support.local_sshd import SSHD, Sshd, cancel_when, connector, sleeping
from support.message_checks import has_message

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not Path(SSHD).exists(), reason="needs openssh-server"),
    pytest.mark.skipif(os.geteuid() != 0, reason="sshd logs in root here"),
]

WAITS_S = 240.0
"""Time limit of paramiko's for an exchange of keys, in place of 30 s, which a busy computer may take."""


@pytest.fixture
def token() -> CancelToken:
    return CancelToken()


# --- host keys --------------------------------------------------------------------------------------------------------


def test_an_unknown_host_key_is_refused_and_stored_once_confirmed(
    server: Sshd, token: CancelToken, tmp_path: Path
) -> None:
    spec = replace(server.spec, host_key_file=None)
    listed = subprocess.run(
        ["ssh-keygen", "-lf", server.folder / "host_ed25519.pub"], capture_output=True, text=True, check=True
    )
    with pytest.raises(HostKeyUnknown) as caught:
        connector(tmp_path).open(spec, token=token)
    assert caught.value.context["fingerprint"] == listed.stdout.split()[1]
    assert not (tmp_path / "own_known_hosts").exists()
    connector(tmp_path, confirm_host_key=lambda _question: True).open(spec, token=token).close()
    connector(tmp_path).open(spec, token=token).close()


def test_a_changed_host_key_is_refused(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    other = Sshd(tmp_path, port=server.port)
    (tmp_path / "own_known_hosts").write_text(other.make_host_key("ed25519"))
    ssh = connector(tmp_path, confirm_host_key=lambda _question: True)
    spec = replace(server.spec, host_key_file=None)
    with pytest.raises(HostKeyChanged, check=has_message(HOST_KEY_CHANGED)):
        ssh.open(spec, token=token)


@pytest.mark.parametrize("known", ["rsa", "ecdsa", "ed25519"])
def test_the_known_type_is_asked_for(own_server: Sshd, token: CancelToken, tmp_path: Path, known: str) -> None:
    own_server.start("ed25519", "ecdsa", "rsa")
    lines = own_server.known_hosts.read_text().splitlines(keepends=True)
    own_server.known_hosts.write_text("".join(line for line in lines if known in line.split()[1]))
    connector(tmp_path).open(own_server.spec, token=token).close()


# --- ends of commands -------------------------------------------------------------------------------------------------


def test_a_command_that_ends_while_its_input_ends_does_not_cost_the_connection(
    session: SshSession, token: CancelToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    """sshd ends a connection on which an end of input comes after the channel was closed."""
    send = WatchfulTransport._send_user_message  # type: ignore[attr-defined]
    delayed = []

    def send_late(transport: WatchfulTransport, message: Message) -> None:
        if message.asbytes()[0] == MSG_CHANNEL_EOF:
            delayed.append(message)
            time.sleep(0.5)  # the command ends meanwhile, and sshd closes the channel
        send(transport, message)

    monkeypatch.setattr(WatchfulTransport, "_send_user_message", send_late)
    for _ in range(2):
        assert session.run(Command(("true",)), token=token).is_ok
    assert len(delayed) == 2
    assert session.is_connected
    assert session.run(Command(("echo", "still here")), token=token).stdout == "still here\n"


def test_a_close_that_crosses_the_beginning_of_a_rekey_costs_no_time(
    session: SshSession, token: CancelToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be sent until the keys are agreed on, and the thread that has to answer the CLOSE agrees on them."""
    handle = WatchfulTransport._channel_handler_table[MSG_CHANNEL_REQUEST]
    begun = []

    def rekey_at_exit(channel: Channel, message: Message) -> None:
        start = message.packet.tell()
        is_exit = message.get_text() == "exit-status"
        message.packet.seek(start)
        handle(channel, message)
        if is_exit and not begun:
            transport = channel.get_transport()
            transport.clear_to_send_timeout = WAITS_S
            time.sleep(0.5)  # sshd has sent its CLOSE by now
            begun.append(transport)
            transport._send_kex_init()  # as paramiko does in this thread after so many packets

    monkeypatch.setitem(WatchfulTransport._channel_handler_table, MSG_CHANNEL_REQUEST, rekey_at_exit)
    began_s = time.monotonic()
    assert session.run(Command(("true",)), token=token).is_ok
    assert session.run(Command(("echo", "still here")), token=token).stdout == "still here\n"
    assert begun
    assert time.monotonic() - began_s < WAITS_S, "it waited for clear_to_send_timeout"
    assert session.is_connected
    assert not begun[0].closes


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
    token.wait_for(lambda: not own_server.children(), timeout_s=120, what="a server without connections")
    with closing(connector(tmp_path, config).open(HostSpec("gw", "gw"), token=token)) as session:
        # A busy server may still have the connection with which it was seen to have started.
        token.wait_for(lambda: len(own_server.children()) == 1, timeout_s=120, what="one connection through the host")
        result = session.run(Command(("sh", "-c", "echo $SSH_CONNECTION; cat"), stdin=b"x" * 500_000), token=token)
        assert result.stdout.split()[3] == str(server.port)
        assert result.stdout.endswith("x" * 500_000)
    (tmp_path / "own_known_hosts").write_text(server.known_hosts.read_text())
    with pytest.raises(HostKeyUnknown, match="jump host inner", check=has_message(HOST_KEY_UNKNOWN)):
        connector(tmp_path, config).open(HostSpec("gw", "gw"), token=token)


def test_a_jump_host_that_does_not_reach_the_host(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    (tmp_path / "own_known_hosts").write_text(server.known_hosts.read_text())
    config = (
        f"Host outer\n  HostName 127.0.0.1\n  Port {server.port}\n  IdentityFile {server.key}\n  User root\n"
        f"Host gw\n  HostName 127.0.0.1\n  Port {held_port()}\n  ProxyJump outer\n"
    )
    with pytest.raises(HostUnreachable, check=has_message(JUMP_FAILED)):
        connector(tmp_path, config).open(HostSpec("gw", "gw"), token=token)


def test_nothing_listens(token: CancelToken, tmp_path: Path, server: Sshd) -> None:
    with pytest.raises(HostUnreachable, check=has_message(HOST_UNREACHABLE, why=("Connection refused",))):
        connector(tmp_path).open(replace(server.spec, port=held_port()), token=token)


def test_something_else_listens(token: CancelToken, tmp_path: Path, server: Sshd) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(HostUnreachable, check=has_message(NO_SSH_SERVER)):
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


def test_a_forced_command_is_reported(own_server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    own_server.options = ("ForceCommand echo This account is closed >&2",)
    own_server.start("ed25519")
    session = connector(tmp_path).open(own_server.spec, token=token)
    with pytest.raises(CommandFailed, match="This account is closed", check=has_message(SHELL_DID_NOT_RUN)):
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
    assert 0 < seconds < 300
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
    waiting = Command(("sh", "-c", f"echo; {sleeping(4718)}"), timeout_s=300)

    def cut(_stream: Stream, _line: str) -> None:
        for pid in own_server.children():
            os.kill(pid, signal.SIGKILL)

    with pytest.raises(ConnectionLost, check=has_message(CONNECTION_LOST_RUNNING, what="`sh` on gateway")):
        session.run(waiting, token=token, on_line=cut)
    # The command may live on: there was no way to end it.
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
    session.run(Command(("pkill", "-f", sleeping(4718))), token=token)
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
        session.run(Command(("sh", "-c", f"echo; {sleeping(4720)}"), timeout_s=400), token=token, on_line=freeze)
    assert 10 < time.monotonic() - frozen_s[0] < 200  # 20 s on a computer that does nothing else
    assert not session.is_connected
    session.close()
    subprocess.run(["pkill", "-f", sleeping(4720)], check=False)


def test_an_idle_connection_is_kept(own_server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    own_server.options = ("ClientAliveInterval 2", "ClientAliveCountMax 5")
    own_server.start("ed25519")
    session = connector(tmp_path).open(own_server.spec, token=token)
    assert session.run(Command(("sleep", "15"), timeout_s=120), token=token).is_ok
    session.close()


def test_closing_ends_everything(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    before = set(threading.enumerate())
    session = connector(tmp_path).open(server.spec, token=token)
    served = set(server.children())
    session.close()
    session.close()
    token.wait_for(lambda: set(threading.enumerate()) <= before, timeout_s=120, what="the end of its threads")
    assert not session.is_connected
    token.wait_for(lambda: len(server.children()) < len(served), timeout_s=120, what="sshd's child to end")
    with pytest.raises(ConnectionLost, check=has_message(NO_CONNECTION_ANY_MORE)):
        session.run(Command(("true",)), token=token)


def test_closing_while_a_command_runs_ends_it(server: Sshd, token: CancelToken, tmp_path: Path) -> None:
    session = connector(tmp_path).open(server.spec, token=token)
    closer = threading.Thread(target=session.close)
    with pytest.raises(ConnectionLost):
        session.run(
            Command(("sh", "-c", f"echo; exec {sleeping(4719)}"), timeout_s=300),
            token=token,
            on_line=lambda _stream, _line: closer.start(),
        )
    closer.join()
    subprocess.run(["pkill", "-f", sleeping(4719)], check=False)
