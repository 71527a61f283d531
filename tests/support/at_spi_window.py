"""The window on services that touch nothing, in a process of its own."""

from __future__ import annotations

import sys

from fake_services import FakeServices

from ui.shell.app import run_window

if __name__ == "__main__":
    sys.exit(run_window(FakeServices))
