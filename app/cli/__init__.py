"""Command line: one module per command.

Parses words, calls services, prints what they return. Holds the exit codes, the completion scripts and the man pages;
these, and `--json`, are formats. Must not decide what the window would have to decide as well, and must not talk to a
host itself.
"""

from app.cli.main import main

__all__ = ["main"]
