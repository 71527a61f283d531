"""What is always true of IPsec by strongSwan in transport mode."""

from __future__ import annotations

from app.domain.solutions import SecurityProperties

DESIGN = ("IKEv2", "ESP")
NO_NAT = "It uses IP protocol 50 and UDP port 500; network address translation is not passed."
SECURITY = SecurityProperties(
    has_confidentiality=True,
    has_integrity=True,
    has_authentication=True,
    has_anti_replay=True,
    has_forward_secrecy=True,
)
