"""A TCP port of 127.0.0.1 that no other program gets while a process of tests lasts."""

from __future__ import annotations

import socket


def held_port() -> int:
    """Return a port that this process has bound until it ends, and does not listen on: connections are refused.

    Programs of the test that set SO_REUSEADDR, as servers do, can listen on it, again and again. Source: socket(7).
    """
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", 0))
    port: int = sock.getsockname()[1]
    sock.detach()  # it remains open
    return port
