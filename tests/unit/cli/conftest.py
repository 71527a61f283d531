"""A practice lab that is made up, for commands that measure studies."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
from fake_services import FakeServices

from app.cli import lab_study, studies
from app.cli.context import CommandContext
from app.domain.hosts import HostSpec, NodeHost

NODE = NodeHost(HostSpec("node-b", "192.0.2.9"), "eth1", "eth2")


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> FakeServices:
    """Services of the command line on a practice lab with nodes that is made up."""

    def call(self: FakeServices, name: str) -> None:
        if name in self.faults:
            raise self.faults.pop(name)

    monkeypatch.setattr(FakeServices, "_call", call)  # its own refuses the main thread, that of a window
    made = FakeServices(None)  # type: ignore[arg-type]
    pair = next(one.pair for one in made.pairs() if one.pair.is_lab)
    monkeypatch.setattr(CommandContext, "services", lambda _self: nullcontext(made))
    for module in (studies, lab_study):
        monkeypatch.setattr(module, "find_study_pair", lambda *_: replace(pair, node_a=NODE, node_b=NODE))
    return made
