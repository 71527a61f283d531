"""Constant properties of IPsec by strongSwan in transport mode."""

from __future__ import annotations

from app.domain.messages import mark

DESIGN = ("IKEv2", "ESP")
PPK_LIMITATION = mark(
    "In suites with a PPK, the pre-shared key from ML-KEM-768 is the same until keys are rotated: its protection has "
    "no forward secrecy meanwhile."
)
NO_NAT = mark("It uses IP protocol 50 and UDP port 500; network address translation is not passed.")
