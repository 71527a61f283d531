"""Opens sessions, and handles host keys before there is one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.credentials import ConfirmHostKey, HostKeyQuestion, PasswordProvider
from app.domain.errors import HostKeyChanged
from app.domain.hosts import HostSpec
from app.ssh.config_hosts import user_ssh_config
from app.ssh.dial import Dialler
from app.ssh.host_keys import HostKeyPolicy, question_for
from app.ssh.known_hosts import Verdict
from app.ssh.privileges import Privileges
from app.ssh.session import SshSession
from app.ssh.targets import Target, read_ssh_config, resolve


class SshConnector:
    """Opens SSH sessions.

    Args:
        known_hosts: Tunnelmark's own file of host keys; written atomically, readable by its owner alone. The user's
            ~/.ssh/known_hosts and the system's are read too, never written. A host with a `host_key_file` is judged by
            that file alone.
        passwords: Where passwords and passphrases come from.
        confirm_host_key: Asks about an unknown host key; None refuses unknown keys.
        ssh_config: Configuration of ssh; None means ~/.ssh/config.
        extra_known_hosts: Further files of host keys, only read.
    """

    def __init__(
        self,
        *,
        known_hosts: Path,
        passwords: PasswordProvider,
        confirm_host_key: ConfirmHostKey | None,
        ssh_config: Path | None = None,
        extra_known_hosts: Sequence[Path] = (),
    ) -> None:
        self._passwords = passwords
        self._policy = HostKeyPolicy(known_hosts, tuple(extra_known_hosts), confirm_host_key)
        self._ssh_config = ssh_config
        self._dialler = Dialler(self._policy, passwords)

    def open(self, spec: HostSpec, *, token: CancelToken) -> SshSession:
        """Connect and log in.

        Args:
            spec: How to reach the host.
            token: Cancelling it ends this at once.

        Raises:
            HostUnreachable, HostKeyUnknown, HostKeyChanged, AuthenticationFailed, DeadlineExceeded, Cancelled:
                What their names say.
            InvalidFile, InvalidOption: The ssh configuration cannot be used.
        """
        target = self._target(spec)
        connection = self._dialler.dial(target, token=token)
        return SshSession(target, self._dialler, Privileges(target, self._passwords), connection)

    def scan_host_key(self, spec: HostSpec, *, token: CancelToken) -> HostKeyQuestion:
        """Fetch a host's key without logging in.

        Returns:
            What somebody may be asked about it. `is_host_key_known` says whether that is needed.

        Raises:
            HostUnreachable, Cancelled: As for `open`.
        """
        target = self._target(spec)
        return question_for(target, self._dialler.host_key(target, token=token))

    def is_host_key_known(self, spec: HostSpec, *, token: CancelToken) -> bool:
        """Fetch a host's key and compare it with what is known.

        Raises:
            HostKeyChanged: Another key is known, or this one was revoked.
            HostUnreachable, Cancelled: As for `open`.
        """
        target = self._target(spec)
        key = self._dialler.host_key(target, token=token)
        keys = self._policy.known_keys(target)
        if self._policy.judge(target, key, keys) is Verdict.UNKNOWN:
            return False
        self._policy.verify(target, key, keys)
        return True

    def accept_host_key(self, spec: HostSpec, fingerprint: str, *, token: CancelToken) -> HostKeyQuestion:
        """Store a host's key, provided it is the one with this fingerprint.

        Args:
            spec: How to reach the host.
            fingerprint: `SHA256:…`, as `ssh-keygen -l` prints it on the host's console.
            token: Cancelling it ends this at once.

        Raises:
            HostKeyChanged: The host shows another key than this, or another one is known already.
            HostUnreachable, StorageFault, Cancelled: As for `open`.
        """
        target = self._target(spec)
        key = self._dialler.host_key(target, token=token)
        question = question_for(target, key)
        if question.fingerprint.rstrip("=") != fingerprint.strip().rstrip("="):
            raise HostKeyChanged(
                f"{target} shows the host key {question.fingerprint}, not {fingerprint.strip()}. Nothing was stored.",
                hint="Compare with `ssh-keygen -lf` on the host's console; a host has one key of each type.",
                context={"host": question.host, "key_type": question.key_type, "fingerprint": question.fingerprint},
            )
        keys = self._policy.known_keys(target)
        if self._policy.judge(target, key, keys) is Verdict.UNKNOWN:
            self._policy.store(target, key)
        else:
            self._policy.verify(target, key, keys)
        return question

    def _target(self, spec: HostSpec) -> Target:
        file = self._ssh_config or user_ssh_config()
        return resolve(spec, read_ssh_config(file))
