"""A sudoers file that is limited to what Tunnelmark runs, and says what that amounts to."""

from __future__ import annotations

import re

from app.domain.errors import InvalidOption
from app.export.messages import NO_SUDOERS_NAME, ROOT_NEEDS_NO_SUDOERS
from app.export.rendering import render

# Source: useradd(8) of shadow 4.17 (the names that Debian takes); sudoers(5) gives no other meaning to any of these.
_USER = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,31}")
_KEYWORDS = frozenset({"ALL", "Defaults", "Cmnd_Alias", "Cmd_Alias", "Host_Alias", "Runas_Alias", "User_Alias"})

COMMANDS = ("sh", "true")
"""Every program that Tunnelmark asks sudo for, see `app.ssh.remote_line` and `app.ssh.privileges`."""


def sudoers_text(user: str, version: str, *, has_password: bool = False) -> str:
    """Return a sudoers file for one user.

    Args:
        user: The user that Tunnelmark logs in as.
        has_password: Whether sudo is to ask for the user's password.

    Returns:
        Text for a file in /etc/sudoers.d. Source: sudoers(5) of sudo 1.9.5 to 1.9.16.

    Raises:
        InvalidOption: There is no such user name, or the user is root.
    """
    if not _USER.fullmatch(user) or user in _KEYWORDS or user.isupper():
        raise InvalidOption(
            NO_SUDOERS_NAME(user=repr(user)),
        )
    if user == "root":
        raise InvalidOption(ROOT_NEEDS_NO_SUDOERS())
    # sudo passes files over whose names hold a dot. An alias is written in capitals, digits and underscores.
    file_name = f"tunnelmark-{user.replace('.', '_')}"
    alias = re.sub(r"[^A-Z0-9]", "_", f"TUNNELMARK_{user.upper()}")
    return render("sudoers.j2", user=user, version=version, file_name=file_name, alias=alias, has_password=has_password)
