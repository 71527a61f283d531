"""Logging in, against paramiko's own server over a socket pair: no network, and every answer is ours to choose."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import paramiko
import pytest

from app.domain.cancel import CancelToken
from app.domain.credentials import Secret, SecretKey, SecretKind
from app.domain.errors import AuthenticationFailed, Cancelled, HostUnreachable, PrivilegeMissing
from app.domain.hosts import AuthKind, HostSpec
from app.ssh.dial import Connection, _exchange_keys
from app.ssh.login import log_in
from app.ssh.logs import adopt_paramiko_logging
from app.ssh.messages import (
    A_PASSWORD,
    CLOSED_DURING_LOGIN,
    KEY_NOT_PRIVATE,
    KEY_UNREADABLE,
    NO_AGENT,
    NO_PASSWORDS_TAKEN,
    NOTHING_TO_OFFER,
    PASSPHRASE_NOT_GIVEN,
    WAS_OFFERED,
)
from app.ssh.privileges import Privileges
from app.ssh.targets import SshTarget
from app.ssh.transport import WatchfulTransport
from support.message_checks import has_message
from support.waiting import wait_until

LOGIN = SecretKey(SecretKind.LOGIN, "operator@gw:22")
PARTIAL, OK, NO = paramiko.AUTH_PARTIALLY_SUCCESSFUL, paramiko.AUTH_SUCCESSFUL, paramiko.AUTH_FAILED


@dataclass
class Host(paramiko.ServerInterface):
    """A host that takes what its attributes say."""

    methods: str = "publickey,password"
    keys: tuple[str, ...] = ()
    password: str | None = None
    wants_both: bool = False
    is_mute: bool = False
    tried_keys: list[str] = field(default_factory=list)
    was_asked: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)

    def get_allowed_auths(self, username: str) -> str:
        return self.methods

    def check_auth_none(self, username: str) -> int:
        return NO

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        self.tried_keys.append(key.fingerprint)
        if key.fingerprint not in self.keys:
            return NO
        self.methods = "password" if self.wants_both else self.methods
        return PARTIAL if self.wants_both else OK

    def check_auth_password(self, username: str, password: str) -> int:
        self.was_asked.set()
        if self.is_mute:
            self.release.wait(120)
        return OK if password == self.password else NO

    def check_auth_interactive(self, username: str, submethods: str) -> int | paramiko.InteractiveQuery:
        return paramiko.InteractiveQuery("", "", ("Password: ", False))

    def check_auth_interactive_response(self, responses: list[str]) -> int:
        return OK if responses == [self.password] else NO


class Passwords:
    """Gives what it was given, in order, and notes the questions."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[SecretKey, bool]] = []

    def confirm(self, key: SecretKey, *, token: CancelToken | None = None) -> None:
        assert token is not None, "without it, a keyring cannot be cancelled"

    def get(self, key: SecretKey, *, is_retry: bool, token: CancelToken | None = None) -> Secret | None:
        assert token is not None, "without it, a keyring cannot be cancelled"
        self.asked.append((key, is_retry))
        answer = self.answers.pop(0) if self.answers else None
        return None if answer is None else Secret(answer)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    (tmp_path / ".ssh").mkdir()
    return tmp_path


@pytest.fixture(scope="module")
def host_key() -> paramiko.PKey:
    return paramiko.ECDSAKey.generate()


@pytest.fixture
def connect(host_key: paramiko.PKey) -> Iterator[Connect]:
    maker = Connect(host_key)
    yield maker
    maker.close()


