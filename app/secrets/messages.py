"""Messages about where passwords are kept."""

from __future__ import annotations

from app.domain.messages import MessageForm

KEYRING_STILL_LOCKED = MessageForm("secrets.keyring-stayed-locked", "it is locked, and was not unlocked")
KEYRING_BROKE = MessageForm("secrets.keyring-broke", "it failed ({kind})")
KEYRING_HINT = MessageForm(
    "secrets.keyring-hint",
    "Unlock or install the system's keyring (GNOME Keyring, KWallet), or type the password each time.",
)
KEYRING_NOT_READ = MessageForm("secrets.keyring-not-read", "The system's keyring ({name}) could not be read: {reason}.")
KEYRING_NOT_WRITTEN = MessageForm(
    "secrets.keyring-not-written", "The system's keyring ({name}) could not be written: {reason}."
)
PASSWORDS_IN_KEYRING = MessageForm(
    "secrets.passwords-in-keyring", "Passwords are kept in the system's keyring ({name})."
)
PASSWORDS_IN_MEMORY = MessageForm(
    "secrets.passwords-in-memory",
    "Passwords are kept in memory only, until the program ends: the keyring is not used.",
)
PASSWORDS_IN_MEMORY_BECAUSE = MessageForm(
    "secrets.passwords-in-memory-because", "Passwords are kept in memory only, until the program ends. {reason}"
)
WAITING_FOR_KEYRING = MessageForm(
    "secrets.waiting-for-keyring",
    "Waiting for the system's keyring: answer or close its own window, or cancel here.",
)
KEYRING_ANSWERED = MessageForm("secrets.keyring-answered", "The system's keyring has answered.")
KEYRING_NOT_WAITED_FOR = MessageForm("secrets.keyring-not-waited-for", "The system's keyring is no longer waited for.")
NO_SAFE_KEYRING = MessageForm("secrets.no-safe-keyring", "This system offers no keyring that protects passwords.")
KEYRING_NOT_SET_UP = MessageForm("secrets.keyring-not-set-up", "No keyring could be set up ({kind}).")
