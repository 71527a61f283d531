"""A walk through the dialogs of the window's menu, with their names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QApplication, QDialog
from window_driver import Driver

from app.domain.ssh_hosts import SshHost, SshHosts, explicit_spec

HOSTS = SshHosts(
    "/home/eve/.ssh/config",
    (
        SshHost("pump-1", "10.0.0.1", "root", 2222, spec=explicit_spec("pump-1", "10.0.0.1", "root", 2222, "")),
        SshHost("pump-2", "10.0.0.2", "root", 22, spec=explicit_spec("pump-2", "10.0.0.2", "root", 22, "")),
        SshHost("odd", problem="The ssh configuration reaches odd with ProxyCommand. Use ProxyJump instead."),
    ),
    ("Files that it includes (Include) are not read.",),
)


def settle() -> None:
    """Let layouts settle on posted events."""
    for _ in range(4):
        QApplication.processEvents()


def dialogs(driver: Driver) -> Iterator[tuple[str, QDialog]]:
    """Open each dialog in turn; yield its name and it, and close it."""
    window = driver.window
    settings = window.desk.show_settings()
    yield from _shown(driver, "settings", settings)
    pairs = window.desk.show_pairs()
    driver.idle()
    settle()
    yield "pairs", pairs
    pairs.rename.click()
    question = driver.dialog()
    question.field.setText("a/b")  # type: ignore[attr-defined]
    question.yes.click()
    yield from _shown(driver, "pairs-rename", question)
    pairs.duplicate.click()
    yield from _shown(driver, "pairs-duplicate", driver.dialog())
    pairs.remove.click()
    yield from _shown(driver, "pairs-remove", driver.dialog())
    yield from _shown(driver, "pairs-import", pairs._ask_hosts(HOSTS))
    yield from _shown(driver, "pairs-import-nothing", pairs._ask_hosts(SshHosts(str(Path("/none")), ())))
    pairs.close()
    labs = window.desk.labs
    labs._ask_start()
    question = driver.dialog()
    question.name.setText("A B")  # type: ignore[attr-defined]
    question.yes.click()
    yield from _shown(driver, "lab-start", question)
    labs._show_details(labs._labs[0])
    yield from _shown(driver, "lab-details", next(one for one in window.findChildren(QDialog) if one.isVisible()))
    driver.services.uses["practice"] = ("process 4711 (tunnelmark compare lab:practice) is connected to it.",)
    labs._ask(labs._labs[0], is_restart=False)
    yield from _shown(driver, "lab-stop", driver.dialog())


def _shown(driver: Driver, name: str, dialog: QDialog | None) -> Iterator[tuple[str, QDialog]]:
    assert dialog is not None
    driver.idle()
    settle()
    yield name, dialog
    dialog.close()
    settle()