@dataclass
class Connect:
    """Connects to a host and exchanges keys."""

    host_key: paramiko.PKey
    made: list[paramiko.Transport] = field(default_factory=list)

    def __call__(self, host: Host) -> WatchfulTransport:
        ours, theirs = socket.socketpair()
        server = paramiko.Transport(theirs)
        server.set_log_channel(adopt_paramiko_logging())
        server.add_server_key(self.host_key)
        self.made.append(server)
        server.start_server(event=threading.Event(), server=host)
        transport = WatchfulTransport(ours)
        self.made.append(transport)
        _exchange_keys(transport, target(), CancelToken())
        return transport

    def close(self) -> None:
        for transport in self.made:
            transport.packetizer.complete_handshake()
            transport.close()
            if transport.is_alive():
                transport.join(120)


def target(auth: AuthKind = AuthKind.AUTO, *files: Path, is_identities_only: bool = False) -> SshTarget:
    spec = HostSpec("gateway", "gw", auth=auth)
    return SshTarget(spec, "gw", 22, "operator", "gw", 22, tuple(files), is_identities_only)


@cache
def rsa_key() -> bytes:
    """Return a key file; finding its primes takes seconds on a slow computer."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "key")
        subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-N", "", "-C", "rsa", "-f", str(file)], check=True)
        return file.read_bytes()


def make_key(file: Path, passphrase: str = "", kind: str = "ed25519") -> str:
    """Make a key file as users have them; return its fingerprint."""
    if kind == "rsa":
        file.write_bytes(rsa_key())
        file.chmod(0o600)
    else:
        # One round of its slow key derivation: trying passphrases is not what is tested.
        argv = ["ssh-keygen", "-q", "-t", kind, "-a", "1", "-N", passphrase, "-C", file.name, "-f", str(file)]
        subprocess.run(argv, check=True)
    return paramiko.PKey.from_path(file, passphrase.encode() or None).fingerprint  # type: ignore[arg-type]


# --- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_a_key_file_lets_in(connect: Connect, tmp_path: Path, kind: str) -> None:
    host = Host(keys=(make_key(tmp_path / "key", kind=kind),))
    transport = connect(host)
    log_in(transport, target(AuthKind.KEY, tmp_path / "key"), Passwords(), token=CancelToken())
    assert transport.is_authenticated()


def test_a_locked_key_asks_for_its_passphrase_until_it_is_right(connect: Connect, tmp_path: Path) -> None:
    host = Host(keys=(make_key(tmp_path / "key", "open sesame"),))
    passwords = Passwords("wrong", "open sesame")
    log_in(connect(host), target(AuthKind.KEY, tmp_path / "key"), passwords, token=CancelToken())
    key = SecretKey(SecretKind.PASSPHRASE, str(tmp_path / "key"))
    assert passwords.asked == [(key, False), (key, True)]


def test_default_keys_are_tried_when_none_is_configured(connect: Connect, tmp_path: Path) -> None:
    make_key(tmp_path / ".ssh" / "id_ed25519")
    host = Host(keys=(make_key(tmp_path / ".ssh" / "id_rsa", kind="rsa"),))
    log_in(connect(host), target(), Passwords(), token=CancelToken())
    assert len(host.tried_keys) == 2


def test_the_refusal_names_what_was_tried_and_no_secret(connect: Connect, tmp_path: Path) -> None:
    make_key(tmp_path / "key")
    make_key(tmp_path / "locked", "open sesame")
    (tmp_path / "broken").write_text("no key")
    files = [tmp_path / name for name in ("key", "locked", "broken", "missing")]
    with pytest.raises(AuthenticationFailed) as caught:
        log_in(connect(Host()), target(AuthKind.AUTO, *files), Passwords(None, "hunter2"), token=CancelToken())
    text = caught.value.sentence() + str(caught.value.context)
    for words in (
        WAS_OFFERED(names=(f"key {tmp_path / 'key'}", A_PASSWORD())),
        KEY_NOT_PRIVATE(file=tmp_path / "broken"),
        KEY_UNREADABLE(file=tmp_path / "missing", reason="No such file or directory"),
        NO_AGENT(),
        PASSPHRASE_NOT_GIVEN(file=tmp_path / "locked"),
    ):
        assert words in text
    assert "hunter2" not in text
    assert "sesame" not in text


def test_the_same_key_is_offered_once(connect: Connect, tmp_path: Path) -> None:
    make_key(tmp_path / "key")
    (tmp_path / "copy").write_bytes((tmp_path / "key").read_bytes())
    host = Host(methods="publickey")
    with pytest.raises(AuthenticationFailed):
        log_in(
            connect(host),
            target(AuthKind.KEY, tmp_path / "key", tmp_path / "copy"),
            Passwords(),
            token=CancelToken(),
        )
    assert len(host.tried_keys) == 1


def test_key_alone_does_not_ask_for_a_password(connect: Connect, tmp_path: Path) -> None:
    make_key(tmp_path / "key")
    passwords = Passwords("secret")
    with pytest.raises(AuthenticationFailed):
        log_in(connect(Host(password="secret")), target(AuthKind.KEY, tmp_path / "key"), passwords, token=CancelToken())
    assert passwords.asked == []


# --- the agent --------------------------------------------------------------------------------------------------------


def answers(path: Path) -> bool:
    """Whether a program listens at a socket."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    socket_file = tmp_path / "agent"
    process = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket_file)], stdout=subprocess.DEVNULL)
    wait_until(lambda: answers(socket_file), "the agent")  # the file is there before the agent listens
    monkeypatch.setenv("SSH_AUTH_SOCK", str(socket_file))
    yield
    process.terminate()
    process.wait()


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize("auth", [AuthKind.AGENT, AuthKind.AUTO])
def test_the_agent_lets_in_without_asking(connect: Connect, tmp_path: Path, auth: AuthKind) -> None:
    fingerprint = make_key(tmp_path / "key")
    subprocess.run(["ssh-add", "-q", str(tmp_path / "key")], check=True)
    passwords = Passwords()
    log_in(connect(Host(keys=(fingerprint,))), target(auth), passwords, token=CancelToken())
    assert passwords.asked == []


