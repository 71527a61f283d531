"""Host keys that are accepted, and when a silent host is given up."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import paramiko
import pytest

from app.domain.credentials import HostKeyQuestion
from app.domain.errors import HostKeyChanged, HostKeyUnknown, InvalidFile
from app.domain.hosts import HostSpec
from app.ssh import known_hosts
from app.ssh.host_keys import HostKeyPolicy
from app.ssh.messages import (
    HOST_KEY_REVOKED,
    HOST_KEY_UNKNOWN,
    REVOKED_KEYS_ARE_KRL,
    REVOKED_KEYS_NO_KEY,
    REVOKED_KEYS_TOO_LARGE,
    REVOKED_KEYS_UNREADABLE,
)
from app.ssh.targets import SshTarget
from app.ssh.transport import WatchfulTransport
from support.message_checks import HasMessage, has_message


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    return tmp_path


@pytest.fixture(scope="module")
def host_key() -> paramiko.PKey:
    return paramiko.ECDSAKey.generate()


# --- host keys --------------------------------------------------------------------------------------------------------


def verify(policy: HostKeyPolicy, key: paramiko.PKey, known_in: str | None = None) -> None:
    spec = HostSpec("gateway", "gw", host_key_file=known_in)
    host = SshTarget(spec, "gw", 2222, "operator", "gw", 2222)
    policy.verify(host, key, policy.known_keys(host))


def test_an_unknown_key_is_refused_with_all_that_is_needed_to_accept_it(
    tmp_path: Path, host_key: paramiko.PKey
) -> None:
    with pytest.raises(HostKeyUnknown) as caught:
        verify(HostKeyPolicy(tmp_path / "known_hosts"), host_key)
    error = caught.value
    named = {"host": "gateway (operator@gw:2222)", "fingerprint": host_key.fingerprint}
    assert has_message(HOST_KEY_UNKNOWN, **named)(error)
    kind = "ed25519" if "ed25519" in host_key.get_name() else "ecdsa" if "ecdsa" in host_key.get_name() else "rsa"
    assert f"`ssh-keygen -lf /etc/ssh/ssh_host_{kind}_key.pub`" in error.hint
    assert f"--accept-host-key '[gw]:2222={host_key.fingerprint}'" in error.hint
    assert error.context == {
        "host": "[gw]:2222",
        "key_type": host_key.get_name(),
        "fingerprint": host_key.fingerprint,
        "known_hosts_line": f"[gw]:2222 {host_key.get_name()} {host_key.get_base64()}",
    }
    assert not (tmp_path / "known_hosts").exists()


@pytest.mark.parametrize("answer", [True, False])
def test_another_user_may_confirm_an_unknown_key(tmp_path: Path, host_key: paramiko.PKey, answer: bool) -> None:
    questions: list[HostKeyQuestion] = []

    def confirm(question: HostKeyQuestion) -> bool:
        questions.append(question)
        return answer

    policy = HostKeyPolicy(tmp_path / "known_hosts", confirm=confirm)
    if answer:
        verify(policy, host_key)
        verify(policy, host_key)  # known by now: the user is not asked again
    else:
        with pytest.raises(HostKeyUnknown):
            verify(policy, host_key)
    assert [one.label for one in questions] == ["gateway"] * len(questions)
    assert questions == [HostKeyQuestion("[gw]:2222", host_key.get_name(), host_key.fingerprint)]
    assert (tmp_path / "known_hosts").exists() == answer


def test_a_changed_key_is_refused_whatever_any_user_says(tmp_path: Path, host_key: paramiko.PKey) -> None:
    own = tmp_path / "known_hosts"
    other = paramiko.ECDSAKey.generate()
    own.write_text(known_hosts.line_for("gw", 2222, other.get_name(), other.asbytes()) + "\n")
    with pytest.raises(HostKeyChanged) as caught:
        verify(HostKeyPolicy(own, confirm=lambda _question: True), host_key)
    assert host_key.fingerprint in caught.value.message
    assert other.fingerprint in caught.value.message
    assert f"{own}:1" in caught.value.hint


def test_a_revoked_key_is_refused(tmp_path: Path, host_key: paramiko.PKey) -> None:
    (tmp_path / ".ssh" / "known_hosts").write_text(f"@revoked * {host_key.get_name()} {host_key.get_base64()}\n")
    with pytest.raises(HostKeyChanged, check=has_message(HOST_KEY_REVOKED)):
        verify(HostKeyPolicy(tmp_path / "own", confirm=lambda _question: True), host_key)


def test_the_user_s_own_known_hosts_counts(tmp_path: Path, host_key: paramiko.PKey) -> None:
    line = known_hosts.line_for("gw", 2222, host_key.get_name(), host_key.asbytes())
    (tmp_path / ".ssh" / "known_hosts").write_text(line + "\n")
    verify(HostKeyPolicy(tmp_path / "own"), host_key)


def test_a_file_of_the_host_s_own_is_the_only_one_that_counts(tmp_path: Path, host_key: paramiko.PKey) -> None:
    line = known_hosts.line_for("gw", 2222, host_key.get_name(), host_key.asbytes()) + "\n"
    (tmp_path / "own").write_text(line)
    (tmp_path / ".ssh" / "known_hosts").write_text(line)
    (tmp_path / "lab").write_text("")
    policy = HostKeyPolicy(tmp_path / "own", confirm=lambda _question: True)
    with pytest.raises(HostKeyUnknown, check=has_message(HOST_KEY_UNKNOWN)) as caught:
        verify(policy, host_key, str(tmp_path / "lab"))
    assert f"Only {tmp_path / 'lab'} counts" in caught.value.hint
    (tmp_path / "lab").write_text(line)
    verify(policy, host_key, str(tmp_path / "lab"))


# --- keys that the ssh configuration revokes --------------------------------------------------------------------------


def judge_with(revoked: Path, known: str, key: paramiko.PKey) -> None:
    own = revoked.with_name("own")
    own.write_text(known)
    host = SshTarget(HostSpec("gateway", "gw"), "gw", 2222, "operator", "gw", 2222, revoked_key_files=(revoked,))
    policy = HostKeyPolicy(own, confirm=lambda _question: True)
    policy.verify(host, key, policy.known_keys(host))


@pytest.mark.parametrize("is_known", [True, False])
def test_a_key_that_the_ssh_configuration_revokes_is_refused(
    tmp_path: Path, host_key: paramiko.PKey, is_known: bool
) -> None:
    line = known_hosts.line_for("gw", 2222, host_key.get_name(), host_key.asbytes()) + "\n" if is_known else ""
    revoked, other = tmp_path / "revoked", paramiko.ECDSAKey.generate()
    revoked.write_text(f"# lost\n\n{other.get_name()} {other.get_base64()}\n")
    judge_with(revoked, line, host_key)
    revoked.write_text(f"{revoked.read_text()} {host_key.get_name()} {host_key.get_base64()} root@gw\n")
    with pytest.raises(HostKeyChanged, check=has_message(HOST_KEY_REVOKED)) as caught:
        judge_with(revoked, line, host_key)
    assert "RevokedHostKeys" in caught.value.hint


def test_a_revocation_list_of_ssh_keygen_is_refused_clearly(tmp_path: Path, host_key: paramiko.PKey) -> None:
    (tmp_path / "key.pub").write_text(f"{host_key.get_name()} {host_key.get_base64()}\n")
    subprocess.run(["ssh-keygen", "-q", "-k", "-f", tmp_path / "krl", tmp_path / "key.pub"], check=True)
    with pytest.raises(InvalidFile, check=has_message(REVOKED_KEYS_ARE_KRL)):
        judge_with(tmp_path / "krl", "", host_key)


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (None, has_message(REVOKED_KEYS_UNREADABLE)),
        (b"@revoked * ssh-ed25519 AAAA\n", has_message(REVOKED_KEYS_NO_KEY, line=1)),
        (b"#\nssh-ed25519\n", has_message(REVOKED_KEYS_NO_KEY, line=2)),
        (b"ssh-rsa AAAAC3NzaC1lZDI1NTE5\n", has_message(REVOKED_KEYS_NO_KEY, line=1)),
        (b"ssh-rsa " + b"A" * 1_100_000, has_message(REVOKED_KEYS_TOO_LARGE)),
    ],
)
def test_revoked_keys_that_cannot_be_read_refuse_every_host(
    tmp_path: Path, host_key: paramiko.PKey, content: bytes | None, refusal: HasMessage
) -> None:
    line = known_hosts.line_for("gw", 2222, host_key.get_name(), host_key.asbytes()) + "\n"
    if content is not None:
        (tmp_path / "revoked").write_bytes(content)
    with pytest.raises(InvalidFile, check=refusal):
        judge_with(tmp_path / "revoked", line, host_key)


# --- the transport ----------------------------------------------------------------------------------------------------


def test_known_key_types_are_wanted_first() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        transport = WatchfulTransport(ours, ("ssh-rsa", "ecdsa-sha2-nistp256", "ssh-dss"))
        wanted = tuple(transport.get_security_options().key_types)
    assert wanted[:3] == ("rsa-sha2-512", "rsa-sha2-256", "ecdsa-sha2-nistp256")
    assert "ssh-ed25519" in wanted
    assert not {"ssh-dss", "ssh-rsa"} & set(wanted)
    assert len(set(wanted)) == len(wanted)


def test_no_weak_algorithm_is_offered() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        options = WatchfulTransport(ours).get_security_options()
        offered = (*options.ciphers, *options.digests, *options.kex)
    assert not [name for name in offered if any(weak in name for weak in ("cbc", "3des", "md5", "sha1", "arcfour"))]
    assert "diffie-hellman-group1-sha1" not in offered


@dataclass
class Quiet:
    """A transport to a silent host, with a clock that the test sets."""

    transport: WatchfulTransport
    now_s: float = 1000.0
    sent: list[object] = field(default_factory=list)

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        self.transport._on_quiet()

    def answer(self) -> None:
        self.transport.packetizer.last_received_s = self.now_s  # type: ignore[attr-defined]


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[Quiet]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        quiet = Quiet(WatchfulTransport(ours))
        quiet.answer()
        quiet.transport.clear_to_send.set()
        monkeypatch.setattr("app.ssh.transport.time.monotonic", lambda: quiet.now_s)
        monkeypatch.setattr(quiet.transport, "_send_user_message", quiet.sent.append)
        yield quiet


def test_a_silent_host_is_asked_three_times_and_then_given_up(quiet: Quiet) -> None:
    for second in range(1, 20):
        quiet.wait(1.0)
        assert len(quiet.sent) == second // 5
    with pytest.raises(EOFError):
        quiet.wait(1.0)


def test_an_answer_starts_the_count_anew(quiet: Quiet) -> None:
    for _ in range(20):
        quiet.wait(5.0)
        quiet.now_s += 0.2
        quiet.answer()
    assert len(quiet.sent) == 20


def test_nothing_is_asked_during_a_key_exchange(quiet: Quiet) -> None:
    quiet.transport.clear_to_send.clear()
    quiet.wait(100.0)
    assert quiet.sent == []


def test_a_computer_that_slept_asks_before_it_gives_up(quiet: Quiet) -> None:
    quiet.wait(3600.0)
    assert len(quiet.sent) == 1
