"""`--open-firewall`: the consent that firewalls are opened, on the command line and for the pair."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli.context import CommandContext
from app.cli.main import main
from app.cli.pair_option import find_pair
from app.cli.parser import parse
from app.services.wiring import open_services


def consent(*words: str) -> tuple[bool, bool]:
    """Return whether a command may open firewalls, and what is remembered of the pair then."""
    context = CommandContext.of(parse(words))
    with open_services(None) as services:
        used = find_pair(context, services).may_open_firewall
        return used, services.known_pair("north").may_open_firewall


@pytest.mark.parametrize("words", [("compare", "north"), ("census", "north"), ("deploy", "north", "wireguard")])
def test_consent_is_remembered_until_it_is_rolled_back(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    add = ("pair", "add", "north", "--a", "root@10.0.0.1", "--b", "root@10.0.0.2", "--underlay", "192.0.2.1,192.0.2.2")
    assert main(add) == 0
    assert consent(*words) == (False, False)
    if "census" not in words:
        assert consent(*words, "--open-firewall", "--dry-run") == (True, False)
    assert consent(*words, "--open-firewall") == (True, True)
    assert consent(*words) == (True, True)
    assert consent(*words, "--no-open-firewall") == (False, False)
    assert consent(*words) == (False, False)
