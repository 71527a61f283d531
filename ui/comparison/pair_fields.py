"""The inputs that describe a pair: its name, and a form for each host."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from app.domain.hosts import PairSpec, Side
from ui.common.basics import set_fault
from ui.common.texts import pair_name_rule, tr
from ui.common.tips import set_tip
from ui.comparison.host_form import HostForm, TypedHost

_LEAST_NAME_PX, _WIDEST_NAME_PX = 128, 264


@dataclass(frozen=True, slots=True)
class TypedPair:
    """Entries of a pair that is not stored yet, right or wrong."""

    name: str
    a: TypedHost
    b: TypedHost


class PairFields:
    """Name and hosts of the pair that is on show."""

    def __init__(self) -> None:
        self.a, self.b = HostForm(Side.A), HostForm(Side.B)
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("pump-station"))
        self.name.setAccessibleName(tr("Name of the pair"))
        set_tip(self.name, pair_name_rule())
        self.name.setMinimumWidth(_LEAST_NAME_PX)
        self.name.setMaximumWidth(_WIDEST_NAME_PX)

    def of(self, side: Side) -> HostForm:
        """Return the form of a side."""
        return self.a if side is Side.A else self.b

    def show_pair(self, pair: PairSpec) -> None:
        """Fill in a stored pair, or a lab's, which cannot be changed."""
        self.a.show_spec(pair.a, pair.underlay_a, is_fixed=pair.is_lab)
        self.b.show_spec(pair.b, pair.underlay_b, is_fixed=pair.is_lab)
        self.name.setText(pair.name)
        self.name.setReadOnly(pair.is_lab)

    def clear(self) -> None:
        """Empty every field."""
        self.a.clear()
        self.b.clear()
        self.name.clear()
        self.name.setReadOnly(False)
        set_fault(self.name, is_wrong=False)

    def typed(self) -> TypedPair | None:
        """Return what was typed, unchecked; None where nothing was."""
        found = TypedPair(self.name.text(), self.a.typed(), self.b.typed())
        return found if found.name or found.a.is_any or found.b.is_any else None

    def show_typed(self, typed: TypedPair) -> None:
        """Fill in what was typed before."""
        self.clear()
        self.a.show_typed(typed.a)
        self.b.show_typed(typed.b)
        self.name.setText(typed.name)

    @property
    def has_fault(self) -> bool:
        """Whether a host's form says what is wrong with it."""
        return self.a.has_fault or self.b.has_fault

    def mark_name(self, *, takes_focus: bool) -> None:
        """Mark the name as wrong."""
        set_fault(self.name, is_wrong=True)
        if takes_focus:
            self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def unmark(self) -> None:
        """Take every mark away: what is wrong may be mended now."""
        set_fault(self.name, is_wrong=False)
        for form in (self.a, self.b):
            if form.is_marked:
                form.show_fault(None, "")
