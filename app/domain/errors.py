"""Every error that Tunnelmark raises on purpose.

One root with a message, a hint (what to do next) and context. Each class has a stable reason code, which is stored with
attempts and printed in JSON, and says whether trying the same thing again can help.

Output of a host may be in any of them, also before it is known which host it is: texts are cleaned here, once for
terminal, window, notification and log.

No error may carry a secret: messages name hosts, programs and settings, never what was sent on a command's stdin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from app.domain.messages import Message, code_of, sentences
from app.domain.plain_text import plain_text


class TunnelmarkError(Exception):
    """Root of all errors with a sentence for the user.

    Args:
        message: What failed, and on which host; a `Message` of a form of the package's `messages.py`.
        hint: What the user can do next; the form's own where it is empty.
        context: Details as short texts, for example the host, the exit status, the last lines of a log.

    Attributes:
        left: Why a host may not be restored, as a sentence, where the error ended work that changes hosts; else empty.
        is_before_changes: Whether no host was changed when it was raised, whatever it says of a connection.
    """

    reason: ClassVar[str] = "error"
    is_retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "", context: Mapping[str, str] | None = None) -> None:
        self.message: str = message if isinstance(message, Message) else plain_text(message)
        if not hint and isinstance(message, Message):
            hint = message.hint
        self.hint: str = hint if isinstance(hint, Message) else plain_text(hint)
        self.context: dict[str, str] = {name: plain_text(text) for name, text in (context or {}).items()}
        self.left: str = ""
        self.is_before_changes: bool = False
        super().__init__(self.message)

    @property
    def code(self) -> str:
        """Code of the message; the class's reason where the message has none."""
        return code_of(self.message) or self.reason

    def sentence(self) -> str:
        """Return message and hint as one text, in the language of its reader; it is stored with code and data."""
        return sentences((self.message, self.hint))


# --- the environment's fault ------------------------------------------------------------------------------------------


class EnvironmentFault(TunnelmarkError):
    """Something outside Tunnelmark is not as it must be."""

    reason = "environment"


class HostUnreachable(EnvironmentFault):
    """No connection to a host's SSH port."""

    reason = "host-unreachable"
    is_retryable = True


class ConnectionLost(EnvironmentFault):
    """An SSH connection broke while it was used."""

    reason = "connection-lost"
    is_retryable = True


class AuthenticationFailed(EnvironmentFault):
    """The host refused every way to log in that was tried."""

    reason = "authentication-failed"


class HostKeyUnknown(EnvironmentFault):
    """The host's key is not known yet, and no user confirmed it.

    The context holds `host` (address and port as known_hosts writes them), `key_type`, `fingerprint` (SHA256:…) and
    `known_hosts_line`.
    """

    reason = "host-key-unknown"


class HostKeyChanged(EnvironmentFault):
    """The host shows another key than the known one. The connection is refused."""

    reason = "host-key-changed"


class PrivilegeMissing(EnvironmentFault):
    """The user on the host may not do what is needed."""

    reason = "privilege-missing"


class DeadlineExceeded(EnvironmentFault):
    """A command or a wait took longer than it was given."""

    reason = "timeout"
    is_retryable = True


class UnderlayDown(EnvironmentFault):
    """The bare link between the two hosts carries nothing, although both hosts answer."""

    reason = "underlay-down"
    is_retryable = True


class CommandFailed(EnvironmentFault):
    """A command on a host ended with an error."""

    reason = "command-failed"


class PackageMissing(EnvironmentFault):
    """A program or kernel module is missing on a host; the hint names the package that brings it."""

    reason = "package-missing"


class DiskFull(EnvironmentFault):
    """There is no space left on a host or on this computer."""

    reason = "disk-full"


class PreflightRefused(EnvironmentFault):
    """Something on a host is in the way of a deployment: a port, a subnet, an interface name, a tunnel."""

    reason = "preflight"


class PairLocked(EnvironmentFault):
    """Another Tunnelmark is working on this host. The context holds `owner` and `age_s`."""

    reason = "pair-locked"
    is_retryable = True


class TunnelDown(EnvironmentFault):
    """The tunnel did not come up, or went down; the context holds the daemon's log."""

    reason = "tunnel-down"


class TunnelCannotComeUp(TunnelDown):
    """A program reported why the tunnel will never come up with this suite: trying again would not help."""


class ProbeFailed(EnvironmentFault):
    """A measurement could not be made; the context says why."""

    reason = "probe-failed"


class ProgramMissing(ProbeFailed):
    """A host cannot start a program of a measurement: trying again would not help."""

    reason = PackageMissing.reason


class ConditionNotMet(EnvironmentFault):
    """The link is not under the condition that was asked for: what is measured on it says nothing about that one."""

    reason = "condition-not-met"


class PlaintextSeen(EnvironmentFault):
    """Plaintext that should be protected was read on the underlay."""

    reason = "leak"


class ForgeryAccepted(EnvironmentFault):
    """A tunnel that should protect let in forged, altered or replayed packets."""

    reason = "forgery"


class CleanupFailed(EnvironmentFault):
    """A host could not be restored; the hint says what to run on its console."""

    reason = "cleanup-failed"


UNRESTORED = frozenset(error.reason for error in (CleanupFailed, ConnectionLost, HostUnreachable))
"""Reasons of errors with which work ends while a host may not be as it was: its rollback failed, or was not seen."""


def left_by(error: BaseException | None) -> str:
    """Return why a host may not be restored after work that an error ended; empty where it says nothing of that."""
    if not isinstance(error, TunnelmarkError) or error.is_before_changes:
        return ""
    return error.sentence() if error.reason in UNRESTORED else ""


class LabFault(EnvironmentFault):
    """The practice lab could not be made, started or used."""

    reason = "lab"


class StorageFault(EnvironmentFault):
    """The database cannot be read or written, or was made by a newer Tunnelmark."""

    reason = "storage"


class KeyringUnavailable(EnvironmentFault):
    """There is no system keyring that can keep a password."""

    reason = "keyring-unavailable"


# --- the user's input -------------------------------------------------------------------------------------------------


class InputFault(TunnelmarkError):
    """Input of the user that cannot be used."""

    reason = "input"


class InvalidOption(InputFault):
    """An option's or a form field's value is out of range or unknown."""

    reason = "invalid-option"


class InvalidPlan(InputFault):
    """A comparison or deployment that cannot be carried out as asked."""

    reason = "invalid-plan"


class InvalidFile(InputFault):
    """A file cannot be read as what it should be."""

    reason = "invalid-file"


class NotFound(InputFault):
    """A stored pair, comparison or lab of that name does not exist."""

    reason = "not-found"


# --- our own fault ----------------------------------------------------------------------------------------------------


class Bug(TunnelmarkError):
    """An assumption of Tunnelmark's own code does not hold."""

    reason = "bug"


class Cancelled(BaseException):
    """The user cancelled. Derives from BaseException, so that no `except Exception` swallows it."""

    reason: ClassVar[str] = "cancelled"
