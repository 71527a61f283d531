"""The pair that the form of the hosts page describes, and how it is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from app.domain.errors import InvalidOption
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.pair_names import check_pair_name, suggest_pair_name
from app.domain.pairs import PairFault, PairField, Saving, pair_faults
from ui.common.basics import set_fault
from ui.common.dialogs import Question
from ui.common.texts import tr
from ui.comparison.host_form import HostForm


def read_pair(form_a: HostForm, form_b: HostForm, name: str, shown: PairSpec | None) -> PairSpec:
    """Return the pair that two forms describe.

    Args:
        form_a: The form of host A.
        form_b: The form of host B.
        name: What was entered as its name; empty means one made of the addresses.
        shown: The pair that the forms were filled with; None for a new one.

    Raises:
        InvalidOption: Something is missing or wrong; its fields are marked, and the first one has the focus.
    """
    forms = {Side.A: form_a, Side.B: form_b}
    a, b = form_a.spec(), form_b.spec()
    pair = PairSpec(name, a, b, form_a.underlay_text(), form_b.underlay_text())
    if shown is not None:
        pair = _with_unshown(pair, shown)
    # A field that is wrong by itself is not compared with the other host's.
    faults: dict[tuple[Side, PairField], PairFault] = {}
    for fault in pair_faults(pair):
        faults.setdefault((fault.side, fault.field), fault)
    for side in (Side.B, Side.A):  # the first field that is wrong has the focus
        if own := [fault for fault in faults.values() if fault.side is side]:
            forms[side].mark(own)
    if faults:
        if (Side.B, PairField.UNDERLAY) in faults and pair.underlay_a == pair.underlay_b:
            set_fault(form_a.underlay, is_wrong=True)  # either may be the wrong one
        first = next(iter(faults.values()))
        raise InvalidOption(first.message, hint=first.hint)
    pair = replace(pair, name=name or suggest_pair_name(a.address, b.address))
    if shown is None or pair.name != shown.name:
        check_pair_name(pair.name)  # a pair of an earlier version keeps its name
    return pair


def _with_unshown(pair: PairSpec, shown: PairSpec) -> PairSpec:
    """Return an entered pair with what the forms do not show of the pair that they were filled with."""
    has_same_hosts = _hosts(shown) == _hosts(pair)
    name = pair.name or suggest_pair_name(pair.a.address, pair.b.address)
    if has_same_hosts or name == shown.name:  # another pair with other hosts has others behind them
        pair = replace(pair, node_a=shown.node_a, node_b=shown.node_b)
    may_open = shown.may_open_firewall and has_same_hosts
    return replace(pair, load_cap_mbit_s=shown.load_cap_mbit_s, may_open_firewall=may_open)


def name_fault(name: str, shown: PairSpec | None) -> InvalidOption | None:
    """Return what is wrong with the name that was entered; None where it may be a pair's."""
    if not name or (shown is not None and name == shown.name):
        return None
    try:
        check_pair_name(name)
    except InvalidOption as error:
        return error
    return None


def saving_of(pair: PairSpec, shown: PairSpec | None, stored: PairSpec | None) -> Saving:
    """Return how an entered pair is stored.

    Args:
        pair: What was entered.
        shown: The pair that the forms were filled with; None for a new one.
        stored: The stored pair of the same name; None where none is known.

    Returns:
        REPLACE where other hosts than the user has seen would be lost: that is asked about.
    """
    is_same_name = shown is not None and shown.name == pair.name
    if stored is None:
        return Saving.UPDATE if is_same_name else Saving.ADD
    has_seen_it = shown is not None and is_same_name and _hosts(shown) == _hosts(stored)
    return Saving.UPDATE if has_seen_it or _hosts(pair) == _hosts(stored) else Saving.REPLACE


def ask_to_replace(parent: QWidget, pair: PairSpec, stored: PairSpec, then: Callable[[], None]) -> None:
    """Ask whether a stored pair is to get other hosts; call `then` where it is."""
    text = tr(
        "%1 is stored with the hosts %2 and %3. It gets the hosts that you entered; its comparisons and deployments "
        "remain under this name. To keep both pairs, cancel and enter another name.",
        *(pair.name, stored.a.address, stored.b.address),
    )
    title = tr("Replace the hosts of %1?", pair.name)
    Question(parent, title, text, tr("Replace"), tr("Cancel"), "warning").ask(then)


def _hosts(pair: PairSpec) -> tuple[HostSpec, HostSpec, str, str]:
    return replace(pair.a, label=""), replace(pair.b, label=""), pair.underlay_a, pair.underlay_b
