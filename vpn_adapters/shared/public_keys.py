"""Public keys and certificates that a host prints."""

from __future__ import annotations

import base64
import binascii
import re
import textwrap
from collections.abc import Mapping

from app.domain.adapters import PlanRequest
from app.domain.commands import CommandResult
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.domain.messages import Message
from vpn_adapters.shared.messages import CHECK_COMMANDS, NOT_PRINTED
from vpn_adapters.shared.rendering import public_value, render_file

PUBLIC_KEY, CERTIFICATE = "PUBLIC KEY", "CERTIFICATE"
"""Labels of PEM. Source: RFC 7468."""


def printed(outputs: Mapping[str, CommandResult], name: str, pattern: re.Pattern[str]) -> bytes:
    """Return the base64 that a pattern's first group finds in one command's output, decoded; empty where there is none.

    Args:
        outputs: Output of the recipe's public commands.
        pattern: Finds the base64, white space within it allowed.
    """
    result = outputs.get(name)
    match = pattern.search(result.stdout) if result else None
    try:
        return base64.b64decode("".join(match[1].split()), validate=True) if match else b""
    except (binascii.Error, ValueError):
        return b""


def refused(outputs: Mapping[str, CommandResult], name: str, what: Message, commands: tuple[str, ...]) -> CommandFailed:
    """Return the error for a host that did not print its key.

    Args:
        outputs: Output of the recipe's public commands.
        what: For example `its certificate`.
        commands: What makes and prints it, for example "`wg genkey`" and "`wg pubkey`".
    """
    result = outputs.get(name)
    return CommandFailed(
        NOT_PRINTED(what=what),
        hint=CHECK_COMMANDS(commands=commands),
        context={"stderr": result.stderr[-500:] if result else ""},
    )


def printed_der(
    outputs: Mapping[str, CommandResult], name: str, label: str, what: Message, commands: tuple[str, ...]
) -> bytes:
    """Return the DER form of what a host printed in PEM.

    Args:
        outputs: Output of the recipe's public commands.
        label: PUBLIC_KEY or CERTIFICATE.
        what: As for `refused`.
        commands: As for `refused`.

    Raises:
        CommandFailed: It is no such PEM.
    """
    frame = rf"-----BEGIN {label}-----\s+([A-Za-z0-9+/=\s]{{1,16000}}?)\s*-----END {label}-----"
    der = printed(outputs, name, re.compile(frame))
    # A certificate and a SubjectPublicKeyInfo are each a DER SEQUENCE. Source: RFC 5280 section 4.1, X.690 section 8.9.
    if not der.startswith(b"\x30"):
        raise refused(outputs, name, what, commands)
    return der


def peer_file(request: PlanRequest, side: Side, name: str) -> bytes:
    """Return the peer's public key as a file in PEM.

    Args:
        side: The host that gets it.
        name: Name under which its identity has the key, base64 of its DER form.
    """
    body = textwrap.wrap(public_value(request.identity(side.other), name, side.other), 64)
    lines = [f"-----BEGIN {PUBLIC_KEY}-----", *body, f"-----END {PUBLIC_KEY}-----"]
    return render_file((*request.header, f"Public key of host {side.other.upper()}"), lines)


def pem(label: str, der: bytes) -> str:
    """Return PEM without a line feed at its end, in lines of 64 characters. Source: RFC 7468 section 2."""
    body = "\n".join(textwrap.wrap(base64.b64encode(der).decode(), 64))
    return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"
