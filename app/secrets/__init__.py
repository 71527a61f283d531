"""Passwords, in the system's keyring or in memory; the only place that imports keyring.

Passwords go in and come out by their key; a keyring that is locked, broken or protects nothing raises
`KeyringUnavailable`, which says what to do. Must not write a secret to a file, a log or an error.
"""

from app.secrets.layers import LayeredPasswords
from app.secrets.stores import MemoryPasswords, PasswordStore

__all__ = ["LayeredPasswords", "MemoryPasswords", "PasswordStore"]
