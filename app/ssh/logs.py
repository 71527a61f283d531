"""What paramiko says goes to our own logger, quietly: whatever matters in it reaches the user as an error of ours."""

from __future__ import annotations

import logging

logger = logging.getLogger("app.ssh")

PARAMIKO_LOGGER = "paramiko"


class _Relay(logging.Handler):
    """Repeats paramiko's warnings and errors as our own debug lines.

    A lost connection makes paramiko log a traceback as an error; the same event raises ConnectionLost here, which is
    what the user is told. Nothing below WARNING is passed on: paramiko's chatter names users and algorithms.
    """

    def emit(self, record: logging.LogRecord) -> None:
        logger.debug("paramiko: %s", record.getMessage())


def adopt_paramiko_logging() -> None:
    """Connect paramiko's loggers with ours; doing it twice changes nothing."""
    source = logging.getLogger(PARAMIKO_LOGGER)
    if any(isinstance(handler, _Relay) for handler in source.handlers):
        return
    source.addHandler(_Relay(level=logging.WARNING))
    source.setLevel(logging.WARNING)
    source.propagate = False
