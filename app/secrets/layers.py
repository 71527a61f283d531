"""The order in which passwords are looked for: what was typed in this run, the keyring, a person."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from app.domain.credentials import Secret, SecretKey
from app.domain.errors import KeyringUnavailable
from app.secrets.stores import MemoryPasswords, PasswordStore

logger = logging.getLogger("app.secrets")

Ask = Callable[[SecretKey, bool], Secret | None]
"""Asks a person; the second argument says whether the password given before was wrong."""


class LayeredPasswords:
    """PasswordProvider: what was typed in this run, then the keyring, then a person. Safe to use from several threads.

    Args:
        store: The system's keyring; None to use none.
        memory: For passwords of this run.
        ask: Asks a person; None where nobody can be asked.
        tell: Gets the sentence that says where passwords are kept.
    """

    def __init__(
        self,
        store: PasswordStore | None,
        memory: MemoryPasswords,
        ask: Ask | None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._store = store
        self._memory = memory
        self._ask = ask
        self._lock = threading.RLock()
        self._tell = tell
        self._told = ""
        self._unconfirmed: dict[SecretKey, Secret] = {}
        self._why_no_keyring = ""

    def __repr__(self) -> str:
        return "<LayeredPasswords>"

    def get(self, key: SecretKey, *, is_retry: bool) -> Secret | None:
        """Return a password, or None where there is none to be had.

        What a person answers is kept in memory, so that nobody is asked twice for the same. A wrong one is dropped
        from memory; in the keyring it stays until `remember` replaces it.

        Args:
            key: What it is for.
            is_retry: The one given before was wrong: only a person is asked.
        """
        with self._lock:
            if is_retry:
                self._memory.delete(key)
            else:
                # What was typed last is newer than what the keyring holds.
                known = self._memory.get(key) or self._from_store(key)
                if known is not None:
                    return known
            secret = self._ask(key, is_retry) if self._ask is not None else None
            if secret is not None:
                self._memory.set(key, secret)
                self._unconfirmed[key] = secret
            return secret

    def confirm(self, key: SecretKey) -> None:
        """Keep the password that a person gave last: it has turned out to be right. Says where it is kept, once."""
        with self._lock:
            secret = self._unconfirmed.pop(key, None)
            if secret is None:
                return
            sentence = self.remember(key, secret)
            if sentence != self._told and self._tell is not None:
                self._told = sentence
                self._tell(sentence)

    def remember(self, key: SecretKey, secret: Secret) -> str:
        """Keep a password for the next runs, or in memory alone where there is no keyring.

        Args:
            key: What it is for.
            secret: The password, known to be right.

        Returns:
            A sentence that says where it is now.
        """
        with self._lock:
            self._memory.set(key, secret)
            if self._store is not None:
                try:
                    self._store.set(key, secret)
                except KeyringUnavailable as error:
                    self._note(error)
            return self.where()

    def forget(self, key: SecretKey) -> None:
        """Remove a password from memory and keyring."""
        with self._lock:
            self._memory.delete(key)
            if self._store is not None:
                try:
                    self._store.delete(key)
                except KeyringUnavailable as error:
                    self._note(error)

    def where(self) -> str:
        """Say in a sentence where passwords are kept."""
        if self._store is None:
            return "Passwords are kept in memory only, until the program ends: the keyring is not used."
        is_available, sentence = self._store.availability()
        if is_available and not self._why_no_keyring:
            return sentence
        reason = self._why_no_keyring or sentence
        return f"Passwords are kept in memory only, until the program ends. {reason}"

    def _from_store(self, key: SecretKey) -> Secret | None:
        if self._store is None:
            return None
        try:
            return self._store.get(key)
        except KeyringUnavailable as error:
            self._note(error)
            return None

    def _note(self, error: KeyringUnavailable) -> None:
        """Remember why the keyring does not work; said by `where`, logged once."""
        if not self._why_no_keyring:
            logger.info("%s", error.message)
        self._why_no_keyring = error.sentence()
