"""The identity of a virtual gateway: names, addresses, keys, passwords, random numbers, time."""

from __future__ import annotations

import base64
import io
import secrets
import subprocess
import tarfile
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.errors import LabFault
from app.domain.hosts import Side
from app.lab.messages import KEY_NOT_MADE, SSH_MISSING
from app.lab.spec import LabMachine, LabNode

# Source: RFC 5737, section 3: TEST-NET-1 is for documentation and assigned to no network.
UNDERLAY_ADDRESSES = {Side.A: "192.0.2.1", Side.B: "192.0.2.2"}
UNDERLAY_PREFIX = 24
HOST_NAMES: Mapping[LabMachine, str] = {
    Side.A: "gateway-a",
    Side.B: "gateway-b",
    LabNode.A: "node-a",
    LabNode.B: "node-b",
}

USERS_WITH_PASSWORD = ("operator", "plain")
"""`operator` may use sudo with the password, `plain` has no rights. Two more users have no password: `nopass` (sudo
without one) and `doasuser` (doas without one)."""

ENTROPY_BYTES = 64
"""Bytes of this computer's randomness for a gateway: twice the state of Linux's generator."""

_KEYGEN_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class GuestIdentity:
    """One machine's own things.

    Attributes:
        machine: The gateway of A or B, or the node behind it.
        machine_id: 32 hexadecimal digits.
        host_key: Private host key in OpenSSH's format.
        host_key_public: Type and key, as known_hosts has them.
        cards: Hardware addresses of its cards, `eth0` first.
    """

    machine: LabMachine
    machine_id: str
    host_key: bytes = field(repr=False)
    host_key_public: str
    cards: tuple[str, ...]


def make_key(path: Path, *, comment: str) -> str:
    """Make an Ed25519 key pair with OpenSSH.

    Args:
        path: Where the private key goes; the public one gets `.pub`.
        comment: Goes into the public key.

    Returns:
        Type and key of the public part, without the comment.

    Raises:
        LabFault: ssh-keygen is missing or failed.
    """
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)]
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_KEYGEN_TIMEOUT_S, check=False
        )
    except FileNotFoundError as error:
        raise LabFault(SSH_MISSING(program="ssh-keygen")) from error
    if done.returncode != 0:
        raise LabFault(KEY_NOT_MADE(output=done.stderr.strip()))
    return " ".join(path.with_name(path.name + ".pub").read_text().split()[:2])


def make_identity(machine: LabMachine, folder: Path, *, cards: tuple[str, ...]) -> GuestIdentity:
    """Make a machine's host key and machine id.

    Args:
        machine: The gateway of A or B, or the node behind it.
        folder: Where the key file goes.
        cards: Hardware addresses of its cards, `eth0` first.

    Returns:
        The identity.

    Raises:
        LabFault: The key could not be made.
    """
    path = folder / f"host-key-{machine}"
    public = make_key(path, comment=HOST_NAMES[machine])
    return GuestIdentity(machine, uuid.uuid4().hex, path.read_bytes(), public, cards)


def make_passwords() -> dict[str, str]:
    """Make a random password for each user that has one."""
    return {user: secrets.token_urlsafe(12) for user in USERS_WITH_PASSWORD}


def identity_message(identity: GuestIdentity, *, authorized_key: str, passwords: dict[str, str]) -> bytes:
    """Return what a gateway that waits for its identity reads from its second serial port.

    Args:
        identity: The gateway's own things.
        authorized_key: Public key that may log in as every user.
        passwords: Password by user.

    Returns:
        An archive of files as lines of base64, then a line `end`. The clock's line is sent before it.
    """
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, mode, content in _identity_files(identity, authorized_key, passwords):
            member = tarfile.TarInfo(name)
            member.mode = mode
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return base64.encodebytes(stream.getvalue()) + b"end\n"


def clock_line(now_s: float) -> bytes:
    """Return the line that sets a waiting gateway's clock.

    Args:
        now_s: Seconds since 1970, UTC.
    """
    return f"time {now_s:.3f}\n".encode()


def _identity_files(
    identity: GuestIdentity, authorized_key: str, passwords: dict[str, str]
) -> Iterator[tuple[str, int, bytes]]:
    """Give the path below /, the mode and the content of each file."""
    machine = identity.machine
    hosts = ["127.0.0.1 localhost", f"127.0.1.1 {HOST_NAMES[machine]}", "::1 localhost ip6-localhost"]
    yield "etc/hostname", 0o644, f"{HOST_NAMES[machine]}\n".encode()
    if isinstance(machine, Side):
        hosts += [f"{UNDERLAY_ADDRESSES[other]} {HOST_NAMES[other]}.underlay" for other in Side]
        network = f"[Match]\nName=eth1\n\n[Network]\nAddress={UNDERLAY_ADDRESSES[machine]}/{UNDERLAY_PREFIX}\n"
        network += "LinkLocalAddressing=no\nIPv6AcceptRA=no\n"
        yield "etc/systemd/network/20-underlay.network", 0o644, network.encode()
    yield "etc/hosts", 0o644, _lines(hosts)
    yield "etc/ssh/ssh_host_ed25519_key", 0o600, identity.host_key
    yield "etc/ssh/ssh_host_ed25519_key.pub", 0o644, f"{identity.host_key_public}\n".encode()
    yield "etc/ssh/tunnelmark-lab-keys", 0o644, f"{authorized_key}\n".encode()
    folder = "run/tunnelmark-lab-identity"
    yield f"{folder}/machine-id", 0o600, f"{identity.machine_id}\n".encode()
    yield f"{folder}/cards", 0o600, _lines(f"eth{number} {address}" for number, address in enumerate(identity.cards))
    yield f"{folder}/passwords", 0o600, _lines(f"{user}:{password}" for user, password in passwords.items())
    yield f"{folder}/entropy", 0o600, secrets.token_bytes(ENTROPY_BYTES)


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def known_hosts_line(port: int, identity: GuestIdentity) -> str:
    """Return the line by which OpenSSH and paramiko know a gateway.

    Args:
        port: TCP port on 127.0.0.1 that leads to its sshd.

    Returns:
        One line of a known_hosts file, with its end. Source: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT".
    """
    return f"[127.0.0.1]:{port} {identity.host_key_public}\n"
