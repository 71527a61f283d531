"""Opens sessions."""

from __future__ import annotations

from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.credentials import ConfirmHostKey, PasswordProvider
from app.domain.hosts import HostSpec
from app.ssh.config_hosts import user_ssh_config
from app.ssh.dial import Dialler
from app.ssh.host_keys import HostKeyPolicy
from app.ssh.privileges import Privileges
from app.ssh.session import SshSession
from app.ssh.targets import read_ssh_config, resolve


class SshConnector:
    """Opens SSH sessions.

    Args:
        known_hosts: Tunnelmark's own file of host keys; written atomically, readable by its owner alone. The user's
            ~/.ssh/known_hosts and the system's are read too, never written. A host with a `host_key_file` is judged by
            that file alone.
        passwords: Where passwords and passphrases come from.
        confirm_host_key: Asks about an unknown host key; None refuses unknown keys.
        ssh_config: Configuration of ssh; None means ~/.ssh/config.
    """

    def __init__(
        self,
        *,
        known_hosts: Path,
        passwords: PasswordProvider,
        confirm_host_key: ConfirmHostKey | None,
        ssh_config: Path | None = None,
    ) -> None:
        self._passwords = passwords
        self._policy = HostKeyPolicy(known_hosts, confirm_host_key)
        self._ssh_config = ssh_config
        self._dialler = Dialler(self._policy, passwords)

    def open(self, spec: HostSpec, *, token: CancelToken) -> SshSession:
        """Connect and log in.

        Args:
            spec: How to reach the host.

        Raises:
            HostUnreachable, HostKeyUnknown, HostKeyChanged, AuthenticationFailed, DeadlineExceeded, Cancelled:
                What their names say.
            InvalidFile, InvalidOption: The ssh configuration cannot be used.
        """
        target = resolve(spec, read_ssh_config(self._ssh_config or user_ssh_config()))
        connection = self._dialler.dial(target, token=token)
        return SshSession(target, self._dialler, Privileges(target, self._passwords), connection)
