"""Sessions with every kind of user: each way to root's rights, passwords, and what may go wrong with them.

On hosts made of namespaces; in `make test-full` on the practice lab's gateways as well.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, FileToWrite, Stream
from app.domain.credentials import Secret, SecretKey, SecretKind
from app.domain.errors import AuthenticationFailed, Cancelled, ConnectionLost, DiskFull, PrivilegeMissing
from app.domain.hosts import AuthKind, HostSpec, Privilege, Side
from app.lab import Lab
from app.ssh import SshConnector, SshSession
from support.lab_deploy import Bench
from support.net_bench import NetBench
from support.net_users import PASSWORDS
from support.waiting import wait_until

WAYS = {
    "root": Privilege.ROOT,
    "operator": Privilege.SUDO_PASSWORD,
    "nopass": Privilege.SUDO,
    "doasuser": Privilege.DOAS,
}


Users = Mapping[str, Secret]


class Passwords:
    """Gives the users' passwords, after some wrong ones if asked to, and notes the questions."""

    def __init__(self, users: Users, *wrong: str) -> None:
        self._users = users
        self._wrong = list(wrong)
        self.asked: list[tuple[SecretKind, bool]] = []

    def confirm(self, key: SecretKey, *, token: object = None) -> None:
        pass

    def get(self, key: SecretKey, *, is_retry: bool, token: object = None) -> Secret | None:
        self.asked.append((key.kind, is_retry))
        if self._wrong:
            return Secret(self._wrong.pop(0))
        return self._users.get(key.subject.partition("@")[0])


def open_session(folder: Path, spec: HostSpec, passwords: Passwords) -> SshSession:
    (folder / "ssh_config").write_text("")
    connector = SshConnector(
        known_hosts=folder / "known_hosts",
        passwords=passwords,
        confirm_host_key=None,
        ssh_config=folder / "ssh_config",
    )
    return connector.open(spec, token=CancelToken())


@pytest.fixture(scope="module")
def bench(hosts_or_gateways: Bench) -> Bench:
    return hosts_or_gateways


@pytest.fixture(scope="module")
def users(bench: Bench, request: pytest.FixtureRequest) -> Users:
    if isinstance(bench, NetBench):
        return PASSWORDS
    lab: Lab = request.getfixturevalue("lab")
    return lab.passwords()


def host_of(bench: Bench, side: Side, user: str) -> HostSpec:
    return replace(bench.pair.host(side), user=user)


@pytest.fixture
def token() -> CancelToken:
    return CancelToken()


@pytest.fixture(params=list(WAYS))
def session(request: pytest.FixtureRequest, bench: Bench, users: Users, tmp_path: Path) -> Iterator[SshSession]:
    """A session of each user that has a way to root's rights."""
    with closing(open_session(tmp_path, host_of(bench, Side.A, request.param), Passwords(users))) as opened:
        yield opened


def living(session: SshSession, text: str) -> str:
    return session.run(Command(("pgrep", "-af", text)), token=CancelToken()).stdout


# --- root's rights ----------------------------------------------------------------------------------------------------


def test_root_s_rights_are_found_and_used(session: SshSession, token: CancelToken) -> None:
    user = str(session.spec.user)
    assert session.privilege is WAYS[user]
    as_root = Command(("sh", "-c", "id -u; echo $LC_ALL; cat; echo err >&2; exit 4"), is_root=True, stdin=b"in\0put")
    result = session.run(as_root, token=token)
    assert (result.exit_status, result.stdout, result.stderr) == (4, "0\nC\nin\0put", "err\n")
    assert session.run(Command(("id", "-un")), token=token).stdout == f"{user}\n"


def test_batches_run_as_root_if_one_command_needs_it(session: SshSession, token: CancelToken) -> None:
    commands = [Command(("id", "-u")), Command(("id", "-u"), is_root=True), Command(("sh", "-c", "exit 9"))]
    results = session.run_batch(commands, token=token)
    assert [(result.exit_status, result.stdout) for result in results] == [(0, "0\n"), (0, "0\n"), (9, "")]


