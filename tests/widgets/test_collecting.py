from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QObject
from window_driver import Driver


class Knot(QObject):
    """An object of Qt that only the collector finds: it refers to itself."""

    def __init__(self) -> None:
        super().__init__()
        self.own = self


def test_objects_of_qt_are_collected_on_the_windows_thread(driver: Driver) -> None:
    """Deleted in a worker thread, they may stop the program for ever."""
    died_in: list[int] = []
    weakref.finalize(Knot(), lambda: died_in.append(threading.get_ident()))

    kept: list[list[int]] = []

    def allocate() -> None:
        # What is freed again is not counted, and then nothing is due.
        kept.extend([number] for number in range(20 * gc.get_threshold()[0]))

    worker = threading.Thread(target=allocate)
    worker.start()
    worker.join()
    assert died_in == []
    driver.until(lambda: bool(died_in))
    assert died_in == [threading.get_ident()]
    assert kept
