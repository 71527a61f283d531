"""The fields with which one host is described."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QFormLayout, QLineEdit

from app.domain.errors import InvalidOption
from app.domain.hosts import MAX_PORT, SSH_PORT, AuthKind, HostSpec, Side
from app.domain.pairs import PairFault, PairField
from app.wording.messages import local_text
from ui.common.accessible import announce
from ui.common.basics import Card, ChoiceBox, button, holder, label, row, set_fault, show_text
from ui.common.dropping import FileDrop
from ui.common.file_dialogs import SSH_FOLDER, ask_open
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import enable, set_tip
from ui.comparison.key_files import key_file_fault


@dataclass(frozen=True, slots=True)
class TypedHost:
    """Entries about a host as they were typed, right or wrong.

    Attributes:
        texts: In the order of the form's fields.
        auth: The selected way to log in.
    """

    texts: tuple[str, ...]
    auth: AuthKind

    @property
    def is_any(self) -> bool:
        """Whether anything was typed."""
        return any(self.texts)


class HostForm(Card):
    """Address, port, user, way to log in, key file and underlay address of one host."""

    edited = Signal()

    def __init__(self, side: Side) -> None:
        super().__init__(tr("Host %1", side.value.upper()), "host")
        self.side = side
        self._label = ""
        self._host_key_file: str | None = None
        self.address = self._field(
            tr("Address of host %1"),
            tr("gateway.example, 192.0.2.10"),
            tr("A name, an IP address, or an alias of ~/.ssh/config"),
        )
        self.user = self._field(
            tr("User on host %1"),
            tr("as in ~/.ssh/config"),
            tr("Empty: as in ~/.ssh/config, or your user name"),
        )
        self.port = self._field(tr("Port of host %1"), tr("as in ~/.ssh/config, else 22"))
        self.port.setValidator(QIntValidator(1, MAX_PORT, self))
        kinds = (
            (tr("Agent, then default keys"), AuthKind.AUTO),
            (tr("SSH agent"), AuthKind.AGENT),
            (tr("Key file"), AuthKind.KEY),
            (tr("Password (prompted)"), AuthKind.PASSWORD),
        )
        self.auth = ChoiceBox(tr("Authentication method for host %1", side.value.upper()), kinds)
        self.auth.currentIndexChanged.connect(self._on_auth)
        self.identity = self._field(
            tr("Key file for host %1"),
            tr("path"),
            tr("Path of a private key on this computer; a file can be dropped here"),
        )
        self.browse = button(tr("Browse…"), "folder", on_click=self._browse)
        self.browse.setAccessibleName(tr("Choose the key file for host %1", side.value.upper()))
        self.underlay = self._field(
            tr("Underlay address of host %1"),
            tr("for example 10.1.0.1"),
            tr("IPv4 address at which the other host reaches this one"),
        )
        self.fault = label("", "bad")
        self.fault.setVisible(False)
        self._lay_out()
        self._on_auth()
        self._drop = FileDrop((self, *self._fields), self._on_dropped, self._refuse, is_single=True)

    def spec(self) -> HostSpec:
        """Return what was entered.

        Raises:
            InvalidOption: There is no such key file, or it is none; the field is marked and has the focus.
        """
        self.show_fault(None, "")
        address = self.address.text().strip()
        auth = AuthKind(self.auth.currentData())
        identity = self.identity.text().strip()
        if auth is AuthKind.KEY and not Path(identity).expanduser().is_file():
            raise self._fault(self.identity, tr("Key file for host %1 not found."), tr("Choose the private key."))
        if auth is AuthKind.KEY and (fault := key_file_fault(Path(identity).expanduser())):
            raise self._fault(self.identity, fault, "")
        return HostSpec(
            label=self._label or address,
            address=address,
            port=int(self.port.text()) if self.port.text() else None,
            user=self.user.text().strip() or None,
            auth=auth,
            identity_file=identity or None,
            host_key_file=self._host_key_file,
        )

    def underlay_text(self) -> str:
        """Return what was entered as the underlay address."""
        return self.underlay.text().strip()

    def mark(self, faults: Sequence[PairFault]) -> None:
        """Mark every field that is wrong; the first one has the focus."""
        fields = {PairField.ADDRESS: self.address, PairField.PORT: self.port, PairField.UNDERLAY: self.underlay}
        self._show_faults({fields[one.field]: f"{local_text(one.message)} {local_text(one.hint)}" for one in faults})

    def show_spec(self, spec: HostSpec, underlay: str, *, is_fixed: bool) -> None:
        """Fill in a stored host; a lab's cannot be changed."""
        self._label = "" if _is_of_address(spec) else spec.label
        self._host_key_file = spec.host_key_file
        for field, text in (
            (self.address, spec.address),
            (self.user, spec.user or ""),
            (self.port, str(spec.port) if spec.port else ""),
            (self.identity, spec.identity_file or ""),
            (self.underlay, underlay),
        ):
            field.setText(text)
        self.show_fault(None, "")
        self.auth.setCurrentIndex(self.auth.findData(spec.auth))
        self.set_fixed(is_fixed=is_fixed)

    def set_fixed(self, *, is_fixed: bool) -> None:
        """Allow or forbid changes."""
        for widget in self._fields:
            widget.setReadOnly(is_fixed)
        for control in (self.auth, self.browse):
            enable(control, is_on=not is_fixed, reason=tr("The practice lab has its own logins."))

    def clear(self) -> None:
        """Empty every field."""
        self.show_spec(HostSpec(label="", address=""), "", is_fixed=False)

    def typed(self) -> TypedHost:
        """Return what was typed, unchecked."""
        return TypedHost(tuple(field.text() for field in self._fields), AuthKind(self.auth.currentData()))

    def show_typed(self, typed: TypedHost) -> None:
        """Fill in what was typed before."""
        self.clear()
        for field, text in zip(self._fields, typed.texts, strict=True):
            field.setText(text)
        self.auth.setCurrentIndex(self.auth.findData(typed.auth))

    def show_fault(self, field: QLineEdit | None, text: str) -> None:
        """Mark a field; None unmarks all."""
        self._show_faults({field: text} if field is not None else {})

    def mark_address(self) -> None:
        """Mark the address, at which no host answered; the page's notice says why."""
        self.show_fault(self.address, "")

    def _show_faults(self, faults: Mapping[QLineEdit, str]) -> None:
        for candidate in self._fields:
            set_fault(candidate, is_wrong=candidate in faults)
            candidate.setAccessibleDescription(faults.get(candidate, ""))
        text = "\n".join(faults.values())
        show_text(self.fault, text)
        announce(self.fault, text)
        if faults:
            next(iter(faults)).setFocus()

    @property
    def has_fault(self) -> bool:
        """Whether a field is marked as wrong, with the reason below."""
        return bool(self.fault.text())

    @property
    def is_marked(self) -> bool:
        """Whether a field is marked as wrong, wherever the reason is."""
        return any(field.property("fault") for field in self._fields)

    @property
    def _fields(self) -> tuple[QLineEdit, ...]:
        return self.address, self.user, self.port, self.identity, self.underlay

    def _fault(self, field: QLineEdit, message: str, hint: str) -> InvalidOption:
        message = message.replace("%1", self.side.value.upper())
        self.show_fault(field, f"{message} {hint}".strip())
        return InvalidOption(message, hint=hint)

    def _field(self, name: str, example: str, tip: str = "") -> QLineEdit:
        field = QLineEdit()
        set_tip(field, tip)
        field.setAccessibleName(name.replace("%1", self.side.value.upper()))
        field.setPlaceholderText(example)
        field.textEdited.connect(self._on_typed)
        return field

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(2 * GRID)
        form.setVerticalSpacing(GRID)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for text, widget in (
            (tr("Address"), self.address),
            (tr("User"), self.user),
            (tr("Port"), self.port),
            (tr("Authentication"), self.auth),
            (tr("Key file"), holder(row(self.identity, self.browse))),
            (tr("Underlay address"), self.underlay),
        ):
            form.addRow(text, widget)
        self.body.addLayout(form)
        self.body.addWidget(self.fault)
        self.body.addStretch(1)  # keeps the fields of both hosts aligned where one card shows a fault

    def _on_typed(self) -> None:
        """A fault that was shown may be mended now."""
        if self.is_marked:
            self.show_fault(None, "")
        self.edited.emit()

    def _on_auth(self) -> None:
        needs_file = self.auth.currentData() in (AuthKind.KEY, AuthKind.AUTO)
        self.identity.setEnabled(needs_file)
        reason = tr("Choose “Key file” to log in with one.")
        enable(self.browse, is_on=needs_file and not self.identity.isReadOnly(), reason=reason)
        self.edited.emit()

    def _browse(self) -> None:
        ask_open(self, tr("Private key"), self._on_file, folder=SSH_FOLDER)

    def _on_file(self, path: Path) -> None:
        fault = key_file_fault(path)
        if fault:
            self.show_fault(self.identity, fault)
            return
        self.show_fault(None, "")
        self.identity.setText(str(path))
        self.auth.setCurrentIndex(self.auth.findData(AuthKind.KEY))
        self.edited.emit()

    def _on_dropped(self, paths: list[Path]) -> None:
        if self.identity.isReadOnly():
            self._refuse(tr("The gateways of a practice lab have keys of their own."), tr("Choose New pair first."))
        else:
            self._on_file(paths[0])

    def _refuse(self, what: str, hint: str) -> None:
        self.show_fault(self.identity, f"{what} {hint}")


def _is_of_address(spec: HostSpec) -> bool:
    """Whether a host is called by its address: another address gives it another label."""
    added = "", f":{spec.port or SSH_PORT}", " (A)", " (B)"
    return spec.label in [spec.address + one for one in added]
