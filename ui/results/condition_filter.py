"""Filter of the history by the condition of the link that comparisons were made under."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.conditions import AS_FOUND
from ui.common.basics import ChoiceBox, name_box
from ui.common.texts import tr


class ConditionFilter(ChoiceBox):
    """The conditions that occur; hidden where there is nothing to choose between."""

    def __init__(self) -> None:
        super().__init__()
        name_box(self, tr("Condition of the link"))
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToContents)
        self.show_conditions(())

    def name(self) -> str:
        """Return the name of the chosen condition; empty for any."""
        return str(self.currentData() or "")

    def choose(self, name: str) -> None:
        """Choose a condition by its name; any where it does not occur."""
        self.setCurrentIndex(max(0, self.findData(name)))

    def show_conditions(self, names: Sequence[str]) -> None:
        """Offer these conditions; the choice is kept where it is among them."""
        former = self.name()
        entries = [(tr("As found") if name == AS_FOUND else name, name) for name in names]
        # No filter remains that cannot be seen.
        self.offer([(tr("Any condition"), ""), *entries], former if len(names) > 1 else "")
        self.setVisible(len(names) > 1)
