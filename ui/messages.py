"""Messages of ui: each with its code, its text and its hint."""

from __future__ import annotations

from app.domain.messages import MessageForm

SERVICES_NOT_OPEN = MessageForm(
    "window.services-not-open",
    "The services are not open yet.",
    "Wait a moment and try again.",
)
OPERATION_FAULT = MessageForm(
    "window.own-fault",
    "{operation} failed because of a fault in Tunnelmark ({kind}).",
    "Your input is kept. Try again; if it happens again, send the details to the developers.",
)
