"""Result of the inspection of one host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout

from app.discovery.pair_discovery import HostCheck
from app.domain.hosts import HostFacts, HostSpec, MissingPart, Nic, PackageManager, Privilege, ToolFlavour
from app.domain.solutions import BASELINE
from app.wording.language import mark
from app.wording.messages import local_text
from ui.common.basics import Card, button, icon_label, label, line, row
from ui.common.texts import NONE, count, mib, tr
from ui.common.theme import GRID


class HostCard(Card):
    """System, CPU, memory, interfaces, rights, programs, and what is missing.

    Args:
        check: What was found.
        host: Its name and address.
        titles: Titles of VPNs by name.
        has_missing: Whether to say what is missing.
    """

    install_asked = Signal(object, object)
    """Carries the Side and the MissingPart tuple that can be installed."""

    def __init__(
        self, check: HostCheck, host: HostSpec, titles: Mapping[str, str], *, has_missing: bool = True
    ) -> None:
        letter = check.side.value.upper()
        super().__init__(f"{letter}   {host.name_beside(letter)}", "host")
        self.check = check
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID // 2)
        grid.setColumnStretch(1, 1)
        for nth, (what, text) in enumerate(_lines(check.facts, titles)):
            grid.addWidget(label(what, "muted", is_wrapping=False), nth, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label(text, is_selectable=True), nth, 1)
        self.body.addLayout(grid)
        for sentence in check.warnings:
            self.body.addLayout(row(icon_label("warning", "legacy"), label(local_text(sentence))))
        if has_missing:
            self.body.addWidget(line())
            self._show_missing(check.missing, check.facts.package_manager)
        self.body.addStretch(1)

    def _show_missing(self, missing: Sequence[MissingPart], manager: PackageManager) -> None:
        if not missing:
            self.body.addLayout(
                row(icon_label("check", "good"), label(tr("Nothing is missing."), is_wrapping=False), 0)
            )
            return
        self.body.addWidget(label(tr("Missing"), "heading"))
        for part in missing:
            brings = tr("package %1", part.package) if part.package else tr("no package known")
            text = f"{local_text(part.what)}: {tr('needed for')} {local_text(part.needed_for)} ({brings})"
            self.body.addLayout(row(icon_label("warning", "legacy"), label(text)))
        installable = tuple(part for part in missing if part.package)
        if installable and manager is not PackageManager.NONE:
            names = ", ".join(dict.fromkeys(part.package for part in installable))
            self.install = button(
                tr("Install %1", names),
                "install",
                on_click=lambda: self.install_asked.emit(self.check.side, installable),
                tip=tr("Previews the installation; refused if packages would be removed"),
            )
            self.body.addLayout(row(self.install, 0))


_PRIVILEGES = {
    Privilege.ROOT: mark("root"),
    Privilege.SUDO: mark("sudo without a password"),
    Privilege.SUDO_PASSWORD: mark("sudo with a password"),
    Privilege.DOAS: mark("doas without a password"),
    Privilege.NONE: mark("none: tunnels cannot be set up"),
}


def _lines(facts: HostFacts, titles: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    aes = tr("with AES instructions") if facts.has_aes_instructions else tr("without AES instructions")
    cores = tr("1 core") if facts.cpu_count == 1 else f"{facts.cpu_count} {tr('cores')}"
    return (
        (tr("System"), f"{facts.os_name} ({facts.hostname})"),
        (tr("Kernel"), f"{facts.kernel}, {facts.architecture}, {facts.init_system.value}"),
        (tr("CPU"), f"{facts.cpu_model}, {cores}, {aes}" + (f", {tr('virtual')}" if facts.is_virtual else "")),
        (tr("Memory"), f"{mib(facts.memory_available_mib)} {tr('free of')} {mib(facts.memory_total_mib)}"),
        (tr("Interfaces"), "\n".join(_nic(nic) for nic in facts.nics if nic.name != "lo") or NONE),
        (tr("Rights"), _rights(facts)),
        (tr("Clock"), _clock(facts)),
        (tr("Measuring"), _tools(facts)),
        (tr("VPN software"), _solutions(facts, titles)),
    )


def _rights(facts: HostFacts) -> str:
    if facts.privilege is Privilege.ROOT:
        return "root"
    return f"{facts.user}, {tr(_PRIVILEGES[facts.privilege])}"


def _nic(nic: Nic) -> str:
    speed = f", {count(nic.speed_mbit_s)} Mbit/s" if nic.speed_mbit_s else ""
    state = "" if nic.is_up else f", {tr('down')}"
    addresses = f", {', '.join(nic.addresses)}" if nic.addresses else ""
    return f"{nic.name}{addresses}, MTU {count(nic.mtu_bytes)}{speed}{state}"


def _clock(facts: HostFacts) -> str:
    return tr("%1 ms relative to this computer, ±%2 ms", f"{facts.clock_offset_ms:+.0f}", f"{facts.clock_error_ms:.0f}")


def _tools(facts: HostFacts) -> str:
    words = []
    for name, tool in facts.tools.items():
        if tool.flavour is ToolFlavour.MISSING:
            words.append(tr("no %1", name))
        elif tool.flavour is ToolFlavour.BUSYBOX:
            words.append(f"{name} (BusyBox)")
        else:
            words.append(f"{name} {tool.version}".strip())
    return ", ".join(words) or NONE


def _solutions(facts: HostFacts, titles: Mapping[str, str]) -> str:
    words = [
        f"{titles.get(name, name)} {support.version}".strip()
        for name, support in facts.solutions.items()
        if support.is_available and name != BASELINE
    ]
    return ", ".join(words) or NONE
