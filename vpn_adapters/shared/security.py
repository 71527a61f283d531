"""Protection that several solutions have in common."""

from __future__ import annotations

from dataclasses import replace

from app.domain.messages import mark
from app.domain.solutions import SecurityProperties, Suite

FULL_SECURITY = SecurityProperties(
    has_confidentiality=True,
    has_integrity=True,
    has_authentication=True,
    has_anti_replay=True,
    has_forward_secrecy=True,
)
NO_FORWARD_SECRECY = replace(FULL_SECURITY, has_forward_secrecy=False)
NO_SECURITY = SecurityProperties(
    has_confidentiality=False,
    has_integrity=False,
    has_authentication=False,
    has_anti_replay=False,
    has_forward_secrecy=False,
)
UNAUTHENTICATED = replace(NO_SECURITY, has_confidentiality=True)
"""Packets are encrypted, and none is authenticated."""
NO_PROTECTION = Suite(name="none", title=mark("No protection"), is_default=True)