def test_files_are_written_as_root(session: SshSession, token: CancelToken) -> None:
    content = bytes(range(256)) * 100
    path = f"/run/tunnelmark test of {session.spec.user}"
    session.write_files([FileToWrite(path, content, 0o600)], token=token)
    stat_file = Command(("sh", "-c", 'stat -c "%u %a %s" "$0"; md5sum <"$0"; rm "$0"', path), is_root=True)
    facts, digest, *_ = session.run(stat_file, token=token).stdout.splitlines()
    assert facts == f"0 600 {len(content)}"
    assert digest.split()[0] == hashlib.md5(content, usedforsecurity=False).hexdigest()


def test_cancelling_kills_what_runs_as_root(session: SshSession, token: CancelToken) -> None:
    name = f"47{len(str(session.spec.user))}"
    cancelled_s: list[float] = []

    def cancel(_stream: Stream, _line: str) -> None:
        cancelled_s.append(time.monotonic())
        token.cancel()

    with pytest.raises(Cancelled):
        session.run(
            Command(("sh", "-c", f"sleep {name} & echo; sleep {name}"), is_root=True, timeout_s=600),
            token=token,
            on_line=cancel,
        )
    wait_until(lambda: living(session, f"^sleep {name}") == "", "the end of what was cancelled")
    assert time.monotonic() - cancelled_s[0] < 120  # not by the limit of the command itself


def test_a_ping_that_its_user_may_not_inspect_is_killed_too(
    bench: Bench, users: Users, tmp_path: Path, token: CancelToken
) -> None:
    with closing(open_session(tmp_path, host_of(bench, Side.A, "plain"), Passwords(users))) as session:
        ping = Command(("ping", "-i", "0.2", "-p", "4711", "127.0.0.1"), timeout_s=300)
        with pytest.raises(Cancelled):
            session.run(ping, token=token, on_line=lambda _stream, _line: token.cancel())
        wait_until(lambda: living(session, "^ping .*4711") == "", "the end of ping")


def test_sudo_s_password_is_asked_for_once_and_never_shown(
    bench: Bench, users: Users, tmp_path: Path, token: CancelToken
) -> None:
    passwords = Passwords(users)
    secret = users["operator"].value
    with closing(open_session(tmp_path, host_of(bench, Side.A, "operator"), passwords)) as session:
        assert session.privilege is Privilege.SUDO_PASSWORD
        assert passwords.asked == []
        command = Command(("sh", "-c", "tr '\\0' ' ' </proc/$PPID/cmdline; env; ps -ef"), is_root=True)
        results = [session.run(command, token=token) for _ in range(2)]
    assert passwords.asked == [(SecretKind.SUDO, False)]
    assert not any(secret in result.stdout + result.stderr for result in results)


def test_a_wrong_sudo_password_is_asked_for_again(
    bench: Bench, users: Users, tmp_path: Path, token: CancelToken
) -> None:
    passwords = Passwords(users, "wrong")
    with closing(open_session(tmp_path, host_of(bench, Side.A, "operator"), passwords)) as session:
        assert session.run(Command(("id", "-u"), is_root=True), token=token).stdout == "0\n"
    assert passwords.asked == [(SecretKind.SUDO, False), (SecretKind.SUDO, True)]


def test_three_wrong_sudo_passwords_are_enough(bench: Bench, users: Users, tmp_path: Path, token: CancelToken) -> None:
    passwords = Passwords(users, "wrong1", "wrong2", "wrong3")
    with closing(open_session(tmp_path, host_of(bench, Side.A, "operator"), passwords)) as session:
        with pytest.raises(PrivilegeMissing, match="refused the password 3 times") as caught:
            session.run(Command(("id", "-u"), is_root=True), token=token)
        assert "wrong" not in caught.value.sentence()
        assert session.run(Command(("id", "-u")), token=token).is_ok


