"""Files that are dropped on a part of the window: files of this computer only, and anything else with a clear word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from ui.common.texts import tr

Refuse = Callable[[str, str], None]
"""Gets what is wrong with what was dropped, and what to do instead."""


class FileDrop(QObject):
    """Lets files be dropped on widgets.

    Args:
        targets: The widgets; the first one owns this.
        take: Gets the paths of existing files.
        refuse: Gets what is wrong.
        is_single: Whether one file alone can be taken.
    """

    def __init__(
        self,
        targets: Sequence[QWidget],
        take: Callable[[list[Path]], None],
        refuse: Refuse,
        *,
        is_single: bool = False,
    ) -> None:
        super().__init__(targets[0])
        self._take, self._refuse, self._is_single = take, refuse, is_single
        for target in targets:
            target.setAcceptDrops(True)
            target.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take files; leave text to the fields."""
        if event.type() not in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
            return False
        if not isinstance(event, QDropEvent) or not event.mimeData().hasUrls():
            return False
        event.acceptProposedAction()
        if event.type() is QEvent.Type.Drop:
            self._on_drop(event)
        return True

    def _on_drop(self, event: QDropEvent) -> None:
        urls = event.mimeData().urls()
        remote = [url for url in urls if not url.isLocalFile()]
        if remote:
            self._refuse(
                tr("%1 is not a file on this computer.", remote[0].toDisplayString()),
                tr("Save it here first, then drop the file."),
            )
            return
        paths = [Path(url.toLocalFile()) for url in urls]
        wrong = next((path for path in paths if path.exists() and not path.is_file()), None)
        if wrong is not None:
            what = tr("%1 is a folder.") if wrong.is_dir() else tr("%1 is not a file.")
            self._refuse(what.replace("%1", str(wrong)), tr("Drop single files."))
        elif self._is_single and len(paths) > 1:
            self._refuse(tr("%1 files were dropped.", len(paths)), tr("Drop one file."))
        else:
            self._take(paths)
