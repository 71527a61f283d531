"""The command line: one module per command.

Parses words, calls services, prints what they return. Holds the exit codes, the completion scripts and the man pages.
Decides nothing that the window would have to decide as well, and never talks to a host itself.
"""

from app.cli.main import main

__all__ = ["main"]
