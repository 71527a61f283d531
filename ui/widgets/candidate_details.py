"""Why a candidate has its verdict, with the source, and what its solution promises."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.domain.adapters import SolutionInfo
from app.domain.results import Candidate
from app.domain.verdicts import Finding
from ui.texts import tr
from ui.theme import GRID, Theme
from ui.widgets.basics import Card, ScrollPage, column, icon_label, label, line, row
from ui.widgets.verdicts import VerdictLabel


class CandidateDetails(Card):
    """A card beside the tree."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(tr("Reason and source"))
        self.setMinimumWidth(280)
        self._content = QWidget()
        self._content.setProperty("look", "page")
        self._rows = QVBoxLayout(self._content)
        self._rows.setContentsMargins(0, 0, GRID, 0)
        self._rows.setSpacing(GRID)
        self._scroll = ScrollPage(self._content)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.addWidget(self._scroll)
        self.text = ""

    def show_candidate(self, candidate: Candidate, info: SolutionInfo) -> None:
        """Show a suite's findings, then its solution."""
        self._clear()
        self._say(candidate.title, "heading")
        self._rows.addWidget(VerdictLabel(candidate.verdict))
        if candidate.is_unprotected:
            self._say(tr("Measured as a reference: it has no cryptography, is never recommended and never deployed."))
        for finding in candidate.findings:
            self._show_finding(finding)
        self._show_info(info)

    def show_solution(self, info: SolutionInfo) -> None:
        """Show what is always true of a solution."""
        self._clear()
        self._say(info.title, "heading")
        self._show_info(info)

    def show_unavailable(self, title: str, reason: str) -> None:
        """Show why a solution is not possible."""
        self._clear()
        self._say(title, "heading")
        self._say(tr("Not possible on these hosts: %1.").replace("%1", reason.rstrip(".")))
        self._say(tr("Step 1 shows what is missing, and can install it where a package brings it."), "muted")
        self._rows.addStretch(1)

    def _show_finding(self, finding: Finding) -> None:
        self._rows.addWidget(line())
        head = row(label(finding.subject, "heading"), VerdictLabel(finding.verdict))
        head.setStretch(0, 1)
        self._rows.addLayout(head)
        self._say(finding.reason)
        self._say(f"{tr('Source')}: {finding.source}", "muted")
        if finding.replacement:
            self._say(f"{tr('Use instead')}: {finding.replacement}")
        self.text += f"{finding.subject} {finding.reason} {finding.source}\n"

    def _show_info(self, info: SolutionInfo) -> None:
        self._rows.addWidget(line())
        self._say(info.summary)
        security = info.security
        for has, text in (
            (security.has_confidentiality, tr("hides what is sent")),
            (security.has_integrity, tr("notices changes on the way")),
            (security.has_authentication, tr("knows who the other end is")),
            (security.has_anti_replay, tr("drops repeated packets")),
            (security.has_forward_secrecy, tr("a stolen key does not open recorded traffic")),
            (security.is_post_quantum, tr("withstands a quantum computer")),
        ):
            icon = icon_label("check", "good") if has else icon_label("error", "muted")
            words = text if has else f"{tr('not')}: {text}"
            promise = row(icon, label(words, "" if has else "muted"))
            promise.setStretch(1, 1)
            self._rows.addLayout(promise)
        self._say(
            tr("Per site: %1 configuration files, %2 keys.")
            .replace("%1", str(info.files_per_site))
            .replace("%2", str(info.keys_per_site)),
            "muted",
        )
        for sentence in info.limitations:
            limits = row(icon_label("warning", "legacy"), label(sentence))
            limits.setStretch(1, 1)
            self._rows.addLayout(limits)
        self._rows.addStretch(1)

    def _say(self, text: str, look: str = "") -> None:
        self._rows.addWidget(label(text, look, is_selectable=True))
        self.text += f"{text}\n"

    def _clear(self) -> None:
        fresh = QWidget()
        fresh.setProperty("look", "page")
        self._rows = column()
        self._rows.setContentsMargins(0, 0, GRID, 0)
        fresh.setLayout(self._rows)
        self._scroll.replace(self._content, fresh)
        self._content = fresh
        self.text = ""
