"""Stores of passwords: the system's keyring, or memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

import keyring
import keyring.backend
import keyring.errors

from app.domain.credentials import Secret, SecretKey
from app.domain.errors import KeyringUnavailable
from app.domain.messages import MessageForm, sentences
from app.secrets.messages import (
    KEYRING_BROKE,
    KEYRING_HINT,
    KEYRING_NOT_READ,
    KEYRING_NOT_SET_UP,
    KEYRING_NOT_WRITTEN,
    KEYRING_STILL_LOCKED,
    NO_SAFE_KEYRING,
    PASSWORDS_IN_KEYRING,
)

SERVICE_PREFIX = "tunnelmark"

REAL_BACKENDS = (
    "keyring.backends.SecretService",
    "keyring.backends.libsecret",
    "keyring.backends.kwallet",
    "keyring.backends.macOS",
    "keyring.backends.Windows",
)
"""Modules of backends with which the system keeps passwords encrypted; the plain-text, null and failing ones are not.

Source: keyring 25, `keyring.backends`.
"""

_HINT = KEYRING_HINT()

_T = TypeVar("_T")


class MemoryPasswords:
    """Passwords for as long as the program runs. Safe to use from several threads at once."""

    def __init__(self) -> None:
        self._secrets: dict[SecretKey, Secret] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<MemoryPasswords with {len(self._secrets)} passwords>"

    def get(self, key: SecretKey) -> Secret | None:
        """Return a password, or None."""
        with self._lock:
            return self._secrets.get(key)

    def set(self, key: SecretKey, secret: Secret) -> None:
        """Keep a password."""
        with self._lock:
            self._secrets[key] = secret

    def delete(self, key: SecretKey) -> None:
        """Forget a password; nothing happens if there is none."""
        with self._lock:
            self._secrets.pop(key, None)


class PasswordStore:
    """The system's keyring.

    Args:
        backend: A keyring; None means the one that the system offers.
    """

    def __init__(self, backend: keyring.backend.KeyringBackend | None = None) -> None:
        self._given = backend
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return "<PasswordStore>"

    def availability(self) -> tuple[bool, str]:
        """Return as a sentence whether passwords can be kept, and why. Does not unlock anything."""
        try:
            backend = self._backend()
        except KeyringUnavailable as error:
            return False, sentences([error.message, error.hint])
        return True, PASSWORDS_IN_KEYRING(name=backend.name)

    def get(self, key: SecretKey) -> Secret | None:
        """Return a password, or None.

        Raises:
            KeyringUnavailable: There is no keyring, or it is locked or broken.
        """
        value = self._do(KEYRING_NOT_READ, lambda backend: backend.get_password(_service(key), key.subject))
        return None if value is None else Secret(value)

    def set(self, key: SecretKey, secret: Secret) -> None:
        """Keep a password.

        Raises:
            KeyringUnavailable: There is no keyring, or it is locked or broken.
        """
        self._do(KEYRING_NOT_WRITTEN, lambda backend: backend.set_password(_service(key), key.subject, secret.value))

    def _do(self, form: MessageForm, action: Callable[[keyring.backend.KeyringBackend], _T]) -> _T:
        """Do something with the keyring; whatever goes wrong becomes one error without a trace of the password."""
        with self._lock:
            backend = self._backend()
            try:
                return action(backend)
            except keyring.errors.KeyringLocked:
                reason = KEYRING_STILL_LOCKED()
            except Exception as error:  # noqa: BLE001 - a desktop's service may fail in any way; the text may hold anything
                reason = KEYRING_BROKE(kind=type(error).__name__)
        # Outside the handler, so that the cause, whose text or arguments might hold the password, is not chained.
        raise KeyringUnavailable(form(name=backend.name, reason=reason), hint=_HINT)

    def _backend(self) -> keyring.backend.KeyringBackend:
        try:
            backend = self._given or keyring.get_keyring()
        except Exception as error:  # noqa: BLE001 - backends are found by running them
            raise KeyringUnavailable(KEYRING_NOT_SET_UP(kind=type(error).__name__), hint=_HINT) from None
        return _real(backend)


def _real(backend: keyring.backend.KeyringBackend) -> keyring.backend.KeyringBackend:
    """Return a keyring that really protects passwords: this one, or the first such in a chain."""
    chained: Iterable[keyring.backend.KeyringBackend] = getattr(backend, "backends", ())
    for candidate in (backend, *chained):
        if type(candidate).__module__ in REAL_BACKENDS:
            return candidate
    raise KeyringUnavailable(NO_SAFE_KEYRING(), hint=_HINT)


def _service(key: SecretKey) -> str:
    return f"{SERVICE_PREFIX}:{key.kind}"
