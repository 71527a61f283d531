"""Commands that adapters give hosts."""

from __future__ import annotations

from app.domain.adapters import root_command
from app.domain.commands import Command
from app.domain.script_files import adapter_script


def root_script(folder: str, name: str, *arguments: str, timeout_s: float = 10.0) -> Command:
    """Return a command that runs an adapter's script as root.

    Args:
        folder: As `adapter_script` takes it.
        name: File name of the script.
        arguments: Passed as positional parameters.
    """
    return root_command(adapter_script(folder, name), *arguments, timeout_s=timeout_s)