def test_a_user_without_rights_is_reported_why(bench: Bench, users: Users, tmp_path: Path, token: CancelToken) -> None:
    with closing(open_session(tmp_path, host_of(bench, Side.A, "plain"), Passwords(users))) as session:
        for _ in range(2):
            with pytest.raises(PrivilegeMissing) as caught:
                session.run(Command(("id", "-u"), is_root=True), token=token)
            assert "sudo" in caught.value.sentence()
        assert session.privilege is Privilege.NONE
        with pytest.raises(PrivilegeMissing):
            session.write_files([FileToWrite("/run/tunnelmark-never", b"")], token=token)


def test_a_full_disk_is_reported_and_nothing_is_changed(
    bench: Bench, users: Users, tmp_path: Path, token: CancelToken
) -> None:
    folder = "/run/tunnelmark-small"
    with closing(open_session(tmp_path, host_of(bench, Side.A, "operator"), Passwords(users))) as session:
        prepare = ["mkdir", folder], ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
        session.run_batch([Command(tuple(argv), is_root=True) for argv in prepare], token=token)
        try:
            session.write_files([FileToWrite(f"{folder}/file", b"old")], token=token)
            with pytest.raises(DiskFull, match="no space left"):
                session.write_files([FileToWrite(f"{folder}/file", bytes(100_000))], token=token)
            stat_file = Command(("sh", "-c", 'cd "$0"; ls -A; cat file', folder), is_root=True)
            assert session.run(stat_file, token=token).stdout == "file\nold"
        finally:
            clean = ["umount", folder], ["rmdir", folder]
            session.run_batch([Command(tuple(argv), is_root=True) for argv in clean], token=token)


# --- logging in -------------------------------------------------------------------------------------------------------


def test_a_password_lets_in(bench: Bench, users: Users, tmp_path: Path, token: CancelToken) -> None:
    passwords = Passwords(users, "wrong")
    spec = replace(host_of(bench, Side.B, "plain"), auth=AuthKind.PASSWORD, identity_file=None)
    with closing(open_session(tmp_path, spec, passwords)) as session:
        assert session.run(Command(("id", "-un")), token=token).stdout == "plain\n"
    assert passwords.asked == [(SecretKind.LOGIN, False), (SecretKind.LOGIN, True)]


def test_wrong_passwords_are_refused(bench: Bench, users: Users, tmp_path: Path) -> None:
    spec = replace(host_of(bench, Side.B, "plain"), auth=AuthKind.PASSWORD, identity_file=None)
    with pytest.raises(AuthenticationFailed, match="plain@") as caught:
        open_session(tmp_path, spec, Passwords(users, "wrong1", "wrong2", "wrong3"))
    assert "wrong" not in caught.value.sentence()


# --- connections ------------------------------------------------------------------------------------------------------


def test_a_cut_connection_is_lost_and_made_anew(bench: Bench, users: Users, tmp_path: Path, token: CancelToken) -> None:
    with (
        closing(open_session(tmp_path, host_of(bench, Side.A, "nopass"), Passwords(users))) as session,
        closing(open_session(tmp_path, host_of(bench, Side.A, "root"), Passwords(users))) as root,
    ):

        def cut(_stream: Stream, _line: str) -> None:
            root.run(Command(("pkill", "-KILL", "-f", "^sshd-session: nopass|^sshd: nopass")), token=token)

        with pytest.raises(ConnectionLost):
            session.run(Command(("sh", "-c", "echo; sleep 4718"), timeout_s=300), token=token, on_line=cut)
        assert not session.is_connected
        session.reconnect(token=token)
        assert session.run(Command(("id", "-u"), is_root=True), token=token).stdout == "0\n"
        root.run(Command(("pkill", "-f", "^sleep 4718")), token=token)


def test_a_new_connection_takes_its_time_and_leaves_nothing(
    bench: Bench, users: Users, tmp_path: Path, token: CancelToken
) -> None:
    with closing(open_session(tmp_path, host_of(bench, Side.A, "root"), Passwords(users))) as session:
        before = set(threading.enumerate())
        assert 0 < session.check_new_connection(token=token) < 300
        wait_until(lambda: set(threading.enumerate()) == before, "the end of its threads")
