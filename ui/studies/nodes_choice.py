"""Choice of the nodes behind the gateways between which a study is measured, and whose results are shown."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker

from app.domain.hosts import PairSpec
from app.domain.pair_names import LAB_PREFIX
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
        lab, own = choices.labs.get(name), choices.own.get(name)
        measurable = _of_lab(study, lab) if own is None else _of_own(study)
        possible = choices.stored_nodes(study, name) | measurable or _NAMESPACES_ALONE
        if self.kind not in possible:
            with QSignalBlocker(self):
                self.choose(next(iter(possible)))
        reason = busy or _why_no_choice(choices, study, name, possible)
        enable(self, is_on=not reason, reason=reason)


def _why_no_choice(choices: StudyChoices, study: str, name: str, possible: frozenset[NodeKind]) -> str:
    """Return why there is nothing to choose among the kinds that a study has on a pair; empty where there is."""
    if not has_nodes(study):
        return tr("This study is not measured between machines behind the gateways.")
    if possible == frozenset(NodeKind):
        return ""
    if name in choices.own and NodeKind.MACHINES in possible:
        return tr("On hosts of your own, nodes are the machines that the pair names.")
    if choices.pair(name) is None and is_own_name(name):
        return why_not_there(name)[0]
    if NodeKind.NAMESPACES not in possible:
        return tr("This lab is not running, and has results between machines only.")
    return without_machines() if name in choices.labs else _of_no_lab(name)


def has_nodes(study: str) -> bool:
    """Whether machines may be the nodes of a study."""
    of_lab = LAB_STUDIES.get(study)
    return study == SATCOM or (of_lab is not None and of_lab.node_needs is not None)


def is_own_name(name: str) -> bool:
    """Whether a name is that of a pair of the user's own."""
    return bool(name) and not name.startswith(LAB_PREFIX)


def why_not_there(name: str) -> tuple[str, str]:
    """Return that nothing can be measured on a pair that was chosen before, and what to do."""
    if not is_own_name(name):
        return tr("%1 is not running.", name), tr("Start it in the lab menu at the top right.")
    return tr("There is no pair %1 with nodes any more.", name), tr("Store it again, then resume.")


def why_not_measured(choices: StudyChoices, study: str, name: str, kind: NodeKind) -> str:
    """Return why a study cannot be measured on a pair between a kind of nodes; empty where it can."""
    lab = choices.labs.get(name)
    if name in choices.own:
        if not has_nodes(study):
            return tr("This study is measured on practice labs only.")
        is_between_machines = kind is NodeKind.MACHINES
        return "" if is_between_machines else tr("On hosts of your own it is measured between machines only.")
    if lab is None and is_own_name(name):
        return why_not_there(name)[0]
    if lab is None and name:
        return tr("This lab is not running. Start it in the lab menu at the top right.")
    if lab is None:
        return tr("Start a practice lab first.")
    return without_machines() if kind is NodeKind.MACHINES and not lab.nodes else ""


def _of_lab(study: str, lab: PairSpec | None) -> frozenset[NodeKind]:
    """Return the kinds of nodes between which a study can be measured on a pair."""
    if lab is None:
        return frozenset()
    has_machines = bool(lab.nodes) and has_nodes(study)
    return frozenset(NodeKind) if has_machines else _NAMESPACES_ALONE


def _of_own(study: str) -> frozenset[NodeKind]:
    """Return the kinds of nodes between which a study can be measured on hosts of the user's own."""
    return frozenset({NodeKind.MACHINES}) if has_nodes(study) else frozenset()


def _of_no_lab(name: str) -> str:
    if not name:
        return tr("Start a practice lab first.")
    return tr("This lab is not running, and has no results between machines.")
