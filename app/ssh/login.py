"""Logging in: agent, key files, password, in the order of the host's spec."""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import paramiko

from app.domain.cancel import CancelToken
from app.domain.credentials import PasswordProvider, Secret, SecretKey, SecretKind
from app.domain.errors import AuthenticationFailed, ConnectionLost, DeadlineExceeded, HostUnreachable
from app.domain.hosts import AuthKind
from app.domain.messages import sentences
from app.ssh.logs import logger
from app.ssh.messages import (
    A_PASSWORD,
    AGENT_KEY,
    AGENT_WITHOUT_KEYS,
    CLOSED_AFTER_KEYS,
    CLOSED_DURING_LOGIN,
    CLOSED_WHILE_ASKING,
    HOST_CLOSED_CONNECTION,
    KEY_FILE,
    KEY_NOT_PRIVATE,
    KEY_STILL_LOCKED,
    KEY_UNREADABLE,
    LOGIN_REFUSED,
    LOGIN_REFUSED_BECAUSE,
    LOGIN_UNANSWERED,
    MORE_THAN_PASSWORD,
    NO_AGENT,
    NO_KEY_CONFIGURED,
    NO_PASSWORD,
    NO_PASSWORDS_TAKEN,
    NOTHING_ELSE_OFFERED,
    NOTHING_OFFERED,
    NOTHING_TO_OFFER,
    PASSPHRASE_NOT_GIVEN,
    SEVERAL_TIMES,
    TAKEN_BUT_NOT_ENOUGH,
    WAS_OFFERED,
)
from app.ssh.targets import SshTarget
from app.ssh.transport import SETUP_TIMEOUT_S, WatchfulTransport

DEFAULT_KEY_NAMES = ("id_ed25519", "id_ecdsa", "id_rsa")
PASSWORD_TRIES = 3


@dataclass(slots=True)
class _Attempt:
    """One login: what was tried so far, and what the host still accepts.

    Attributes:
        tried: What the host was offered, in words, for the error.
        untried: Why something else was not offered, as clauses.
        offered: Fingerprints of keys that were tried already.
        refused: Keys that the host did not take, in words.
        methods: Methods that the host accepts; None until it reported them.
    """

    transport: WatchfulTransport
    target: SshTarget
    passwords: PasswordProvider
    token: CancelToken
    tried: list[str] = field(default_factory=list)
    untried: list[str] = field(default_factory=list)
    offered: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    methods: list[str] | None = None


def log_in(transport: WatchfulTransport, target: SshTarget, passwords: PasswordProvider, *, token: CancelToken) -> None:
    """Log in over a transport whose host key was verified.

    Args:
        transport: Key exchange is done.
        passwords: Where passwords and passphrases come from.

    Raises:
        AuthenticationFailed: Everything was refused; says what was tried.
        DeadlineExceeded: The host took too long to answer.
        HostUnreachable: The host closed the connection.
        Cancelled: The token was cancelled.
    """
    attempt = _Attempt(transport, target, passwords, token)
    unregister = token.on_cancel(transport.abort)
    try:
        is_in = _try_in_order(attempt)
    except (paramiko.SSHException, EOFError, OSError) as error:
        token.raise_if_cancelled()
        raise _broken(attempt, error) from error
    finally:
        unregister()
    token.raise_if_cancelled()
    if not is_in:
        raise _refused(attempt)


def _try_in_order(attempt: _Attempt) -> bool:
    auth = attempt.target.spec.auth
    if auth is AuthKind.PASSWORD:
        return _try_password(attempt)
    if auth is AuthKind.AGENT:
        return _try_agent(attempt) or (_is_password_next(attempt) and _try_password(attempt))
    files = attempt.target.identity_files
    locked: list[Path] = []
    is_in = _try_files(attempt, files, locked) or (auth is AuthKind.AUTO and _try_unnamed_keys(attempt, locked))
    if is_in or any(_try_locked_file(attempt, file) for file in locked):
        return True
    if auth is AuthKind.KEY and not files:
        attempt.untried.append(NO_KEY_CONFIGURED())
    return (auth is AuthKind.AUTO or _is_password_next(attempt)) and _try_password(attempt)


def _try_unnamed_keys(attempt: _Attempt, locked: list[Path]) -> bool:
    """Try the agent, and the usual key files where none is named."""
    if _try_agent(attempt):
        return True
    return not attempt.target.identity_files and _try_files(attempt, _default_files(), locked)


def _default_files() -> tuple[Path, ...]:
    files = (Path.home() / ".ssh" / name for name in DEFAULT_KEY_NAMES)
    return tuple(file for file in files if file.is_file())


