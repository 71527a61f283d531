"""Entry of the program: with arguments the command line, without the window. Qt is imported for the window only."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

_NO_DISPLAY = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run Tunnelmark.

    Args:
        argv: Arguments without the program's name; None takes them from the command line.

    Returns:
        An exit code.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["demo"] and has_screen():
        return _open_window(is_demo=True)
    if arguments:
        from app.cli import main as run_command

        return int(run_command(arguments))
    if not has_display():
        _report_no_display()
        return _NO_DISPLAY
    return _open_window()


def _report_no_display() -> None:
    from app.domain.paths import find_paths
    from app.wording.language import tr
    from app.wording.language_choice import choose_language, system_languages

    choose_language(find_paths().settings, system_languages())
    text = tr(
        "tunnelmark: there is no display to open the window on. Use a command instead (tunnelmark --help lists them), "
        "for example: tunnelmark demo"
    )
    sys.stderr.write(f"{text}\n")


def _open_window(*, is_demo: bool = False) -> int:
    # What the modules leave is kept anyway: going through it took a thirtieth of the time until the first window. Its
    # collector (`ui.shell.collecting`) takes over.
    gc.disable()
    from ui.shell.app import run_window

    return run_window(is_demo=is_demo)


def has_screen() -> bool:
    """Whether a window would be on a screen, and not only in memory as with Qt's `offscreen` and `minimal`."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    return has_display() and platform not in {"offscreen", "minimal", "minimalegl"}


def has_display() -> bool:
    """Whether a window can be opened."""
    if sys.platform in {"darwin", "win32"}:
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


if __name__ == "__main__":
    sys.exit(main())
