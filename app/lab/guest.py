"""What one virtual gateway gets to know at its first boot: names, addresses, keys, passwords."""

from __future__ import annotations

import io
import secrets
import subprocess
import tarfile
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.errors import LabFault
from app.domain.hosts import Side

# Source: RFC 5737, section 3: TEST-NET-1 is for documentation and belongs to nobody.
UNDERLAY_ADDRESSES = {Side.A: "192.0.2.1", Side.B: "192.0.2.2"}
UNDERLAY_PREFIX = 24
HOST_NAMES = {Side.A: "gateway-a", Side.B: "gateway-b"}

USERS_WITH_PASSWORD = ("operator", "plain")
"""`operator` may use sudo with the password, `plain` has no rights. Two more users have no password: `nopass` (sudo
without one) and `doasuser` (doas without one)."""

_KEYGEN_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class GuestIdentity:
    """One gateway's own things.

    Attributes:
        side: Which end it is.
        machine_id: 32 hexadecimal digits.
        host_key: Private host key in OpenSSH's format.
        host_key_public: Type and key, as known_hosts has them.
    """

    side: Side
    machine_id: str
    host_key: bytes = field(repr=False)
    host_key_public: str


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
        raise LabFault(
            "The program ssh-keygen is missing on this computer.", hint="Install the package openssh-client."
        ) from error
    if done.returncode != 0:
        raise LabFault(f"No key could be made for the lab: {done.stderr.strip()}")
    return " ".join(path.with_name(path.name + ".pub").read_text().split()[:2])


def make_identity(side: Side, folder: Path) -> GuestIdentity:
    """Make a gateway's host key and machine id.

    Args:
        side: Which end it is.
        folder: Where the key file goes.

    Returns:
        The identity.

    Raises:
        LabFault: The key could not be made.
    """
    path = folder / f"host-key-{side}"
    public = make_key(path, comment=HOST_NAMES[side])
    return GuestIdentity(side, uuid.uuid4().hex, path.read_bytes(), public)


def make_passwords() -> dict[str, str]:
    """Make a random password for each user that has one."""
    return {user: secrets.token_urlsafe(12) for user in USERS_WITH_PASSWORD}


def write_seed(path: Path, identity: GuestIdentity, *, authorized_key: str, passwords: dict[str, str]) -> None:
    """Write the archive that a gateway unpacks from its second disk at its first boot.

    Args:
        path: Where it goes; readable by this user alone, for it holds keys and passwords.
        identity: The gateway's own things.
        authorized_key: Public key that may log in as every user.
        passwords: Password by user.
    """
    side = identity.side
    hosts = ["127.0.0.1 localhost", f"127.0.1.1 {HOST_NAMES[side]}", "::1 localhost ip6-localhost"]
    hosts += [f"{UNDERLAY_ADDRESSES[other]} {HOST_NAMES[other]}.underlay" for other in Side]
    network = f"[Match]\nName=eth1\n\n[Network]\nAddress={UNDERLAY_ADDRESSES[side]}/{UNDERLAY_PREFIX}\n"
    network += "LinkLocalAddressing=no\nIPv6AcceptRA=no\n"
    files: tuple[tuple[str, int, bytes], ...] = (
        ("etc/hostname", 0o644, f"{HOST_NAMES[side]}\n".encode()),
        ("etc/hosts", 0o644, "".join(f"{line}\n" for line in hosts).encode()),
        ("etc/systemd/network/20-underlay.network", 0o644, network.encode()),
        ("etc/ssh/ssh_host_ed25519_key", 0o600, identity.host_key),
        ("etc/ssh/ssh_host_ed25519_key.pub", 0o644, f"{identity.host_key_public}\n".encode()),
        ("etc/ssh/tunnelmark-lab-keys", 0o644, f"{authorized_key}\n".encode()),
        (
            "run/tunnelmark-lab-passwords",
            0o600,
            "".join(f"{user}:{password}\n" for user, password in passwords.items()).encode(),
        ),
    )
    path.touch(mode=0o600)
    with tarfile.open(path, "w") as archive:
        for name, mode, content in files:
            member = tarfile.TarInfo(name)
            member.mode = mode
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def known_hosts_line(port: int, identity: GuestIdentity) -> str:
    """Return the line by which OpenSSH and paramiko know a gateway.

    Args:
        port: TCP port on 127.0.0.1 that leads to its sshd.
        identity: The gateway.

    Returns:
        One line of a known_hosts file, with its end. Source: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT".
    """
    return f"[127.0.0.1]:{port} {identity.host_key_public}\n"