def _is_password_next(attempt: _Attempt) -> bool:
    """Whether the host took a key and wants a password on top of it."""
    return attempt.methods is not None and "password" in attempt.methods


# --- keys -------------------------------------------------------------------------------------------------------------


def _try_files(attempt: _Attempt, files: tuple[Path, ...], locked: list[Path]) -> bool:
    """Try key files that need no passphrase; keep the others for later."""
    for file in files:
        key = _load(attempt, file, None, locked)
        if key is not None and _try_key(attempt, key, KEY_FILE(file=file)):
            return True
    return False


def _load(attempt: _Attempt, file: Path, passphrase: Secret | None, locked: list[Path]) -> paramiko.PKey | None:
    try:
        # WORKAROUND(paramiko 5.1): `from_path` wants the passphrase as bytes, against its annotation.
        secret = passphrase.value.encode() if passphrase else None
        return paramiko.PKey.from_path(file, secret)  # type: ignore[arg-type]
    except TypeError:
        locked.append(file)  # cryptography's way to say that a passphrase is missing
    except OSError as error:
        attempt.untried.append(KEY_UNREADABLE(file=file, reason=error.strerror))
    except (ValueError, paramiko.SSHException):
        attempt.untried.append(KEY_STILL_LOCKED(file=file) if passphrase else KEY_NOT_PRIVATE(file=file))
    return None


def _try_locked_file(attempt: _Attempt, file: Path) -> bool:
    """Ask for a key file's passphrase and try the key."""
    public = _public_fingerprint(file)
    if public is not None and public in attempt.offered:
        return False  # the agent had it, and the host refused it
    for number in range(PASSWORD_TRIES):
        attempt.token.raise_if_cancelled()
        passphrase = attempt.passwords.get(
            SecretKey(SecretKind.PASSPHRASE, str(file)), is_retry=number > 0, token=attempt.token
        )
        if passphrase is None:
            attempt.untried.append(PASSPHRASE_NOT_GIVEN(file=file))
            return False
        key = _load(attempt, file, passphrase, [])
        if key is not None:
            attempt.passwords.confirm(SecretKey(SecretKind.PASSPHRASE, str(file)), token=attempt.token)
            return _try_key(attempt, key, KEY_FILE(file=file))
    return False


def _public_fingerprint(file: Path) -> str | None:
    """Return the fingerprint of the `.pub` file beside a key; None if there is none that can be read."""
    try:
        blob = paramiko.pkey.PublicBlob.from_file(f"{file}.pub")
        return paramiko.PKey.from_type_string(blob.key_type, blob.key_blob).fingerprint
    except (OSError, ValueError, paramiko.SSHException):
        return None


def _try_agent(attempt: _Attempt) -> bool:
    with _agent() as agent:
        keys = agent.get_keys() if agent else ()
        allowed = {_public_fingerprint(file) for file in attempt.target.identity_files}
        if attempt.target.is_identities_only:
            keys = tuple(key for key in keys if key.fingerprint in allowed)
        for key in keys:
            if _try_key(attempt, key, AGENT_KEY(key=key.comment or key.fingerprint)):
                return True
    if not keys:
        is_there = "SSH_AUTH_SOCK" in os.environ or sys.platform == "win32"
        attempt.untried.append(AGENT_WITHOUT_KEYS() if is_there else NO_AGENT())
    return False


@contextmanager
def _agent() -> Iterator[paramiko.Agent | None]:
    try:
        agent = paramiko.Agent()
    except (paramiko.SSHException, OSError) as error:
        logger.info("The SSH agent does not answer: %s", error)
        yield None
        return
    try:
        yield agent
    finally:
        agent.close()


def _try_key(attempt: _Attempt, key: paramiko.PKey, words: str) -> bool:
    if key.fingerprint in attempt.offered:
        return False
    attempt.offered.add(key.fingerprint)
    attempt.tried.append(words)
    event = threading.Event()
    attempt.transport.auth_publickey(attempt.target.user, key, event)
    is_in = _wait(attempt, event)
    if not is_in and attempt.tried[-1] == words:  # a key that was taken and is not enough says so there
        attempt.refused.append(words)
    return is_in


# --- password ---------------------------------------------------------------------------------------------------------