@pytest.mark.usefixtures("agent")
def test_a_locked_file_whose_key_the_agent_has_needs_no_passphrase(connect: Connect, tmp_path: Path) -> None:
    fingerprint = make_key(tmp_path / "key", "open sesame")
    script = tmp_path / "askpass"
    script.write_text("#!/bin/sh\necho open sesame\n")
    script.chmod(0o700)
    environment = {"SSH_ASKPASS": str(script), "SSH_ASKPASS_REQUIRE": "force", "SSH_AUTH_SOCK": str(tmp_path / "agent")}
    subprocess.run(["ssh-add", "-q", str(tmp_path / "key")], check=True, env={**environment, "PATH": "/usr/bin"})
    passwords = Passwords()
    only = target(AuthKind.AUTO, tmp_path / "key", is_identities_only=True)
    log_in(connect(Host(keys=(fingerprint,))), only, passwords, token=CancelToken())
    assert passwords.asked == []


@pytest.mark.usefixtures("agent")
def test_identities_only_keeps_the_agent_s_other_keys_back(connect: Connect, tmp_path: Path) -> None:
    make_key(tmp_path / "other")
    subprocess.run(["ssh-add", "-q", str(tmp_path / "other")], check=True)
    make_key(tmp_path / "key")
    host = Host(methods="publickey")
    with pytest.raises(AuthenticationFailed):
        log_in(
            connect(host),
            target(AuthKind.AUTO, tmp_path / "key", is_identities_only=True),
            Passwords(),
            token=CancelToken(),
        )
    assert len(host.tried_keys) == 1


# --- passwords --------------------------------------------------------------------------------------------------------


def test_who_asks_for_the_password_knows_which_keys_were_refused(connect: Connect, tmp_path: Path) -> None:
    make_key(tmp_path / "key")
    passwords = Passwords("right")
    files = (tmp_path / "key", tmp_path / "missing")
    log_in(connect(Host(password="right")), target(AuthKind.AUTO, *files), passwords, token=CancelToken())
    asked = passwords.asked[-1][0]
    assert asked == LOGIN
    assert asked.refused == (f"key {tmp_path / 'key'}",)


