"""Way to root's rights on a host: found out once, and sudo's password asked for once."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from app.domain.cancel import CancelToken
from app.domain.credentials import PasswordProvider, Secret, SecretKey, SecretKind
from app.domain.errors import DeadlineExceeded, PrivilegeMissing
from app.domain.hosts import Privilege
from app.domain.script_files import bare_script
from app.ssh.dial import Connection
from app.ssh.executor import RemoteJob, Rights, execute
from app.ssh.messages import (
    NO_WAY_TO_ROOT,
    PRIVILEGES_CHECK,
    SUDO_ASKS_MORE,
    SUDO_NOT_ALL_COMMANDS,
    SUDO_ON,
    SUDO_PASSWORD_MISSING,
    SUDO_PASSWORD_REFUSED,
)
from app.ssh.pump import WrongSudoPassword
from app.ssh.remote_line import remote_line
from app.ssh.streams import LineCollector
from app.ssh.targets import SshTarget

DETECT_TIMEOUT_S = 20.0
SUDO_TRIES = 3

_DETECT = bare_script("ssh/privileges.sh")


@dataclass(slots=True)
class _FoundPrivilege:
    privilege: Privilege
    why_not: str = ""


class Privileges:
    """Root's rights on one host.

    Args:
        passwords: Where sudo's password comes from.
    """

    def __init__(self, target: SshTarget, passwords: PasswordProvider) -> None:
        self._target = target
        self._passwords = passwords
        self._lock = threading.Lock()
        self._found: _FoundPrivilege | None = None
        self._sudo_secret: Secret | None = None

    @property
    def known(self) -> Privilege | None:
        """Findings; None before that."""
        return self._found.privilege if self._found is not None else None

    def detect(self, connection: Connection, *, token: CancelToken) -> Privilege:
        """Find out how root's rights are got; asks the host once.

        Raises:
            ConnectionLost, DeadlineExceeded, Cancelled: As for a command.
        """
        with self._lock:
            return self._detect(connection, token).privilege

    def rights(self, connection: Connection, *, token: CancelToken) -> Rights:
        """Return what a command needs to run as root, asking for sudo's password if need be.

        Raises:
            PrivilegeMissing: Root's rights cannot be had.
            ConnectionLost, DeadlineExceeded, Cancelled: As for a command.
        """
        with self._lock:
            found = self._detect(connection, token)
            if found.privilege is Privilege.NONE:
                raise PrivilegeMissing(
                    NO_WAY_TO_ROOT(host=self._target, reason=found.why_not),
                )
            if found.privilege is Privilege.ROOT:
                return Rights()
            if found.privilege is Privilege.SUDO_PASSWORD and self._sudo_secret is None:
                self._sudo_secret = self._ask_sudo(connection, token)
            return Rights(found.privilege, self._sudo_secret)

    def forget_sudo_secret(self) -> None:
        """Drop a password that is no longer right."""
        with self._lock:
            self._sudo_secret = None

    def _detect(self, connection: Connection, token: CancelToken) -> _FoundPrivilege:
        if self._found is None:
            line = remote_line(("sh", "-c", _DETECT), None)
            job = RemoteJob(line, Rights(), PRIVILEGES_CHECK(host=self._target.spec.label), DETECT_TIMEOUT_S)
            out = LineCollector(4096)
            execute(connection, job, out, LineCollector(0), token=token)
            word, _, why = out.text().strip().partition("\n")
            is_known = word in set(Privilege)
            self._found = _FoundPrivilege(Privilege(word) if is_known else Privilege.NONE, " ".join(why.split())[:300])
        return self._found

    def _ask_sudo(self, connection: Connection, token: CancelToken) -> Secret:
        """Get sudo's password and try it out."""
        key = SecretKey(SecretKind.SUDO, self._target.password_name)
        for number in range(SUDO_TRIES):
            token.raise_if_cancelled()
            secret = self._passwords.get(key, is_retry=number > 0, token=token)
            if secret is None:
                raise PrivilegeMissing(
                    SUDO_PASSWORD_MISSING(host=self._target),
                )
            if self._is_right(connection, secret, token):
                self._passwords.confirm(key, token=token)
                return secret
        raise PrivilegeMissing(SUDO_PASSWORD_REFUSED(host=self._target, number=SUDO_TRIES))

    def _is_right(self, connection: Connection, secret: Secret, token: CancelToken) -> bool:
        if "\n" in secret.value:
            return False  # what comes after the line end would be the command's stdin
        line = remote_line(("true",), Privilege.SUDO_PASSWORD)
        rights = Rights(Privilege.SUDO_PASSWORD, secret)
        job = RemoteJob(line, rights, SUDO_ON(host=self._target.spec.label), DETECT_TIMEOUT_S)
        try:
            execute(connection, job, LineCollector(0), LineCollector(0), token=token)
        except WrongSudoPassword:
            return False
        except DeadlineExceeded as error:
            raise PrivilegeMissing(
                SUDO_ASKS_MORE(host=self._target),
            ) from error
        except PrivilegeMissing:
            self._found = _FoundPrivilege(Privilege.NONE, SUDO_NOT_ALL_COMMANDS())
            raise
        return True
