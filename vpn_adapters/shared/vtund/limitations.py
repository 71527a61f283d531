"""Limitations of VTun, whatever its sessions carry."""

from __future__ import annotations

from app.domain.messages import mark

NEVER_DEPLOYED = mark(
    "It can be measured, for a plant that still has it, but is never deployed: WireGuard or OpenVPN replaces it."
)
NO_AUTHENTICATION = mark(
    "No packet is authenticated: anyone on the path can change frames and send recorded ones again."
)
SERVER_NAMES_CIPHER = mark(
    "The server names the cipher in the clear, and the client obeys whatever its own file says: anyone on the path can "
    "make it send without encryption."
)
MD5_KEY = mark(
    "The key is an MD5 of the password and never changes: a password that leaks makes all recorded traffic readable."
)
NOT_DEVELOPED = mark("VTun is no longer developed, and Debian has dropped it after Debian 12.")
