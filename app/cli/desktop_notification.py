"""Desktop notifications."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from html import escape

_TIMEOUT_S = 5.0


def notify_desktop(title: str, text: str, environment: Mapping[str, str] | None = None) -> bool:
    """Show a notification on the user's desktop, where there is one.

    Source: notify-send(1) of libnotify 0.8; the body may hold markup, so that text from a host is escaped
    (Desktop Notifications Specification 1.2, section 4).

    Args:
        title: Plain text.
        text: Plain text.
        environment: Names the display; None for this process's own.

    Returns:
        Whether it was shown.
    """
    environment = os.environ if environment is None else environment
    program = shutil.which("notify-send", path=environment.get("PATH"))
    if program is None or not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        return False
    argv = [program, "--app-name=Tunnelmark", "--", title, escape(text, quote=False)]
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=False, env=dict(environment)
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
