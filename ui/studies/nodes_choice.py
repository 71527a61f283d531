"""Choice of the nodes behind the gateways between which a study is measured, and whose results are shown."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker

from app.domain.hosts import PairSpec
from app.domain.topology import NodeKind
from app.measurement.lab_studies import LAB_STUDIES
from app.ranking.study_parts import SATCOM
from ui.common.basics import ChoiceBox
from ui.common.texts import tr
from ui.common.tips import enable
from ui.studies.choices import StudyChoices

_NAMESPACES_ALONE = frozenset({NodeKind.NAMESPACES})


def without_machines() -> str:
    """Return why machines cannot be the nodes of a lab that has none."""
    return tr("This lab has no machines behind its gateways. Start one with them: tunnelmark lab up --nodes")


class NodesChoice(ChoiceBox):
    """Namespaces on the gateways, or machines of their own; disabled where there is nothing to choose."""

    def __init__(self) -> None:
        kinds = (
            (tr("namespaces on the gateways"), NodeKind.NAMESPACES.value),
            (tr("machines of their own"), NodeKind.MACHINES.value),
        )
        super().__init__(tr("Nodes"), kinds)

    @property
    def kind(self) -> NodeKind:
        """The chosen kind."""
        return NodeKind(self.currentData())

    def choose(self, kind: NodeKind) -> None:
        """Choose a kind."""
        self.setCurrentIndex(self.findData(kind.value))

    def show_choice(self, choices: StudyChoices, study: str, name: str, *, busy: str) -> None:
        """Offer the kinds that a study has on a pair: those that can be measured, and those with stored results.

        A chosen kind that it does not have is left for the other one, without a signal.

        Args:
            choices: Running labs, and what is stored.
            study: Name of the study.
            name: Name of the pair.
            busy: Why nothing can be chosen now; empty where it can.
        """
        lab = choices.labs.get(name)
        possible = choices.stored_nodes(study, name) | _of_lab(study, lab) or _NAMESPACES_ALONE
        if self.kind not in possible:
            with QSignalBlocker(self):
                self.choose(next(iter(possible)))
        reason = busy
        if not reason and not has_nodes(study):
            reason = tr("This study is not measured between machines behind the gateways.")
        elif not reason and NodeKind.NAMESPACES not in possible:
            reason = tr("This lab is not running, and has results between machines only.")
        elif not reason and NodeKind.MACHINES not in possible:
            reason = without_machines() if lab is not None else _of_no_lab(name)
        enable(self, is_on=not reason, reason=reason)


def has_nodes(study: str) -> bool:
    """Whether machines may be the nodes of a study."""
    of_lab = LAB_STUDIES.get(study)
    return study == SATCOM or (of_lab is not None and of_lab.node_needs is not None)


def _of_lab(study: str, lab: PairSpec | None) -> frozenset[NodeKind]:
    """Return the kinds of nodes between which a study can be measured on a pair."""
    if lab is None:
        return frozenset()
    has_machines = bool(lab.nodes) and has_nodes(study)
    return frozenset(NodeKind) if has_machines else _NAMESPACES_ALONE


def _of_no_lab(name: str) -> str:
    if not name:
        return tr("Start a practice lab first.")
    return tr("This lab is not running, and has no results between machines.")
