"""Log lines of paramiko go to our own logger, quietly: whatever matters in it reaches the user as an error of ours."""

from __future__ import annotations

import logging

logger = logging.getLogger("app.ssh")

PARAMIKO_CHANNEL = "app.ssh.paramiko"
"""Name of the logger that our transports log to."""


class _Demote(logging.Filter):
    """Turns warnings and errors into debug lines, and hands them on only where those are asked for.

    Handlers of loggers above do not check their loggers' levels again: without this they print what they get.

    A lost connection makes paramiko log a traceback as an error; the same event raises ConnectionLost here, which is
    what is reported to the user.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
        return logger.isEnabledFor(logging.DEBUG)


def adopt_paramiko_logging() -> str:
    """Prepare the logger for paramiko's transports; doing it twice changes nothing.

    Nothing below WARNING is passed on: paramiko's chatter names users and algorithms.

    Returns:
        The logger's name, for `Transport.set_log_channel`.
    """
    channel = logging.getLogger(PARAMIKO_CHANNEL)
    if not any(isinstance(known, _Demote) for known in channel.filters):
        channel.addFilter(_Demote())
    channel.setLevel(logging.WARNING)
    return PARAMIKO_CHANNEL