def test_a_wrong_password_is_asked_for_again_and_reported_to_be_wrong(connect: Connect) -> None:
    passwords = Passwords("wrong", "right")
    log_in(connect(Host(password="right")), target(AuthKind.PASSWORD), passwords, token=CancelToken())
    assert passwords.asked == [(LOGIN, False), (LOGIN, True)]


def test_after_three_wrong_passwords_it_is_over(connect: Connect) -> None:
    passwords = Passwords("a1", "b2", "c3", "right")
    with pytest.raises(AuthenticationFailed) as caught:
        log_in(connect(Host(password="right")), target(AuthKind.PASSWORD), passwords, token=CancelToken())
    assert len(passwords.asked) == 3
    assert not any(secret in caught.value.sentence() for secret in ("a1", "b2", "c3"))


def test_a_host_that_asks_interactively_gets_the_password(connect: Connect) -> None:
    host = Host(methods="keyboard-interactive", password="right")
    transport = connect(host)
    log_in(transport, target(AuthKind.PASSWORD), Passwords("wrong", "right"), token=CancelToken())
    assert transport.is_authenticated()


def test_no_one_is_asked_for_a_password_that_the_host_does_not_take(connect: Connect) -> None:
    passwords = Passwords("right")
    with pytest.raises(AuthenticationFailed) as caught:
        log_in(connect(Host(methods="publickey")), target(AuthKind.AUTO), passwords, token=CancelToken())
    assert has_message(NOTHING_TO_OFFER, reasons=(NO_AGENT(), NO_PASSWORDS_TAKEN()))(caught.value)
    assert passwords.asked == []


@pytest.mark.parametrize("auth", [AuthKind.AUTO, AuthKind.KEY])
def test_a_host_may_want_key_and_password(connect: Connect, tmp_path: Path, auth: AuthKind) -> None:
    host = Host(keys=(make_key(tmp_path / "key"),), password="right", wants_both=True)
    transport = connect(host)
    log_in(transport, target(auth, tmp_path / "key"), Passwords("right"), token=CancelToken())
    assert transport.is_authenticated()


def test_cancelling_ends_a_login_at_once(connect: Connect) -> None:
    host = Host(password="right", is_mute=True)
    token = CancelToken()
    transport = connect(host)
    canceller = threading.Thread(target=lambda: host.was_asked.wait(120) and token.cancel())
    canceller.start()
    with pytest.raises(Cancelled):
        log_in(transport, target(AuthKind.PASSWORD), Passwords("right"), token=token)
    canceller.join()
    host.release.set()


def test_a_host_that_closes_the_connection_is_reported_to(connect: Connect) -> None:
    transport = connect(Host(password="right"))
    transport.abort()
    transport.join(120)
    with pytest.raises(HostUnreachable, check=has_message(CLOSED_DURING_LOGIN)):
        log_in(transport, target(AuthKind.PASSWORD), Passwords("right"), token=CancelToken())


# --- under which name passwords are kept ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "name"), [((), "operator@gw:22"), (("jump@plant-a:22",), "operator@gw:22 via jump@plant-a:22")]
)
def test_passwords_are_asked_for_by_the_whole_way_to_a_host(connect: Connect, way: tuple[str, ...], name: str) -> None:
    passwords = Passwords("right", None)
    there = replace(target(AuthKind.PASSWORD), way=way)
    transport = connect(Host(password="right"))
    log_in(transport, there, passwords, token=CancelToken())
    with pytest.raises(PrivilegeMissing):
        Privileges(there, passwords)._ask_sudo(Connection(transport), CancelToken())
    assert [key for key, _ in passwords.asked] == [
        SecretKey(kind, name) for kind in (SecretKind.LOGIN, SecretKind.SUDO)
    ]
