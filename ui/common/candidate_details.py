"""Why a candidate has its verdict, with the source, and what its solution promises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton

from app.domain.hosts import MissingPart
from app.domain.results import Candidate
from app.domain.solutions import SolutionInfo
from app.domain.verdicts import Finding, PostQuantum, by_weight, deciding_finding
from app.wording.findings import replacement_words
from app.wording.messages import local_name, local_text
from app.wording.titles import local_title
from ui.common.basics import Card, ScrollPage, button, column, holder, icon_label, label, line, row
from ui.common.solution_facts import DEFAULT_SITES, SolutionFacts
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.verdicts import VerdictLabel, question_appearance, verdict_appearance


@dataclass(frozen=True, slots=True)
class Lack:
    """Parts that a host lacks for a solution.

    Attributes:
        host: Its name.
        is_able: Whether it lacks nothing.
        parts: What is missing.
        note: Other obstacles.
    """

    host: str
    is_able: bool
    parts: tuple[MissingPart, ...] = ()
    note: str = ""


class CandidateDetails(Card):
    """A card beside the tree."""

    hosts_asked = Signal()
    """Something is to be installed in step 1."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Reason and source"))
        self.setMinimumWidth(280)
        self._rows = column(margin_px=(0, 0, GRID, 0))
        self._scroll = ScrollPage(holder(self._rows, "page"))
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.addWidget(self._scroll)
        self._sites = DEFAULT_SITES
        self.facts: SolutionFacts | None = None
        self.install: QPushButton | None = None

    def show_candidate(self, candidate: Candidate, info: SolutionInfo | None) -> None:
        """Show a suite's findings, the one that its verdict comes from first, then its solution where it is known."""
        self._clear()
        self._add_text(local_title(candidate.title), "heading")
        self._rows.addWidget(VerdictLabel(verdict_appearance(candidate.verdict)))
        if candidate.is_unprotected:
            self._add_text(tr("Reference only: unencrypted, never recommended or deployed."))
        elif candidate.post_quantum is not None:
            self._add_text(_post_quantum_words(candidate.post_quantum))
        own, design = _parted(candidate.findings, info)
        is_by_design = deciding_finding(candidate.findings) in design
        if is_by_design:
            self._show_design(design)
        for finding in own:
            self._show_finding(finding)
        if not is_by_design:
            self._show_design(design)
        self._show_info(info)

    def show_solution(self, info: SolutionInfo, findings: Iterable[Finding] = ()) -> None:
        """Show what is always true of a solution.

        Args:
            findings: Findings on any of its suites; those on its design are shown.
        """
        self._clear()
        self._add_text(local_title(info.title), "heading")
        self._show_design(_parted(findings, info)[1])
        self._show_info(info)

    def show_unavailable(self, title: str, reason: str, lacks: Sequence[Lack], info: SolutionInfo | None) -> None:
        """Show why a solution is not possible, and what would make it so."""
        self._clear()
        self._add_text(title, "heading")
        self._add_text(tr("Not supported on these hosts: %1.", local_text(reason).rstrip(".")))
        for lack in lacks:
            self._show_lack(lack)
        packages = tuple(dict.fromkeys(part.package for lack in lacks for part in lack.parts if part.package))
        if packages:
            words = tr("Install %1 in step 1", ", ".join(packages))
            tip = tr("You see the packages before anything is installed")
            self.install = button(words, "install", on_click=self.hosts_asked.emit, tip=tip)
            self._rows.addLayout(row(self.install, 0))
        elif any(lack.parts for lack in lacks):
            self._add_text(tr("No known package provides it."), "muted")
        self._show_info(info)

    def _show_lack(self, lack: Lack) -> None:
        self._add_text(lack.host, "strong")
        for part in lack.parts:
            brings = tr("in package %1", part.package) if part.package else tr("no known package")
            self._with_icon("warning", "legacy", f"{local_text(part.what)} ({brings})")
        if lack.note:
            self._with_icon("info", "text", local_text(lack.note))
        if lack.is_able:
            self._with_icon("check", "good", tr("nothing missing"))
        elif not lack.parts and not lack.note:
            self._with_icon("warning", "legacy", tr("not supported (reason unknown)"))

    def _show_design(self, findings: Sequence[Finding]) -> None:
        if findings:
            self._rows.addWidget(line())
            self._add_text(tr("Applies to all its suites"), "strong")
        for finding in findings:
            self._show_finding(finding)

    def _show_finding(self, finding: Finding) -> None:
        self._rows.addWidget(line())
        self._add_text(local_name(finding.subject), "heading")
        self._rows.addWidget(VerdictLabel(question_appearance(finding.question, finding.verdict)))
        self._add_text(local_text(finding.reason))
        if finding.source:
            self._add_text(f"{tr('Source')}: {local_text(finding.source)}", "muted")
        if finding.replacement:
            self._add_text(f"{tr('Use instead')}: {replacement_words(finding.replacement)}")

    def _show_info(self, info: SolutionInfo | None) -> None:
        if info is not None:
            self.facts = SolutionFacts(info, self._sites, self._on_sites)
            self._rows.addWidget(line())
            self._rows.addWidget(self.facts)
        self._rows.addStretch(1)

    def _on_sites(self, sites: int) -> None:
        self._sites = sites

    def _with_icon(self, icon: str, role: str, text: str) -> None:
        self._rows.addLayout(row(icon_label(icon, role), (label(text, is_selectable=True), 1)))

    def _add_text(self, text: str, variant: str = "") -> None:
        self._rows.addWidget(label(text, variant, is_selectable=True))

    def _clear(self) -> None:
        self._rows = column(margin_px=(0, 0, GRID, 0))
        self._scroll.show_content(holder(self._rows, "page"))
        self.facts = self.install = None


def _post_quantum_words(post_quantum: PostQuantum) -> str:
    return {
        PostQuantum.HYBRID: tr("Post-quantum: hybrid key exchange"),
        PostQuantum.PURE: tr("Post-quantum: key exchange without a classical part"),
        PostQuantum.STORED: tr(
            "Post-quantum: hybrid as long as the pre-shared key, which is on both hosts until keys are rotated, "
            "remains secret"
        ),
        PostQuantum.SYMMETRIC: tr("Post-quantum: by pre-shared keys only"),
        PostQuantum.NONE: tr("Post-quantum: no; a future quantum computer can decrypt recorded traffic"),
    }[post_quantum]


def _parted(findings: Iterable[Finding], info: SolutionInfo | None) -> tuple[list[Finding], list[Finding]]:
    """Return findings on what was chosen, and those on the solution's design; of both the deciding one first."""
    once = by_weight(dict.fromkeys(findings))
    design = info.design if info is not None else ()
    return [one for one in once if one.subject not in design], [one for one in once if one.subject in design]
