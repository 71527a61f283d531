"""Question before a practice lab is started: its name, platforms, CPU and logins."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QFormLayout, QLineEdit, QWidget

from app.domain.errors import InvalidOption
from app.domain.practice_labs import LabChoice
from app.lab.platforms import PLATFORMS
from app.lab.spec import check_lab_name
from app.wording.messages import local_sentence, local_text
from ui.common.basics import ChoiceBox, label_for
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import set_tip
from ui.shell.panel import CheckedQuestion

_USUAL = "default"


class LabDialog(CheckedQuestion):
    """Offers what `tunnelmark lab up` offers.

    Args:
        taken: Names of running labs.
    """

    def __init__(self, parent: QWidget, taken: tuple[str, ...]) -> None:
        super().__init__(
            parent,
            tr("Start a practice lab"),
            tr(
                "Two virtual gateways start on this computer. The first start of a platform takes some minutes, later "
                "ones seconds."
            ),
            tr("Start lab"),
            "lab",
        )
        self._taken = taken
        name = next(one for one in (_USUAL, *(f"lab-{nth}" for nth in range(2, 100))) if one not in taken)
        rule = tr("Lower-case letters, digits and hyphens, 31 characters at most")
        self.name = self.add_field(tr("Name of the lab"), name, rule)
        platforms = [(local_text(one.title), one.name) for one in PLATFORMS.values()]
        self.platform_a = ChoiceBox(tr("Platform of gateway A"), platforms)
        self.platform_b = ChoiceBox(tr("Platform of gateway B"), platforms)
        cpus = (tr("with AES instructions"), True), (tr("without AES instructions"), False)
        self.cpu = ChoiceBox(tr("CPU"), cpus)
        self.hardened = QCheckBox(tr("Hardened: closed firewalls and a sudo password"))
        set_tip(self.hardened, tr("nftables on gateway A, ufw on gateway B"))
        self.keep_running = QCheckBox(tr("Keep it running when Tunnelmark is closed"))
        form = QFormLayout()
        form.setHorizontalSpacing(3 * GRID)
        for text, field in (
            (tr("Name"), self.name),
            (tr("Gateway A"), self.platform_a),
            (tr("Gateway B"), self.platform_b),
            (tr("CPU"), self.cpu),
        ):
            form.addRow(label_for(text, field), field)
        self.body.addLayout(form)
        self.body.addWidget(self.hardened)
        self.body.addWidget(self.keep_running)
        self.body.addWidget(self.fault)

    def choice(self) -> LabChoice:
        """Return what is chosen."""
        return LabChoice(
            name=self.name.text().strip(),
            platform_a=self.platform_a.currentData(),
            platform_b=self.platform_b.currentData(),
            has_aes=self.cpu.currentData(),
            is_hardened=self.hardened.isChecked(),
            is_detached=self.keep_running.isChecked(),
        )

    def check(self) -> tuple[QLineEdit | None, str] | None:
        """Refuse names that are not allowed or taken."""
        name = self.name.text().strip()
        try:
            check_lab_name(name)
        except InvalidOption as error:
            return self.name, local_sentence(error)
        if name in self._taken:
            return self.name, tr("A lab of this name is running. Choose another name.")
        return None
