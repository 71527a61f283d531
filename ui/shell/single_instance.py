"""One window per data folder: a second one would end labs and sessions that the first one uses."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDeadlineTimer, QLockFile, QObject, Qt, QThread
from PySide6.QtWidgets import QApplication, QMainWindow

from ui.common.texts import tr

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

_ANSWER_MS = 3_000
_PAUSE_MS = 50
_IDLE = "idle"
_LONGEST_SOCKET_PATH = 100
"""Source: unix(7), sun_path has 108 bytes; Qt appends to the name while it makes the socket."""


class OnlyWindow(QObject):
    """The right to be the window of a data folder, and the socket on which later ones report.

    Args:
        data_dir: The folder with the database.
    """

    def __init__(self, data_dir: Path) -> None:
        super().__init__()
        self._data_dir = data_dir
        self._lock = QLockFile(str(data_dir / "window.lock"))
        self._lock.setStaleLockTime(
            0
        )  # a comparison may take days; the lock of a process that died is taken all the same
        self._server: QLocalServer | None = None
        self._window: QMainWindow | None = None

    def take(self) -> bool:
        """Take the lock; return False where another window has it.

        A folder that cannot be written is no reason to exit: the window reports it when it opens the database.
        """
        try:
            self._data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            return True
        if not self._lock.tryLock(0):
            return self._lock.error() is not QLockFile.LockError.LockFailedError
        return True

    def serve(self, window: QMainWindow) -> None:
        """Raise this window when another one is started."""
        from PySide6.QtNetwork import QLocalServer  # takes a tenth of the start: the window is on show by now

        self._window = window
        QLocalServer.removeServer(_socket_name(self._data_dir))
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        self._server.listen(_socket_name(self._data_dir))

    def release(self) -> None:
        """Let another window have the folder."""
        if self._server is not None:
            self._server.close()
        self._lock.unlock()

    def report_other(self) -> Other:
        """Ask the window that has the lock to come to the front; return what is known about it."""
        pid, host, _program = self._lock.getLockInfo()
        socket = self._connected()
        answer = b""
        if socket.state() is socket.LocalSocketState.ConnectedState:
            while b"\n" not in answer and socket.waitForReadyRead(_ANSWER_MS):
                answer += bytes(socket.readAll().data())
        socket.abort()
        return Other(self._data_dir, pid, host, answer.decode().strip())

    def _connected(self) -> QLocalSocket:
        """Connect to the window that has the lock; it may have taken that a moment ago, and not listen yet."""
        from PySide6.QtNetwork import QLocalSocket

        socket, deadline = QLocalSocket(), QDeadlineTimer(_ANSWER_MS)
        while True:
            socket.connectToServer(_socket_name(self._data_dir))
            if socket.waitForConnected(deadline.remainingTime()) or deadline.hasExpired():
                return socket
            QThread.msleep(_PAUSE_MS)

    def _on_connection(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.write(f"{_activity(self._window)}\n".encode())
            socket.disconnectFromServer()
            self._raise()

    def _raise(self) -> None:
        window = self._window
        if window is None:
            return
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()
        QApplication.alert(window)


@dataclass(frozen=True, slots=True)
class Other:
    """The window that has a data folder already.

    Attributes:
        data_dir: The folder.
        pid: Its process; 0 if unknown.
        host: Computer that it runs on; empty if unknown.
        activity: `idle`, `comparison`, `census`, `study` or `deployment`; empty where it did not answer.
    """

    data_dir: Path
    pid: int
    host: str
    activity: str

    @property
    def is_quiet(self) -> bool:
        """Whether raising it says everything."""
        return self.activity == _IDLE

    def sentences(self) -> tuple[str, str]:
        """Return what is the case, and what to do."""
        process = tr("process %1 on %2", self.pid, self.host)
        where = str(self.data_dir) if not self.pid else f"{self.data_dir}, {process}"
        what = tr("Tunnelmark is open already (%1).", where)
        doing = {
            "comparison": tr("A comparison is running in that window."),
            "census": tr("A cipher census is running in that window."),
            "study": tr("A study is running in that window."),
            "deployment": tr("A VPN is being deployed or removed in that window."),
            _IDLE: tr("That window was brought to the front."),
        }.get(self.activity, tr("That window does not answer."))
        apart = tr("Two windows on one data folder would end each other's labs.")
        if not self.activity:
            hint = tr("End that process, or set TUNNELMARK_HOME to another folder.")
        elif self.is_quiet:
            hint = tr("Use that window, or set TUNNELMARK_HOME to another folder.")
        else:
            hint = tr("It was brought to the front. Use it, or set TUNNELMARK_HOME to another folder.")
        return f"{what} {doing}", f"{apart} {hint}"


def show_other(other: Other, *, is_seen: bool) -> None:
    """Report that another window has the data folder: on stderr, and in a box where raising it is not enough."""
    what, hint = other.sentences()
    sys.stderr.write(f"tunnelmark: {what}\n  {hint}\n")
    if not is_seen or other.is_quiet:
        return
    from PySide6.QtWidgets import QMessageBox

    box = QMessageBox(QMessageBox.Icon.Information, tr("Tunnelmark is open already"), what)
    box.setInformativeText(hint)
    box.exec()


def _activity(window: QMainWindow | None) -> str:
    activities = {
        "is_measuring": "comparison",
        "is_trying": "census",
        "is_studying": "study",
        "is_rolling": "deployment",
    }
    for name, doing in activities.items():
        if getattr(window, name, False):
            return doing
    return _IDLE


def _socket_name(data_dir: Path) -> str:
    """Return the socket's path: in the data folder, or in the folder for temporary files where that is too long."""
    path = data_dir / "window.socket"
    if os.name == "posix" and len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return str(path)
    from hashlib import sha256

    from PySide6.QtCore import QDir

    digest = sha256(os.fsencode(data_dir)).hexdigest()[:16]
    name = f"tunnelmark-{digest}"
    return name if os.name != "posix" else QDir(QDir.tempPath()).filePath(name)
