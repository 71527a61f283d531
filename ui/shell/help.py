"""Help in the window: the user guide's page for what is on show, the shortcuts, and what this Tunnelmark is."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import qVersion
from PySide6.QtWidgets import QMenu

from ui.common.texts import tr
from ui.common.tips import shown_keys
from ui.shell.shortcuts import menu_action

if TYPE_CHECKING:
    from ui.shell.navigator import Navigator

LICENCE = "Apache-2.0"
_PAGES: Mapping[str, str] = {
    "DeployPage": "deployment.md",
    "DeploymentsPage": "deployment.md",
    "LintPage": "linting.md",
    "CensusPage": "census.md",
    "LinkPage": "firewalls.md",
    "CandidatesPage": "policy.md",
}
_PARTS: Mapping[str, str] = {
    "HostsPage": "The window",
    "PlanPage": "The window",
    "RunPage": "While it measures",
    "ResultsPage": "What the figures mean",
    "PastResultsPage": "What the figures mean",
    "CandidatePage": "What the figures mean",
    "HistoryPage": "History",
    "StudiesPage": "Studies",
}
"""Headings of the user guide where its help for a kind of page begins."""
_GUIDE, GLOSSARY = "user-guide.md", "glossary.md"


class Help:
    """Shortcuts and dialogs of a window."""

    def __init__(self, window: Navigator) -> None:
        self._window = window
        self._docs_dir = find_docs()
        menu = QMenu(window.footer.help)
        for text, keys, act in (
            (tr("User guide for this page"), "F1", self.open_guide),
            (tr("Glossary"), "Ctrl+F1", self.open_glossary),
            (tr("Keyboard shortcuts"), "Ctrl+?", self.show_shortcuts),
            (tr("About Tunnelmark"), "Shift+F1", self.show_about),
        ):
            menu_action(window, menu, text, keys, act)
        window.footer.help.setMenu(menu)

    def page_for(self, name: str) -> Path | None:
        """Return the document for a kind of page; None where the documents are not installed."""
        if self._docs_dir is None:
            return None
        return self._docs_dir / _PAGES.get(name, _GUIDE)

    def open_guide(self) -> None:
        """Show the user guide's page for what is on show."""
        name = type(self._window.current).__name__
        self._open(self.page_for(name), _PARTS.get(name, ""))

    def open_glossary(self) -> None:
        """Show what the words mean."""
        self._open(self._docs_dir / GLOSSARY if self._docs_dir is not None else None)

    def _open(self, path: Path | None, part: str = "") -> None:
        """Show a document, from a heading on; without any, where things are."""
        if path is None or self._docs_dir is None:
            self.show_about()
            return
        from ui.shell.guide_dialog import GuideDialog

        found = [one for one in self._window.findChildren(GuideDialog) if one.isVisible()]
        dialog = found[0] if found else GuideDialog(self._window, self._docs_dir / _GUIDE)
        dialog.show_document(path, part)
        dialog.show()
        dialog.raise_()

    def show_about(self) -> None:
        """Show which version this is, and where things are."""
        self._show(tr("About Tunnelmark"), about_lines(self._docs_dir))

    def show_shortcuts(self) -> None:
        """List the keys."""
        self._show(tr("Keyboard shortcuts"), shortcut_lines(self._window))

    def _show(self, title: str, lines: Mapping[str, str]) -> None:
        from ui.shell.panel import Information

        Information(self._window, title, lines).open()


def about_lines(docs_dir: Path | None) -> dict[str, str]:
    """Return what this Tunnelmark is, by name."""
    import platform

    from app.domain.paths import find_paths
    from app.domain.version import tunnelmark_version
    from app.policy import POLICY_NAME, POLICY_VERSION

    paths = find_paths()
    return {
        tr("Version"): tunnelmark_version(),
        tr("Licence"): LICENCE,
        tr("Python, Qt"): f"{platform.python_version()}, {qVersion()}",
        tr("System"): platform.platform(),
        tr("Policy"): f"{POLICY_NAME} {POLICY_VERSION}",
        tr("Data folder"): str(paths.data_dir),
        tr("Images of the lab"): str(paths.cache_dir),
        tr("Documents"): str(docs_dir) if docs_dir is not None else tr("not installed"),
    }


def shortcut_lines(window: Navigator) -> dict[str, str]:
    """Return keys and what they do: those of the areas as their buttons have them, then those of the whole window."""
    top = window.top
    areas = (top.start, top.comparison, top.deployment, top.history, top.census, top.lint, top.studies)
    found = {shown_keys(area.shortcut().toString()): area.text() for area in areas if not area.shortcut().isEmpty()}
    return found | {
        f"{shown_keys('Ctrl+1')} … {shown_keys(f'Ctrl+{len(areas)}')}": tr(
            "The areas above, from the left; also while a field has the focus"
        ),
        shown_keys("Alt+Right"): tr("Next"),
        shown_keys("Alt+Left"): tr("Back"),
        shown_keys("Esc"): tr("Stop what the page is doing"),
        shown_keys("F5"): tr("Inspect both hosts"),
        shown_keys("Ctrl+F"): tr("Search in a list"),
        shown_keys("Ctrl+C"): tr("Copy the selected line"),
        ", ".join(shown_keys(f"Ctrl+{key}") for key in "+-0"): tr("Larger, smaller, usual texts"),
        shown_keys("Ctrl+,"): tr("Settings"),
        shown_keys("Ctrl+Shift+P"): tr("Pairs of hosts"),
        shown_keys("F1"): tr("User guide for this page"),
        shown_keys("Ctrl+F1"): tr("Glossary"),
        shown_keys("Shift+F1"): tr("About Tunnelmark"),
        shown_keys("Ctrl+?"): tr("This list"),
        shown_keys("Ctrl+Q"): tr("Close the window"),
    }


def find_docs() -> Path | None:
    """Return the folder with the documents: beside the program in a source tree, or where packages put them."""
    candidates = (
        Path(__file__).resolve().parents[2] / "docs",
        Path(sys.prefix) / "share" / "doc" / "tunnelmark",
        Path("/usr/share/doc/tunnelmark"),
    )
    return next((one for one in candidates if (one / _GUIDE).is_file()), None)
