"""Plots and the pages with them are imported on the window's thread, in pieces."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_A_WINDOW = """
import sys
import threading

class Watch:
    def __init__(self):
        self.found = {}

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "pyqtgraph", "ui"):
            self.found[name] = threading.current_thread() is threading.main_thread()

watch = Watch()
sys.meta_path.insert(0, watch)
from fake_services import FakeServices
from PySide6.QtCore import QTimer
from ui.shell.app import make_application
from ui.common.theme import Theme
from ui.shell.window import MainWindow

app = make_application()
window = MainWindow(Theme(app), FakeServices)
window.show()
assert "pyqtgraph" not in sys.modules, "the first page does not wait for plots"
timer = QTimer(interval=20)
timer.timeout.connect(lambda: app.quit() if "ui.comparison.run_page" in sys.modules else None)
timer.start()
app.exec()
assert {"pyqtgraph", "ui.plots.run_board", "ui.comparison.run_page"} <= set(watch.found)
print(*sorted(name for name, is_main in watch.found.items() if not is_main))
window.close()
"""


def test_no_other_thread_imports_anything_of_qt() -> None:
    path = os.pathsep.join(str(ROOT / name) for name in (".", "tests", "tests/support"))
    done = subprocess.run(
        [sys.executable, "-c", _A_WINDOW],
        env={**os.environ, "PYTHONPATH": path, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout.split(), done.stderr[-2000:]) == (0, [], "")
