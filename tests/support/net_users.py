"""Users of hosts made of namespaces: the same as in the practice lab, with the same ways to root's rights."""

from __future__ import annotations

import functools
import subprocess

from app.domain.credentials import Secret

PASSWORDS = {"operator": Secret("correct horse"), "plain": Secret("battery staple")}
"""Passwords of the users who have one: `operator` may use sudo with it, `plain` has no rights."""

_WITHOUT_PASSWORD = "nopass", "doasuser"
"""The first may use sudo without a password, the second one doas."""

_FIRST_ID = 2001
_LOCKED = "*"

_SUDOERS = """Defaults env_reset
Defaults use_pty
Defaults secure_path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
root ALL=(ALL:ALL) ALL
operator ALL=(ALL:ALL) ALL
nopass ALL=(ALL:ALL) NOPASSWD: ALL
@includedir /etc/sudoers.d
"""
_DOAS = "permit nopass doasuser as root\n"

# In the host's root folder; group 100 is every user's. Source: Debian's base-passwd.
_ADD = """
echo '{user}:x:{number}:100::/home/{user}:/bin/bash' >> etc/passwd
echo '{user}:{password}:20000:0:99999:7:::' >> etc/shadow
mkdir home/{user}
mkdir -m 0700 home/{user}/.ssh
cp root/.ssh/authorized_keys home/{user}/.ssh/
chown -R {number}:100 home/{user}
"""


def users_script() -> str:
    """Return a shell script that adds the users to the root folder of a host; it runs there."""
    hashed = _hashes()
    lines = [f"umask 022; printf '%s' '{_SUDOERS}' > etc/sudoers; printf '%s' '{_DOAS}' > etc/doas.conf"]
    lines += ["chmod 0440 etc/sudoers; chmod 0750 etc/sudoers.d; chmod 0600 etc/doas.conf"]
    for number, user in enumerate((*PASSWORDS, *_WITHOUT_PASSWORD), _FIRST_ID):
        lines.append(_ADD.format(user=user, number=number, password=hashed.get(user, _LOCKED)))
    return "\n".join(lines)


@functools.cache
def _hashes() -> dict[str, str]:
    """Return the passwords as /etc/shadow has them."""
    argv = ["openssl", "passwd", "-6", "-stdin"]
    text = "".join(f"{secret.value}\n" for secret in PASSWORDS.values())
    lines = subprocess.run(argv, input=text, capture_output=True, text=True, check=True).stdout.split()
    return dict(zip(PASSWORDS, lines, strict=True))
