from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.domain.hosts import HostSpec, PairSpec, Side
from ui.comparison.host_form import HostForm


@pytest.mark.parametrize("ports", [(None, 2222), (2223, 2222), (None, 22)])
def test_another_address_takes_the_name_with_it(qtbot: QtBot, ports: tuple[int | None, int | None]) -> None:
    """Whatever distinguished hosts of one address."""
    pair = PairSpec("north", *(HostSpec("gw", "gw", port) for port in ports), "192.0.2.1", "192.0.2.2")
    form = HostForm(Side.A)
    qtbot.addWidget(form)
    form.show_spec(pair.a, pair.underlay_a, is_fixed=False)
    assert pair.a.label != "gw"
    assert form.spec().label == "gw", "the pair tells them apart"
    form.address.setText("other")
    assert form.spec().label == "other"
