"""Sources of passwords in their order: typed in this run, the keyring, the user."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

from app.domain.cancel import CancelToken
from app.domain.credentials import Secret, SecretKey
from app.domain.errors import KeyringUnavailable
from app.secrets.messages import (
    KEYRING_ANSWERED,
    KEYRING_NOT_WAITED_FOR,
    PASSWORDS_IN_MEMORY,
    PASSWORDS_IN_MEMORY_BECAUSE,
    WAITING_FOR_KEYRING,
)
from app.secrets.stores import MemoryPasswords, PasswordStore

logger = logging.getLogger("app.secrets")

KEYRING_NOTICE_S = 1.0
"""After this long without an answer of the keyring, the user is informed that the program waits for it."""

_POLL_S = 0.1
_T = TypeVar("_T")

Ask = Callable[[SecretKey, bool], Secret | None]
"""Asks a person; the second argument says whether the password given before was wrong."""


class LayeredPasswords:
    """PasswordProvider: what was typed in this run, then the keyring, then a person. Safe to use from several threads.

    Args:
        store: The system's keyring; None to use none.
        memory: For passwords of this run.
        ask: Asks the user; None where no user can be asked.
        report: Gets the sentence that says where passwords are kept.
    """

    def __init__(
        self,
        store: PasswordStore | None,
        memory: MemoryPasswords,
        ask: Ask | None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self._store = store
        self._memory = memory
        self._ask = ask
        self._lock = threading.RLock()
        self._report = report
        self._last_reported = ""
        self._unconfirmed: dict[SecretKey, Secret] = {}
        self._why_no_keyring = ""

    def __repr__(self) -> str:
        return "<LayeredPasswords>"

    def get(self, key: SecretKey, *, is_retry: bool, token: CancelToken | None = None) -> Secret | None:
        """Return a password, or None where there is none to be had.

        The answer of a user is kept in memory, so that no password is asked for twice. A wrong one is dropped
        from memory; in the keyring it remains until `remember` replaces it.

        Args:
            key: What it is for.
            is_retry: The one given before was wrong: only a person is asked.
            token: Cancelling it ends the wait for the keyring; whatever that answers then, nothing more is asked.

        Raises:
            Cancelled: The token was cancelled.
        """
        with self._held(token):
            if is_retry:
                self._memory.delete(key)
            else:
                # What was typed last is newer than what the keyring holds.
                known = self._memory.get(key) or self._from_store(key, token)
                if known is not None:
                    return known
            secret = self._ask(key, is_retry) if self._ask is not None else None
            if secret is not None:
                self._memory.set(key, secret)
                self._unconfirmed[key] = secret
            return secret

    def confirm(self, key: SecretKey, *, token: CancelToken | None = None) -> None:
        """Keep the password that a person gave last: it has turned out to be right. Says where it is kept, once.

        Raises:
            Cancelled: The token was cancelled while the keyring was waited for.
        """
        with self._held(token):
            secret = self._unconfirmed.pop(key, None)
            if secret is None:
                return
            sentence = self.remember(key, secret, token=token)
            if sentence != self._last_reported and self._report is not None:
                self._last_reported = sentence
                self._report(sentence)

    def remember(self, key: SecretKey, secret: Secret, *, token: CancelToken | None = None) -> str:
        """Keep a password for the next runs, or in memory alone where there is no keyring.

        Args:
            key: What it is for.
            secret: The password, known to be right.

        Returns:
            A sentence that says where it is now.

        Raises:
            Cancelled: The token was cancelled.
        """
        with self._held(token):
            self._memory.set(key, secret)
            store = self._store
            if store is not None:
                try:
                    self._wait_for(lambda: store.set(key, secret), token)
                except KeyringUnavailable as error:
                    self._note(error)
            return self.where()

    def where(self) -> str:
        """Return as a sentence where passwords are kept."""
        if self._store is None:
            return PASSWORDS_IN_MEMORY()
        is_available, sentence = self._store.availability()
        if is_available and not self._why_no_keyring:
            return sentence
        reason = self._why_no_keyring or sentence
        return PASSWORDS_IN_MEMORY_BECAUSE(reason=reason)

    @contextmanager
    def _held(self, token: CancelToken | None) -> Iterator[None]:
        """Hold the lock, which another thread may have for as long as a person or a keyring takes."""
        while not self._lock.acquire(timeout=_POLL_S):
            if token is not None:
                token.raise_if_cancelled()
        try:
            yield
        finally:
            self._lock.release()

    def _wait_for(self, action: Callable[[], _T], token: CancelToken | None) -> _T:
        """Use the keyring in a thread of its own: it waits for its user, and cannot be cancelled."""
        if token is None:
            return action()
        token.raise_if_cancelled()
        future: Future[_T] = Future()
        woken = threading.Event()

        def work() -> None:
            try:
                future.set_result(action())
            except BaseException as error:  # noqa: BLE001 - raised again by `result`
                future.set_exception(error)
            woken.set()

        unregister = token.on_cancel(woken.set)
        threading.Thread(target=work, name="keyring", daemon=True).start()
        try:
            if not woken.wait(KEYRING_NOTICE_S):
                self._show(WAITING_FOR_KEYRING())
                woken.wait()
                self._show(KEYRING_ANSWERED() if future.done() else KEYRING_NOT_WAITED_FOR())
        finally:
            unregister()
        token.raise_if_cancelled()
        return future.result()

    def _show(self, sentence: str) -> None:
        if self._report is not None:
            self._report(sentence)

    def _from_store(self, key: SecretKey, token: CancelToken | None) -> Secret | None:
        store = self._store
        if store is None:
            return None
        try:
            return self._wait_for(lambda: store.get(key), token)
        except KeyringUnavailable as error:
            self._note(error)
            return None

    def _note(self, error: KeyringUnavailable) -> None:
        """Remember why the keyring does not work; `where` reports it, and it is logged once."""
        if not self._why_no_keyring:
            logger.info("%s", error.message)
        self._why_no_keyring = error.sentence()
