"""Questions for passwords and host keys. Answers go to the host that they are for, and to the system keyring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from app.domain.cancel import CancelToken


class SecretKind(StrEnum):
    """The kind of thing that a password opens."""

    LOGIN = "login"
    SUDO = "sudo"
    PASSPHRASE = "passphrase"  # noqa: S105 - a kind, not a password


@dataclass(frozen=True, slots=True)
class SecretKey:
    """The owner of a password.

    Attributes:
        kind: What it opens.
        subject: `user@host:port`, with the alias of the host's key and the jump hosts where there are some; or the path
            of a key file.
        refused: Keys that the host refused in the same login, in words; no part of what the password belongs to.
    """

    kind: SecretKind
    subject: str
    refused: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Secret:
    """A password in memory; its text is in no representation of it."""

    value: str = field(repr=False)

    def __str__(self) -> str:
        return "***"


class PasswordProvider(Protocol):
    """Source of passwords for a connection: the keyring, memory, the terminal or a dialog."""

    def get(self, key: SecretKey, *, is_retry: bool, token: CancelToken | None = None) -> Secret | None:
        """Return a password, or None where there is none to be had.

        Args:
            key: What it is for.
            is_retry: The one given before was wrong: do not take it from the store again.
            token: Cancelling it ends the wait for a keyring, after which nothing more is asked.

        Raises:
            Cancelled: The token was cancelled.
        """
        ...

    def confirm(self, key: SecretKey, *, token: CancelToken | None = None) -> None:
        """Take note that the password given last was right, so that it may be kept.

        Raises:
            Cancelled: The token was cancelled while a keyring was waited for.
        """
        ...


@dataclass(frozen=True, slots=True)
class HostKeyQuestion:
    """An unknown host key that a user has to confirm.

    Attributes:
        host: Address and port as known_hosts writes them, for example `[10.0.0.1]:2222`.
        key_type: For example `ssh-ed25519`.
        fingerprint: `SHA256:…`, as `ssh-keygen -l` prints it.
        label: Name of the host for people, for example `A` or `gateway-a`; empty where it has none.
    """

    host: str
    key_type: str
    fingerprint: str
    label: str = field(default="", compare=False)


ConfirmHostKey = Callable[[HostKeyQuestion], bool]
"""Asks whether a key is the right one. True stores it and goes on; false refuses the connection."""
