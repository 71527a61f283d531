"""Constant properties of IPsec by strongSwan in transport mode."""

from __future__ import annotations

from app.domain.messages import mark

DESIGN = ("IKEv2", "ESP")
NO_NAT = mark("It uses IP protocol 50 and UDP port 500; network address translation is not passed.")
