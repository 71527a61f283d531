"""Openings of firewalls within messages."""

from __future__ import annotations

from app.domain.messages import MessageForm

PROTOCOL_PORTS = MessageForm("opening.protocol-ports", "{protocol} {ports}")
OPENING = MessageForm("opening.from-source", "{what} from {source}")
OPENING_ON_INTERFACE = MessageForm("opening.on-interface", "{what} from {source} on {interface}")
SEVERAL = MessageForm("opening.several", "{texts}")
