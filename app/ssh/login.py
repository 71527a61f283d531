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
from app.ssh.logs import logger
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
    if _try_files(attempt, files, locked):
        return True
    if auth is AuthKind.AUTO:
        if _try_agent(attempt):
            return True
        if not files and _try_files(attempt, _default_files(), locked):
            return True
    if any(_try_locked_file(attempt, file) for file in locked):
        return True
    if auth is AuthKind.KEY and not files:
        attempt.untried.append("no key file is configured")
    return (auth is AuthKind.AUTO or _is_password_next(attempt)) and _try_password(attempt)


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
        if key is not None and _try_key(attempt, key, f"key {file}"):
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
        attempt.untried.append(f"key {file} cannot be read ({error.strerror})")
    except (ValueError, paramiko.SSHException):
        why = "was not unlocked by this passphrase" if passphrase else "is not a private key"
        attempt.untried.append(f"key {file} {why}")
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
            attempt.untried.append(f"the passphrase of key {file} was not given")
            return False
        key = _load(attempt, file, passphrase, [])
        if key is not None:
            attempt.passwords.confirm(SecretKey(SecretKind.PASSPHRASE, str(file)), token=attempt.token)
            return _try_key(attempt, key, f"key {file}")
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
            if _try_key(attempt, key, f"the agent's key {key.comment or key.fingerprint}"):
                return True
    if not keys:
        is_there = "SSH_AUTH_SOCK" in os.environ or sys.platform == "win32"
        attempt.untried.append("the SSH agent offers no key" if is_there else "no SSH agent is running")
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
        attempt.untried.append("the host takes no passwords")
        return False
    key = SecretKey(SecretKind.LOGIN, attempt.target.password_name, tuple(attempt.refused))
    for number in range(PASSWORD_TRIES):
        attempt.token.raise_if_cancelled()
        secret = attempt.passwords.get(key, is_retry=number > 0, token=attempt.token)
        if secret is None:
            attempt.untried.append("no other password was given" if number else "no password was given")
            return False
        if not attempt.transport.is_active():
            raise EOFError("the host closed the connection while the password was asked for")
        attempt.tried.append("a password")
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
            raise paramiko.SSHException("the host asks for more than a password")
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
        raise DeadlineExceeded(
            f"{attempt.target} did not answer a login within {SETUP_TIMEOUT_S:g} s.", hint="Is the host overloaded?"
        )
    attempt.token.raise_if_cancelled()
    error = transport.get_exception()
    if isinstance(error, paramiko.BadAuthenticationType):
        attempt.methods = list(error.allowed_types)
    elif isinstance(error, paramiko.ssh_exception.PartialAuthentication):
        attempt.methods = list(error.allowed_types)
        attempt.tried[-1] += " (taken, but the host wants more)"
    if transport.is_authenticated():
        return True
    if not transport.is_active():
        raise error or EOFError("the host closed the connection")
    return False


def _refused(attempt: _Attempt) -> AuthenticationFailed:
    return AuthenticationFailed(
        f"{attempt.target} refused the login. {_what_was_tried(attempt)}".strip(),
        hint="Check the user name, and that the right key or password is chosen.",
        context={"host": attempt.target.login},
    )


def _what_was_tried(attempt: _Attempt) -> str:
    """Return what the host refused, and why nothing else was offered, as sentences."""
    times = Counter(attempt.tried)
    refused = [name if number == 1 else f"{name} ({number} times)" for name, number in times.items()]
    sentences = [f"It was offered: {', '.join(refused)}."] if refused else []
    if attempt.untried:
        nothing = "Nothing else could be offered" if refused else "Nothing could be offered"
        sentences.append(f"{nothing}: {'; '.join(dict.fromkeys(attempt.untried))}.")
    return " ".join(sentences)


def _broken(attempt: _Attempt, error: Exception) -> AuthenticationFailed | HostUnreachable | ConnectionLost:
    tried = _what_was_tried(attempt)
    if isinstance(error, paramiko.AuthenticationException | paramiko.SSHException) and attempt.transport.is_active():
        return AuthenticationFailed(f"{attempt.target} refused the login: {error}. {tried}".strip())
    if len(attempt.offered) > 1:
        return AuthenticationFailed(
            f"{attempt.target} closed the connection after {len(attempt.offered)} keys. {tried}",
            hint="It takes a few attempts only: name the right key with --identity.",
            context={"host": attempt.target.login},
        )
    return HostUnreachable(
        f"{attempt.target} closed the connection during the login: {error}. {tried}".strip(),
        hint="Read the host's SSH log; a ban after too many attempts shows like this.",
    )
