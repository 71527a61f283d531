"""The policy for host keys: known ones only, unknown ones after the user confirmed them, changed ones never."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import paramiko

from app.domain.credentials import ConfirmHostKey, HostKeyQuestion
from app.domain.errors import HostKeyChanged, HostKeyUnknown
from app.ssh import known_hosts
from app.ssh.known_hosts import HostKeyVerdict, KnownKey
from app.ssh.logs import logger
from app.ssh.messages import HOST_KEY_CHANGED, HOST_KEY_COMPARE, HOST_KEY_FILE_ONLY, HOST_KEY_REVOKED, HOST_KEY_UNKNOWN
from app.ssh.revoked_keys import read_revoked_keys
from app.ssh.targets import SshTarget
from app.wording.host_keys import fingerprint_command

SYSTEM_FILE = Path("/etc/ssh/ssh_known_hosts")


@dataclass(frozen=True, slots=True)
class HostKeyPolicy:
    """Decides whether a host is the one it should be.

    Attributes:
        own_file: Tunnelmark's file; confirmed keys go there.
        confirm: Asks the user about an unknown key; None refuses it.
    """

    own_file: Path
    confirm: ConfirmHostKey | None = None

    def files_for(self, target: SshTarget) -> tuple[Path, ...]:
        """Return the files that count for a host: its own alone where it has one."""
        if target.spec.host_key_file:
            return (Path(target.spec.host_key_file),)
        user_files = (Path.home() / ".ssh" / "known_hosts", Path.home() / ".ssh" / "known_hosts2")
        return (self.own_file, *user_files, SYSTEM_FILE)

    def known_keys(self, target: SshTarget) -> tuple[KnownKey, ...]:
        """Read what is known."""
        return known_hosts.read_known_hosts(self.files_for(target))

    def judge(self, target: SshTarget, key: paramiko.PKey, keys: Sequence[KnownKey]) -> HostKeyVerdict:
        """Compare a host's key with what is known, and with what the ssh configuration names as revoked.

        Raises:
            InvalidFile: A file of revoked keys cannot be used, so that no key can be believed.
        """
        if key.asbytes() in read_revoked_keys(target.revoked_key_files):
            return HostKeyVerdict.REVOKED
        return known_hosts.judge(keys, target.key_name, target.key_port, key.asbytes())

    def verify(self, target: SshTarget, key: paramiko.PKey, keys: Sequence[KnownKey]) -> None:
        """Accept a key or refuse it.

        Args:
            key: What it showed.

        Raises:
            HostKeyUnknown: The key is not known, and no user confirmed it.
            HostKeyChanged: Another key is known, or this one was revoked.
            InvalidFile: A file of revoked keys cannot be used.
        """
        question = question_for(target, key)
        verdict = self.judge(target, key, keys)
        if verdict is HostKeyVerdict.KNOWN:
            return
        if verdict is HostKeyVerdict.REVOKED:
            raise _revoked(target, question)
        if verdict is HostKeyVerdict.CHANGED:
            raise _changed(target, question, keys)
        if target.spec.host_key_file or self.confirm is None or not self.confirm(question):
            raise _unknown(target, question, key)
        self.store(target, key)

    def store(self, target: SshTarget, key: paramiko.PKey) -> None:
        """Keep a confirmed key in Tunnelmark's own file.

        Raises:
            StorageFault: The file cannot be written.
        """
        known_hosts.add_line(self.own_file, _line(target, key))
        logger.info("The host key of %s is now known: %s", target, known_hosts.fingerprint(key.asbytes()))


def question_for(target: SshTarget, key: paramiko.PKey) -> HostKeyQuestion:
    """Return the question about a key for the user."""
    return HostKeyQuestion(
        host=known_hosts.host_name(target.key_name, target.key_port),
        key_type=key.get_name(),
        fingerprint=known_hosts.fingerprint(key.asbytes()),
        label=target.spec.label,
    )


def _line(target: SshTarget, key: paramiko.PKey) -> str:
    return known_hosts.line_for(target.key_name, target.key_port, key.get_name(), key.asbytes())


def _option(question: HostKeyQuestion) -> str:
    return shlex.quote(f"{question.host}={question.fingerprint}")


def _context(question: HostKeyQuestion) -> dict[str, str]:
    return {"host": question.host, "key_type": question.key_type, "fingerprint": question.fingerprint}


def _unknown(target: SshTarget, question: HostKeyQuestion, key: paramiko.PKey) -> HostKeyUnknown:
    if target.spec.host_key_file:
        hint = HOST_KEY_FILE_ONLY(file=target.spec.host_key_file)
    else:
        hint = HOST_KEY_COMPARE(
            command=fingerprint_command(question.key_type), host=question.host, option=_option(question)
        )
    return HostKeyUnknown(
        HOST_KEY_UNKNOWN(host=target, key_type=question.key_type, fingerprint=question.fingerprint),
        hint=hint,
        context={**_context(question), "known_hosts_line": _line(target, key)},
    )


def _changed(target: SshTarget, question: HostKeyQuestion, keys: Sequence[KnownKey]) -> HostKeyChanged:
    known = [key for key in keys if not key.marker and key.is_for(question.host)]
    places = ", ".join(key.source for key in known)
    return HostKeyChanged(
        HOST_KEY_CHANGED(
            host=target,
            key_type=question.key_type,
            fingerprint=question.fingerprint,
            known=tuple(known_hosts.fingerprint(key.blob) for key in known),
            places=places,
        ),
        context={**_context(question), "known_in": places},
    )


def _revoked(target: SshTarget, question: HostKeyQuestion) -> HostKeyChanged:
    return HostKeyChanged(
        HOST_KEY_REVOKED(host=target, key_type=question.key_type, fingerprint=question.fingerprint),
        context=_context(question),
    )
