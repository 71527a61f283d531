"""Import of what later pages need, on the window's thread, piece by piece."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QTimer

_PAUSE_MS = 10
"""Between two pieces; events are handled meanwhile."""
_NAMES = 100
_LAST = "ui.comparison.run_page"


class Warming(QObject):
    """Imports plots and the pages with them while the first page is on show.

    No other thread may do that. PySide makes a class when its name is asked for the first time, and pyqtgraph asks for
    every one of them: in a worker thread, beside a window that handled events, the process ended with a segmentation
    fault (PySide6 6.11, Python 3.11).

    Args:
        window: Lives as long as the import.
    """

    def __init__(self, window: QObject) -> None:
        super().__init__(window)
        self._pieces = pieces()
        self._timer = QTimer(self)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._go_on)

    def start(self) -> None:
        """Begin, unless all is there."""
        if _LAST not in sys.modules:
            self._timer.start()

    def _go_on(self) -> None:
        if next(self._pieces, None) is None:
            self._timer.stop()


def pieces() -> Iterator[str]:
    """Import all piece by piece; yield what each was."""
    for module in (QtCore, QtGui, QtWidgets):
        names = dir(module)
        for start in range(0, len(names), _NAMES):
            for name in names[start : start + _NAMES]:
                getattr(module, name)  # makes the class
            yield f"{module.__name__} {start}"
    import pyqtgraph  # noqa: F401 - for its imports

    yield "pyqtgraph"
    import ui.comparison.run_page  # noqa: F401 - for its imports

    yield _LAST


def import_without_qt() -> None:
    """Import what of the same needs no Qt; any thread may do that."""
    for name in ("multiprocessing.connection", "numpy", "xml.etree.ElementTree"):
        importlib.import_module(name)
