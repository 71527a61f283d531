"""Questions. All dialogs are opened without a nested event loop: the answer arrives in a callable."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QLineEdit,
    QWidget,
)

from app.domain.credentials import HostKeyQuestion, Secret, SecretKey, SecretKind
from app.wording.host_keys import fingerprint_command
from ui.common.basics import button, column, icon_label, label, row
from ui.common.texts import tr
from ui.common.theme import GRID, fixed_font
from ui.common.thread_bridge import Asked

_LEAST_WIDTH_PX = 480


class Question(QDialog):
    """A title, sentences, and two buttons; Esc and closing mean no.

    Args:
        title: The question.
        text: What follows from either answer.
        yes: Word on the button that says yes.
        no: Word on the other one.
        icon: Beside the title.
    """

    def __init__(self, parent: QWidget | None, title: str, text: str, yes: str, no: str, icon: str = "info") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setModal(True)
        self.setMinimumWidth(_LEAST_WIDTH_PX)
        self.body = column(margin_px=(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID), spacing_px=2 * GRID)
        self.setLayout(self.body)
        sign = icon_label(icon, "legacy" if icon == "warning" else "accent", 24)
        self.body.addLayout(row(sign, (label(title, "heading"), 1)))
        self._text = label(text, is_selectable=True)
        self.body.addWidget(self._text)
        self.yes = button(yes, on_click=self.accept)
        self.no = button(no, on_click=self.reject)
        self.no.setDefault(True)

    def follow_contents(self) -> None:
        """Never be narrower than the contents: a least width of the dialog's own would keep Qt from seeing to that."""
        self.setMinimumSize(0, 0)  # setMinimumWidth(0) would keep it
        self._text.setMinimumWidth(_LEAST_WIDTH_PX - 6 * GRID)

    def ask(self, on_yes: Callable[[], None], on_no: Callable[[], None] | None = None) -> None:
        """Show it and call one of the two when it is answered."""
        # In no QDialogButtonBox: with another style sheet (dark, larger texts) it moves the focus to the button that
        # says yes.
        self.body.addLayout(row(0, self.yes, self.no))
        self.finished.connect(
            lambda code: on_yes() if code == QDialog.DialogCode.Accepted else on_no() if on_no is not None else None
        )
        self._take_room()
        self.open()
        self.no.setFocus()

    def _take_room(self) -> None:
        """Be as high as the contents: by itself, Qt gives no dialog more than two thirds of the screen's height."""
        width = max(self.sizeHint().width(), self.minimumWidth())
        wanted = self.body.totalHeightForWidth(width) if self.body.hasHeightForWidth() else self.sizeHint().height()
        self.resize(width, min(wanted, self.screen().availableSize().height()))


def ask_host_key(parent: QWidget, asked: Asked[bool], who: str = "") -> Question | None:
    """Show the fingerprint of an unknown host key.

    Args:
        asked: Gets the answer.
        who: Which host of the pair, for example `Host A (pump-1)`.

    Returns:
        The dialog; None where the question was none.
    """
    question = asked.question
    if not isinstance(question, HostKeyQuestion):
        asked.answer(False)  # noqa: FBT003 - the answer is a plain yes or no
        return None
    dialog = Question(
        parent,
        _about(who, tr("Unknown host key")),
        tr(
            "First connection to %1. Compare the fingerprint with the one that this command prints on the host's "
            "console: %2. Continue only if they match; otherwise the connection may be intercepted."
        )
        .replace("%1", question.host)
        .replace("%2", fingerprint_command(question.key_type)),
        tr("They match: continue"),
        tr("Refuse"),
        "key",
    )
    # A field would scroll what has no room: this label keeps its lines whole, and the dialog is never narrower.
    fingerprint = label(f"{question.key_type}\n{question.fingerprint}", is_wrapping=False, is_selectable=True)
    fingerprint.setFont(fixed_font())
    fingerprint.setAccessibleName(tr("Fingerprint of the host's key"))
    dialog.setWindowTitle(_about(who.partition(" (")[0], tr("Unknown host key")))
    dialog.follow_contents()
    dialog.body.addWidget(fingerprint)
    dialog.ask(lambda: asked.answer(True), lambda: asked.answer(False))  # noqa: FBT003 - the same
    return dialog


def ask_password(parent: QWidget, asked: Asked[Secret | None], who: str = "", *, is_retry: bool) -> Question | None:
    """Ask for a password; the field is emptied before the dialog goes away.

    Args:
        asked: Gets the answer.
        who: Which host of the pair, for example `Host A (pump-1)`.
        is_retry: Whether the last answer was wrong.

    Returns:
        The dialog; None where the question was none.
    """
    key = asked.question
    if not isinstance(key, SecretKey):
        asked.answer(None)
        return None
    what = {
        SecretKind.LOGIN: tr("Password of %1"),
        SecretKind.SUDO: tr("Password for sudo as %1"),
        SecretKind.PASSPHRASE: tr("Passphrase of the key %1"),
    }[key.kind].replace("%1", key.subject)
    what = _about(who, what)
    text = tr("The host refused %1.", "; ".join(key.refused)) if key.refused else ""
    text = tr("Wrong password. Try again.") if is_retry else text
    keeping = tr(
        "It is stored in the system's keyring if there is one; otherwise only in memory until Tunnelmark "
        "exits. It is never written to a file, a log or a report."
    )
    dialog = Question(parent, what, f"{text} {keeping}".strip(), tr("Use it"), tr("Do not log in"), "key")
    field = QLineEdit()
    field.setEchoMode(QLineEdit.EchoMode.Password)
    field.setAccessibleName(what)
    show = QCheckBox(tr("Show password"))
    show.toggled.connect(
        lambda is_on: field.setEchoMode(QLineEdit.EchoMode.Normal if is_on else QLineEdit.EchoMode.Password)
    )
    dialog.body.addWidget(field)
    dialog.body.addWidget(show)

    def use() -> None:
        secret = Secret(field.text())
        field.clear()
        asked.answer(secret)

    def decline() -> None:
        field.clear()
        asked.answer(None)

    dialog.ask(use, decline)
    dialog.yes.setDefault(True)
    field.setFocus()
    return dialog


def _about(who: str, title: str) -> str:
    return f"{who}: {title}" if who else title
