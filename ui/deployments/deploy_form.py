"""Settings of a deployment: pair, solution and suite, LAN ports, addresses, confirmation, justification."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from app.deployment.choice import check_options
from app.domain.declared import comparison_reason
from app.domain.deployment import (
    CONFIRM_WITHIN_S,
    LONGEST_CONFIRM_S,
    SHORTEST_CONFIRM_S,
    Deployment,
    DeploymentOptions,
    LanPort,
)
from app.domain.errors import InvalidOption
from app.domain.hosts import PairSpec, Side
from app.domain.keepalive import Keepalive
from app.domain.results import Candidate
from app.domain.verdicts import Verdict
from app.wording.deployment_sentences import replaced_sentence
from app.wording.messages import local_text
from app.wording.titles import local_title
from ui.common.basics import Card, ChoiceBox, holder, icon_label, label, label_for, name_box, row
from ui.common.deployment_preset import Key, Wanted
from ui.common.folding import FoldingForm
from ui.common.icons import set_icon
from ui.common.number_boxes import whole_box
from ui.common.texts import tr
from ui.common.theme import GRID
from ui.common.tips import enable, set_tip
from ui.common.verdicts import VerdictLabel, verdict_appearance
from ui.deployments.choice_words import deciding_words, is_never, why_never
from ui.deployments.lan_guard_row import LanGuardRow
from ui.deployments.lan_row import LanRow

_SOLUTION_LETTERS = 15
"""Wide letters: as much room as the longest name, OpenVPN over UDP or WireGuard with L2TPv3, needs in narrow ones."""


class DeploymentForm(Card):
    """The choice, in a grid of five lines."""

    changed = Signal()
    """A setting was changed."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Deployment settings"))
        self._pairs: tuple[PairSpec, ...] = ()
        self._candidates: tuple[Candidate, ...] = ()
        self.body.setContentsMargins(GRID + 4, GRID + 4, GRID + 4, GRID + 4)
        self._make_choices()
        self.lans = {side: LanRow(side, self) for side in Side}
        self.guard = LanGuardRow(self)
        self._make_confirming()
        self.moves_rules = QCheckBox(tr("Apply firewall rules that &name a LAN port to its bridge as well"))
        set_tip(
            self.moves_rules,
            tr("They then apply to the host's own LAN and to what the other LAN sends to it; removed with the tunnel"),
        )
        self.moves_rules.toggled.connect(self.changed)
        self.fits_path = QCheckBox(tr("Fit TCP to the path between the hosts"))
        set_tip(
            self.fits_path,
            tr(
                "Clamps TCP's MSS: no segment through the tunnel is fragmented outside. Without LAN ports it also sets "
                "the tunnel's MTU, for other frames"
            ),
        )
        self.fits_path.toggled.connect(self.changed)
        self.metered = QCheckBox(tr("Save data while idle (link paid for by volume)"))
        set_tip(self.metered, tr("An idle tunnel is probed once a minute; a lost peer is noticed about a minute later"))
        self.metered.toggled.connect(self.changed)
        self.reason = QLineEdit()
        self.reason.setAccessibleName(tr("Justification for this legacy suite"))
        self.reason.setPlaceholderText(tr("For example: the peer's firmware has nothing newer; replaced in 2027"))
        self.reason.textChanged.connect(self.changed)
        self.reason_label = label(tr("Justification"), is_wrapping=False)
        self._replaced_icon = icon_label("repeat", "accent")
        self.replaced = label("", "strong", is_selectable=True)
        self._word_icon = icon_label("info", "accent")
        self.word = label("", is_selectable=True)
        self._lay_out()
        for row_of in self.lans.values():
            row_of.changed.connect(self._on_lan)
        self.guard.changed.connect(self.changed)
        self._on_lan()
        self._show_candidate()

    def _make_choices(self) -> None:
        self.pairs = ChoiceBox(tr("Pair"))
        self.pairs.currentIndexChanged.connect(self._on_pair)
        self.solution, self.suite = ChoiceBox(tr("Solution")), ChoiceBox()
        name_box(self.suite, tr("Suite"))
        for box, letters in ((self.pairs, 18), (self.solution, _SOLUTION_LETTERS), (self.suite, 10)):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(letters)
            box.setMaxVisibleItems(20)
        self.solution.setPlaceholderText(tr("inspect both hosts first"))
        self.solution.currentIndexChanged.connect(self._on_solution)
        self.suite.currentIndexChanged.connect(self._on_suite)
        self.verdict = VerdictLabel()
        self.verdict_label = label(tr("Verdict"), is_wrapping=False)

    def _make_confirming(self) -> None:
        answers = (tr("Me, within the time limit"), "user"), (tr("Tunnelmark, once verified"), "")
        self.who = ChoiceBox(tr("Confirmation"), answers)
        self._preset_s = int(CONFIRM_WITHIN_S)
        limits = int(SHORTEST_CONFIRM_S), int(LONGEST_CONFIRM_S)
        self.within = whole_box(tr("Time to confirm, in seconds"), *limits, self._preset_s, suffix=" s", step=10)
        self.who.currentIndexChanged.connect(self._on_who)
        self.within.valueChanged.connect(self.changed)

    def _lay_out(self) -> None:
        form = FoldingForm((3, 5))
        form.grid.setHorizontalSpacing(GRID)
        form.grid.setVerticalSpacing(GRID - 2)
        lines: list[tuple[QWidget, ...]] = [
            (
                label_for(tr("Pair"), self.pairs),
                self.pairs,
                label_for(tr("VPN"), self.solution),
                _line(1, self.solution, self.suite),
            )
        ]
        lines += [(lan.name, lan.port, lan.address_name, lan.address) for lan in self.lans.values()]
        lines.append((label_for(tr("Between the LANs"), self.guard.limit), self.guard.limit))
        for nth, line in enumerate(lines):
            for column, widget in enumerate(line):
                form.add(widget, nth, column)
        form.add(self.guard.dhcp, 3, 2, 2)
        form.add(self.guard.advertisements, 4, 2, 2)
        form.add(self.fits_path, 4, 0, 2)
        form.add(self.metered, 5, 0, 2)
        form.add(self.moves_rules, 6, 1, 3)
        form.add(label_for(tr("Confirmed by"), self.who), 7, 0)
        form.add(_line(0, self.who, self.within), 7, 1)
        form.add(self.verdict_label, 7, 2)
        form.add(_line(2, self.verdict, self.reason_label, self.reason), 7, 3)
        self.body.addLayout(row(self._replaced_icon, (self.replaced, 1)))
        self.show_replaced(None)
        self.body.addWidget(form)
        self.body.addLayout(row(self._word_icon, (self.word, 1)))

    # --- what is chosen -----------------------------------------------------------------------------------------------

    @property
    def pair(self) -> PairSpec | None:
        """The pair; None where there is none."""
        nth = self.pairs.currentIndex()
        return self._pairs[nth] if 0 <= nth < len(self._pairs) else None

    @property
    def key(self) -> Key | None:
        """Solution and suite."""
        suite = self.suite.currentData()
        return (str(self.solution.currentData()), str(suite)) if suite is not None else None

    @property
    def candidate(self) -> Candidate | None:
        """Result of the inspection; None before the first one."""
        return next((one for one in self._candidates if (one.solution, one.suite) == self.key), None)

    @property
    def options(self) -> DeploymentOptions:
        """The other settings."""
        a, b = self.lans[Side.A], self.lans[Side.B]
        candidate = self.candidate
        needs_reason = candidate is not None and candidate.verdict.needs_reason
        options = DeploymentOptions(
            bridge_a=a.bridge,
            bridge_b=b.bridge,
            inner_a=a.address.text().strip(),
            inner_b=b.address.text().strip(),
            confirm_within_s=float(self.within.value()) if self.who.currentData() else None,
            legacy_reason=self.reason.text().strip() if needs_reason else "",
            moves_lan_rules=self.moves_rules.isChecked() and bool(a.bridge or b.bridge),
            fits_path_mtu=self.fits_path.isChecked(),
            keepalive=Keepalive.METERED if self.metered.isChecked() else Keepalive.WIRED,
        )
        return self.guard.added_to(options)

    @property
    def refusal(self) -> str:
        """Why these settings cannot be deployed; empty where a dry run is possible."""
        if self.pair is None:
            return tr("There is no pair.")
        candidate = self.candidate
        if candidate is None:
            return tr("Inspect both hosts first: the choice depends on what they support.")
        if comparison_reason(candidate.solution):
            return tr("Choose another VPN.")
        if candidate.verdict in (Verdict.INSECURE, Verdict.UNPROTECTED):
            return tr("Choose another suite.")
        if candidate.verdict.needs_reason and not self.reason.text().strip():
            if candidate.verdict is Verdict.UNKNOWN:
                return tr(
                    "The policy does not know this suite: a justification is required. It is stored "
                    "with the deployment."
                )
            return tr("Legacy design: a justification is required. It is stored with the deployment.")
        return _refused(self.options)

    # --- what can be chosen -------------------------------------------------------------------------------------------

    def show_pairs(self, pairs: Sequence[PairSpec]) -> None:
        """Offer pairs; keep the selected one."""
        former = self.pair
        self._pairs = tuple(pairs)
        self.pairs.offer(((pair.name, pair.name) for pair in pairs), former.name if former is not None else "")
        if self.pair is None or former is None or self.pair.name != former.name:
            self._on_pair()

    def show_wanted(self, wanted: Wanted) -> None:
        """Fill in a preset, before the hosts have been inspected."""
        if wanted.pair.name not in {pair.name for pair in self._pairs}:
            self.show_pairs((*self._pairs, wanted.pair))
        self.pairs.setCurrentIndex(self.pairs.findText(wanted.pair.name))
        if any((one.solution, one.suite) == wanted.key for one in self._candidates):
            self.choose(wanted.key)
        else:
            self._candidates = ()
            solution, _, suite = local_title(wanted.title).partition(", ")
            self.solution.offer([(solution, wanted.key[0])])
            self.suite.offer([(suite or wanted.key[1], wanted.key[1])])
            self._show_offer()
        if wanted.options is not None:
            self._take_options(wanted.options)
        self._show_candidate()
        self.changed.emit()

    def show_found(self, candidates: Sequence[Candidate], ports: Sequence[LanPort]) -> None:
        """Offer what both hosts support; keep the selection where it is among it."""
        former = self.key
        self._candidates = tuple(candidates)
        self._show_offer()
        titles = {one.solution: local_title(one.title.partition(", ")[0]) for one in reversed(candidates)}
        self.solution.offer([(titles[name], name) for name in dict.fromkeys(one.solution for one in candidates)])
        keys = [(one.solution, one.suite) for one in candidates]
        safe = [(one.solution, one.suite) for one in candidates if one.is_deployable]
        self.choose(former if former in keys else next(iter(safe or keys), ("", "")))
        for side, lan in self.lans.items():
            lan.show_ports([one for one in ports if one.side is side], is_known=True)
        self._on_lan()

    def show_replaced(self, deployment: Deployment | None) -> None:
        """Show the deployment that would be replaced; None for none."""
        for widget in (self._replaced_icon, self.replaced):
            widget.setVisible(deployment is not None)
        if deployment is not None:
            self.replaced.setText(replaced_sentence(deployment))

    def forget_found(self) -> None:
        """Forget an inspection of another pair."""
        self._candidates = ()
        self._show_offer()
        for lan in self.lans.values():
            lan.show_ports((), is_known=False)
        self._show_joined()
        self._show_candidate()

    def preset_confirm(self, seconds: float) -> None:
        """Preselect the time to confirm, unless another one was entered."""
        if self.within.value() == self._preset_s:
            self.within.setValue(round(seconds))
            self._preset_s = round(seconds)

    def choose(self, key: Key) -> None:
        """Choose solution and suite."""
        self.solution.setCurrentIndex(self.solution.findData(key[0]))
        self._on_solution()
        self.suite.setCurrentIndex(max(0, self.suite.findData(key[1])))

    def _show_offer(self) -> None:
        """Offer VPNs only where it is known which of them both hosts can do."""
        for box in (self.solution, self.suite):
            enable(box, is_on=bool(self._candidates), reason=tr("Inspect both hosts first."))
        self.suite.setVisible(self.suite.count() > 0 or bool(self._candidates))

    def _take_options(self, options: DeploymentOptions) -> None:
        for lan in self.lans.values():
            inner = options.inner_a if lan.side is Side.A else options.inner_b
            lan.want(options.bridge(lan.side), inner)
        self.guard.want(options)
        self.who.setCurrentIndex(0)  # how long is for the settings to say, not for an earlier deployment
        self.reason.setText(options.legacy_reason)
        self.moves_rules.setChecked(options.moves_lan_rules)
        self.fits_path.setChecked(options.fits_path_mtu)
        self.metered.setChecked(options.keepalive is Keepalive.METERED)

    # --- what changes -------------------------------------------------------------------------------------------------

    def _on_pair(self) -> None:
        pair = self.pair
        for side, lan in self.lans.items():
            lan.show_host(pair.host(side).label if pair is not None else "")
        self.forget_found()
        self.changed.emit()

    def _on_lan(self) -> None:
        self._show_joined()
        self.changed.emit()

    def _show_joined(self) -> None:
        is_joined = any(lan.bridge for lan in self.lans.values())
        self.moves_rules.setVisible(is_joined)
        self.guard.show_joined(is_joined=is_joined)

    def _on_solution(self) -> None:
        own = [one for one in self._candidates if one.solution == self.solution.currentData()]
        if own:
            self.suite.offer([(local_title(one.title.partition(", ")[2]) or one.suite, one.suite) for one in own])
            for nth, one in enumerate(own):
                appearance = verdict_appearance(one.verdict)
                self.suite.setItemData(nth, f"{local_title(one.title)}: {appearance.word}", Qt.ItemDataRole.ToolTipRole)
            first = next((nth for nth, one in enumerate(own) if one.is_deployable), 0)
            self.suite.setCurrentIndex(first)
        self._on_suite()

    def _on_suite(self) -> None:
        self._show_candidate()
        self.changed.emit()

    def _on_who(self) -> None:
        enable(self.within, is_on=bool(self.who.currentData()), reason=tr("Tunnelmark confirms after verification."))
        self._show_candidate()
        self.changed.emit()

    def _show_candidate(self) -> None:
        candidate = self.candidate
        self.verdict.setVisible(candidate is not None)
        self.verdict_label.setVisible(candidate is not None)
        is_barred = candidate is not None and is_never(candidate)
        needs_reason = candidate is not None and candidate.verdict.needs_reason and not is_barred
        for widget in (self.reason, self.reason_label):
            widget.setVisible(needs_reason)
        if candidate is not None:
            self.verdict.show_appearance(verdict_appearance(candidate.verdict))
        if candidate is not None and is_barred:
            set_icon(self._word_icon, "error", "bad")
            self.word.setText(why_never(candidate))
        elif candidate is not None and needs_reason:
            set_icon(self._word_icon, "warning", "legacy")
            self.word.setText(deciding_words(candidate))
        else:
            set_icon(self._word_icon, "info", "accent")
            self.word.setText(self._confirming_words())

    def _confirming_words(self) -> str:
        if self.who.currentData():
            return tr(
                "The tunnel is set up and verified; you then have this long to confirm it. Otherwise both "
                "hosts roll back automatically."
            )
        return tr("Confirmed automatically once verified on both hosts; rolled back if verification fails.")


def _line(stretched: int, *widgets: QWidget) -> QWidget:
    layout = row(*widgets)
    layout.setStretch(stretched, 1)
    return holder(layout)


def _refused(options: DeploymentOptions) -> str:
    """Return why no pair of hosts could have these options; empty where one could."""
    try:
        check_options(options)
    except InvalidOption as error:
        return local_text(error.message)
    return ""
