"""The user of this computer."""

from __future__ import annotations

import getpass
import socket


def this_user() -> str:
    """Return who works on this computer, for what is written down."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "somebody"
    return "".join(one for one in f"{user} on {socket.gethostname()}" if one.isprintable())
