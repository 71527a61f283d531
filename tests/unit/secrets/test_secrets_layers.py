"""Sources of passwords, and fallbacks when the keyring does not work."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import keyring.backend
import keyring.backends.chainer
import keyring.backends.fail
import keyring.backends.null
import keyring.errors
import pytest

from app.domain.cancel import CancelToken
from app.domain.credentials import Secret, SecretKey, SecretKind
from app.domain.errors import Cancelled, KeyringUnavailable
from app.domain.messages import MessageForm
from app.secrets import LayeredPasswords, MemoryPasswords, PasswordStore
from app.secrets.layers import Ask
from app.secrets.messages import (
    KEYRING_NOT_WAITED_FOR,
    NO_SAFE_KEYRING,
    PASSWORDS_IN_KEYRING,
    PASSWORDS_IN_MEMORY,
    PASSWORDS_IN_MEMORY_BECAUSE,
    WAITING_FOR_KEYRING,
)
from support.message_checks import has_message

KEY = SecretKey(SecretKind.LOGIN, "operator@gw:22")
SUDO = SecretKey(SecretKind.SUDO, "operator@gw:22")


class Keyring(keyring.backend.KeyringBackend):
    """A keyring in memory that can be made to fail."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        self.passwords: dict[tuple[str, str], str] = {}
        self.failure: Callable[[str], BaseException] | None = None

    def _maybe_fail(self, password: str = "") -> None:
        if self.failure is not None:
            raise self.failure(f"cannot handle {password or 'this'}")

    def get_password(self, service: str, username: str) -> str | None:
        self._maybe_fail(self.passwords.get((service, username), ""))
        return self.passwords.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._maybe_fail(password)
        self.passwords[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._maybe_fail()
        del self.passwords[service, username]


Keyring.__module__ = "keyring.backends.SecretService"  # stands for one that really protects


@pytest.fixture
def backend() -> Keyring:
    return Keyring()


def asking(*answers: str | None) -> tuple[Ask, list[tuple[SecretKey, bool]]]:
    left = list(answers)
    asked: list[tuple[SecretKey, bool]] = []

    def ask(key: SecretKey, is_retry: bool) -> Secret | None:
        asked.append((key, is_retry))
        answer = left.pop(0)
        return None if answer is None else Secret(answer)

    return ask, asked


# --- the store --------------------------------------------------------------------------------------------------------


def test_passwords_are_kept_by_kind_and_subject(backend: Keyring) -> None:
    store = PasswordStore(backend)
    store.set(KEY, Secret("login"))
    store.set(SUDO, Secret("sudo"))
    assert (store.get(KEY), store.get(SUDO)) == (Secret("login"), Secret("sudo"))
    assert backend.passwords[("tunnelmark:sudo", "operator@gw:22")] == "sudo"
    assert len(backend.passwords) == 2


@pytest.mark.parametrize("refused", [keyring.backends.fail.Keyring, keyring.backends.null.Keyring])
def test_keyrings_that_keep_nothing_are_refused(refused: type[keyring.backend.KeyringBackend]) -> None:
    store = PasswordStore(refused())
    is_available, sentence = store.availability()
    assert not is_available
    assert has_message(NO_SAFE_KEYRING)(sentence)
    with pytest.raises(KeyringUnavailable):
        store.set(KEY, Secret("x"))
    with pytest.raises(KeyringUnavailable):
        store.get(KEY)


def test_a_plain_text_keyring_is_refused() -> None:
    class PlainText(Keyring):
        pass

    PlainText.__module__ = "keyrings.alt.file"
    backend = PlainText()
    with pytest.raises(KeyringUnavailable):
        PasswordStore(backend).set(KEY, Secret("x"))
    assert backend.passwords == {}


def test_the_real_one_of_a_chain_is_used(backend: Keyring, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = [keyring.backends.null.Keyring(), backend]
    monkeypatch.setattr(keyring.backends.chainer.ChainerBackend, "backends", chain)
    PasswordStore(keyring.backends.chainer.ChainerBackend()).set(KEY, Secret("x"))
    assert len(backend.passwords) == 1


@pytest.mark.parametrize("failure", [keyring.errors.KeyringLocked, keyring.errors.InitError, OSError, KeyError])
def test_a_keyring_that_fails_gives_a_hint_and_no_secret(
    backend: Keyring, failure: Callable[[str], BaseException]
) -> None:
    store = PasswordStore(backend)
    secret = Secret("s3cret"[::-1])  # so that the source lines in a traceback do not hold it
    store.set(KEY, secret)
    backend.failure = failure
    for action in (
        lambda: store.get(KEY),
        lambda: store.set(KEY, secret),
    ):
        with pytest.raises(KeyringUnavailable) as caught:
            action()
        text = "".join(traceback.format_exception(caught.value))
        assert secret.value not in text
        assert ("locked" in caught.value.message) == (failure is keyring.errors.KeyringLocked)
        assert "keyring" in caught.value.hint


def test_nothing_secret_is_in_a_representation(backend: Keyring) -> None:
    memory = MemoryPasswords()
    memory.set(KEY, Secret("s3cret"))
    passwords = LayeredPasswords(PasswordStore(backend), memory, None)
    assert "s3cret" not in f"{memory!r} {passwords!r} {PasswordStore(backend)!r} {passwords.get(KEY, is_retry=False)!r}"


# --- the layers -------------------------------------------------------------------------------------------------------


def test_the_keyring_is_asked_before_a_person(backend: Keyring) -> None:
    ask, asked = asking()
    store = PasswordStore(backend)
    store.set(KEY, Secret("stored"))
    assert LayeredPasswords(store, MemoryPasswords(), ask).get(KEY, is_retry=False) == Secret("stored")
    assert asked == []


def test_an_answer_is_kept_in_memory_and_nowhere_else(backend: Keyring) -> None:
    ask, asked = asking("typed")
    passwords = LayeredPasswords(PasswordStore(backend), MemoryPasswords(), ask)
    assert [passwords.get(KEY, is_retry=False) for _ in range(2)] == [Secret("typed")] * 2
    assert asked == [(KEY, False)]
    assert backend.passwords == {}


def test_a_wrong_password_is_asked_for_anew(backend: Keyring) -> None:
    ask, asked = asking("right")
    store = PasswordStore(backend)
    store.set(KEY, Secret("outdated"))
    passwords = LayeredPasswords(store, MemoryPasswords(), ask)
    assert passwords.get(KEY, is_retry=False) == Secret("outdated")
    assert passwords.get(KEY, is_retry=True) == Secret("right")
    assert passwords.get(KEY, is_retry=False) == Secret("right")
    assert asked == [(KEY, True)]


def test_where_no_one_can_be_asked_there_is_none() -> None:
    passwords = LayeredPasswords(None, MemoryPasswords(), None)
    assert passwords.get(KEY, is_retry=False) is None
    assert passwords.get(KEY, is_retry=True) is None


def test_no_one_answers(backend: Keyring) -> None:
    ask, _ = asking(None)
    assert LayeredPasswords(PasswordStore(backend), MemoryPasswords(), ask).get(KEY, is_retry=False) is None


def test_remembering_says_where(backend: Keyring) -> None:
    passwords = LayeredPasswords(PasswordStore(backend), MemoryPasswords(), None)
    assert has_message(PASSWORDS_IN_KEYRING)(passwords.remember(KEY, Secret("right")))
    assert PasswordStore(backend).get(KEY) == Secret("right")


@pytest.mark.parametrize(
    ("store", "form"),
    [(None, PASSWORDS_IN_MEMORY), (PasswordStore(keyring.backends.fail.Keyring()), PASSWORDS_IN_MEMORY_BECAUSE)],
    ids=["none", "failing"],
)
def test_without_a_keyring_it_is_memory_only_and_reported(store: PasswordStore | None, form: MessageForm) -> None:
    passwords = LayeredPasswords(store, MemoryPasswords(), None)
    assert has_message(form)(passwords.where())
    assert has_message(form)(passwords.remember(KEY, Secret("right")))
    assert passwords.get(KEY, is_retry=False) == Secret("right")


def test_a_keyring_that_breaks_is_passed_over_and_reported_once(
    backend: Keyring, caplog: pytest.LogCaptureFixture
) -> None:
    ask, asked = asking("typed", "typed too")
    backend.failure = keyring.errors.KeyringLocked
    passwords = LayeredPasswords(PasswordStore(backend), MemoryPasswords(), ask)
    with caplog.at_level(logging.INFO, logger="app.secrets"):
        assert passwords.get(KEY, is_retry=False) == Secret("typed")
        assert passwords.get(SUDO, is_retry=False) == Secret("typed too")
        sentence = passwords.remember(KEY, Secret("typed"))
    assert len(asked) == 2
    assert has_message(PASSWORDS_IN_MEMORY_BECAUSE)(sentence)
    assert "locked" in sentence
    assert caplog.text.count("it is locked") == 1
    assert "typed" not in caplog.text


def test_only_a_password_that_was_right_goes_into_the_keyring_and_where_is_reported_once(backend: Keyring) -> None:
    shown: list[str] = []
    ask, _ = asking("wrong", "right", "sudo")
    passwords = LayeredPasswords(PasswordStore(backend), MemoryPasswords(), ask, shown.append)
    passwords.get(KEY, is_retry=False)
    assert backend.passwords == {}
    passwords.get(KEY, is_retry=True)
    passwords.confirm(KEY)
    passwords.confirm(KEY)
    passwords.get(SUDO, is_retry=False)
    passwords.confirm(SUDO)
    assert sorted(backend.passwords.values()) == ["right", "sudo"]
    assert len(shown) == 1


def test_without_a_keyring_it_is_reported_that_passwords_remain_in_memory() -> None:
    shown: list[str] = []
    ask, _ = asking("right")
    passwords = LayeredPasswords(PasswordStore(keyring.backends.fail.Keyring()), MemoryPasswords(), ask, shown.append)
    passwords.get(KEY, is_retry=False)
    passwords.confirm(KEY)
    assert len(shown) == 1
    assert has_message(PASSWORDS_IN_MEMORY_BECAUSE)(shown[0])


def test_cancelling_ends_the_wait_for_a_keyring_and_a_late_answer_asks_nothing(
    backend: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.secrets.layers.KEYRING_NOTICE_S", 0.0)
    answered, shown = threading.Event(), threading.Event()
    sentences: list[str] = []

    def report(sentence: str) -> None:
        sentences.append(sentence)
        shown.set()

    def waits_for_its_user(service: str, username: str) -> str | None:
        answered.wait(120)
        return None

    monkeypatch.setattr(backend, "get_password", waits_for_its_user)
    ask, asked = asking("typed")
    passwords = LayeredPasswords(PasswordStore(backend), MemoryPasswords(), ask, report)
    token = CancelToken()
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(passwords.get, key, is_retry=False, token=token) for key in (KEY, SUDO)]
        try:
            assert shown.wait(120)
            assert has_message(WAITING_FOR_KEYRING)(sentences[0])
            token.cancel()
            for one in both:
                with pytest.raises(Cancelled):
                    one.result(timeout=120)
        finally:
            answered.set()
    for thread in threading.enumerate():
        if thread.name == "keyring":
            thread.join(120)
    assert asked == []
    assert has_message(KEYRING_NOT_WAITED_FOR)(sentences[-1])
    assert passwords.get(KEY, is_retry=False, token=CancelToken()) == Secret("typed")
