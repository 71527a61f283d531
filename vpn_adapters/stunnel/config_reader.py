"""Reads stunnel.conf."""

from __future__ import annotations

from vpn_adapters.shared.config_parsing.page import ConfigReading
from vpn_adapters.shared.config_parsing.sections import read_sections
from vpn_adapters.shared.config_parsing.word_sets import word_set

GLOBS = ("/etc/stunnel/*.conf",)

WORDS = word_set(
    """
    accept connect client cert key cafile capath verify verifychain verifypeer checkhost sslversion
    sslversionmin sslversionmax options ciphers ciphersuites curves curve foreground debug output pid setuid
    setgid pty exec execargs pskidentity psksecrets sni delay retry timeoutclose fips chroot
    """
)
"""Settings by which such a file is known. Source: stunnel(8) of 5.74."""


def read(text: str) -> ConfigReading:
    """Read a file. Source: stunnel(8) of 5.74."""
    return read_sections(text, comment_signs="#;", name=lambda _, name: name)
