"""Passwords in the system's keyring or in memory; the only place that imports keyring."""

from app.secrets.layers import Ask, LayeredPasswords
from app.secrets.stores import MemoryPasswords, PasswordStore

__all__ = ["Ask", "LayeredPasswords", "MemoryPasswords", "PasswordStore"]