def _try_password(attempt: _Attempt) -> bool:
    if not _takes_passwords(attempt):
        attempt.untried.append(NO_PASSWORDS_TAKEN())
        return False
    key = SecretKey(SecretKind.LOGIN, attempt.target.password_name, tuple(attempt.refused))
    for number in range(PASSWORD_TRIES):
        attempt.token.raise_if_cancelled()
        secret = attempt.passwords.get(key, is_retry=number > 0, token=attempt.token)
        if secret is None:
            if not number:
                attempt.untried.append(NO_PASSWORD())
            return False
        if not attempt.transport.is_active():
            raise EOFError(CLOSED_WHILE_ASKING())
        attempt.tried.append(A_PASSWORD())
        if _send_password(attempt, secret):
            attempt.passwords.confirm(key, token=attempt.token)
            return True
    return False


def _takes_passwords(attempt: _Attempt) -> bool:
    """Ask the host which methods it takes, before a person is asked for a password in vain."""
    if attempt.methods is None:
        try:
            attempt.transport.auth_none(attempt.target.user)
        except paramiko.BadAuthenticationType as error:
            attempt.methods = list(error.allowed_types)
    return attempt.methods is None or bool({"password", "keyboard-interactive"} & set(attempt.methods))


def _send_password(attempt: _Attempt, secret: Secret) -> bool:
    if attempt.methods and "password" not in attempt.methods:
        return _send_interactively(attempt, secret)
    event = threading.Event()
    attempt.transport.auth_password(attempt.target.user, secret.value, event)
    return _wait(attempt, event)


def _send_interactively(attempt: _Attempt, secret: Secret) -> bool:
    """Answer a single hidden question with the password (keyboard-interactive, RFC 4256)."""

    def answer(_title: str, _instructions: str, prompts: list[tuple[str, bool]]) -> list[str]:
        if len(prompts) > 1 or any(is_shown for _, is_shown in prompts):
            raise paramiko.SSHException(MORE_THAN_PASSWORD())
        return [secret.value for _ in prompts]

    try:
        attempt.transport.auth_interactive(attempt.target.user, answer)
    except paramiko.AuthenticationException:
        return False
    return attempt.transport.is_authenticated()


# --- answers ----------------------------------------------------------------------------------------------------------


def _wait(attempt: _Attempt, event: threading.Event) -> bool:
    """Wait for the host's answer to one attempt, and note which methods it says it takes."""
    transport = attempt.transport
    if not event.wait(SETUP_TIMEOUT_S):
        attempt.token.raise_if_cancelled()
        raise DeadlineExceeded(LOGIN_UNANSWERED(host=attempt.target, seconds=SETUP_TIMEOUT_S))
    attempt.token.raise_if_cancelled()
    error = transport.get_exception()
    if isinstance(error, paramiko.BadAuthenticationType):
        attempt.methods = list(error.allowed_types)
    elif isinstance(error, paramiko.ssh_exception.PartialAuthentication):
        attempt.methods = list(error.allowed_types)
        attempt.tried[-1] = TAKEN_BUT_NOT_ENOUGH(what=attempt.tried[-1])
    if transport.is_authenticated():
        return True
    if not transport.is_active():
        raise error or EOFError(HOST_CLOSED_CONNECTION())
    return False


def _refused(attempt: _Attempt) -> AuthenticationFailed:
    if attempt.tried:
        message = LOGIN_REFUSED(host=attempt.target, tried=_what_was_tried(attempt))
    else:
        message = NOTHING_TO_OFFER(host=attempt.target, reasons=list(dict.fromkeys(attempt.untried)))
    return AuthenticationFailed(message, context={"host": attempt.target.login})


def _what_was_tried(attempt: _Attempt) -> str:
    """Return what the host refused, and why nothing else was offered, as sentences."""
    times = Counter(attempt.tried)
    refused = [name if number == 1 else SEVERAL_TIMES(what=name, number=number) for name, number in times.items()]
    found = [WAS_OFFERED(names=refused)] if refused else []
    if attempt.untried:
        form = NOTHING_ELSE_OFFERED if refused else NOTHING_OFFERED
        found.append(form(reasons=list(dict.fromkeys(attempt.untried))))
    return sentences(found)


def _broken(attempt: _Attempt, error: Exception) -> AuthenticationFailed | HostUnreachable | ConnectionLost:
    tried = _what_was_tried(attempt)
    if isinstance(error, paramiko.AuthenticationException | paramiko.SSHException) and attempt.transport.is_active():
        return AuthenticationFailed(LOGIN_REFUSED_BECAUSE(host=attempt.target, reason=error, tried=tried))
    if len(attempt.offered) > 1:
        return AuthenticationFailed(
            CLOSED_AFTER_KEYS(host=attempt.target, count=len(attempt.offered), tried=tried),
            context={"host": attempt.target.login},
        )
    return HostUnreachable(
        CLOSED_DURING_LOGIN(host=attempt.target, reason=error, tried=tried),
    )
