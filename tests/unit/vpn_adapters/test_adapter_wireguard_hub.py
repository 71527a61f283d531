"""A hub of WireGuard: keys made on their hosts, none on a command line, and steps that are undone."""

from __future__ import annotations

import base64

import pytest

from app.domain.adapters import PublicIdentity
from app.domain.errors import CommandFailed, InvalidPlan
from app.domain.hosts import Side
from app.domain.hubs import MAX_CLIENTS, FloodRequest
from app.tunnel.hub_clients import HubClients
from app.tunnel.messages import TOO_MANY_CLIENTS
from support.adapter_cases import facts, request, result
from support.message_checks import has_message
from vpn_adapters.registry import HUBS
from vpn_adapters.shared.wireguard.protocol import has_kem

HUB = HUBS["wireguard"]
KEYS = [base64.b64encode(bytes([n]) * 32).decode() for n in range(1, 4)]


def test_each_client_has_a_key_of_its_own_and_an_address_that_no_other_one_may_use() -> None:
    adapter = HUB.adapter(3)
    identity = adapter.parse_identity({"client-keys": result("\n".join(KEYS))})
    assert identity == PublicIdentity({f"client-{n}": key for n, key in enumerate(KEYS, start=1)})
    asked = request(adapter, adapter.suites(facts(), facts())[0])
    plan = HubClients(3).extend(adapter.plan(asked), asked.link)
    peers = next(one for one in plan.a.files if one.path.endswith("hub-peers.conf")).content.decode()
    assert peers.count("[Peer]") == 3
    assert [f"AllowedIPs = 198.18.0.{n}/32" in peers for n in (11, 12, 13)] == [True] * 3
    for side in Side:
        assert all(step.undo is not None for step in plan.on(side).steps)
        assert all(file.mode == 0o600 for file in plan.on(side).files)
        recipe = adapter.identity(asked, side)
        assert len(recipe.steps) == 1
        assert not recipe.shared


def test_a_hub_has_no_key_that_is_derived_for_a_pair() -> None:
    (suite,) = HUB.adapter(3).suites(facts(), facts())
    assert suite.is_default
    assert not has_kem(suite)


@pytest.mark.parametrize("printed", ["", "\n".join(KEYS[:2]), "\n".join([*KEYS[:2], "not a key"]), KEYS[0] * 3])
def test_other_than_so_many_keys_are_refused(printed: str) -> None:
    with pytest.raises(CommandFailed):
        HUB.adapter(3).parse_identity({"client-keys": result(printed)})


def test_a_flood_names_files_with_keys_and_no_key() -> None:
    adapter = HUB.adapter(3)
    link = request(adapter, adapter.suites(facts(), facts())[0]).link
    words = HUB.flood(link, 3, FloodRequest(26.91, 60)).argv
    assert link.run_dir in words
    assert "26.9100" in words
    assert all(len(word) != 44 for word in words)


@pytest.mark.parametrize("count", [0, MAX_CLIENTS + 1])
def test_no_more_clients_than_addresses(count: int) -> None:
    adapter = HUB.adapter(1)
    asked = request(adapter, adapter.suites(facts(), facts())[0])
    with pytest.raises(InvalidPlan, check=has_message(TOO_MANY_CLIENTS)):
        HubClients(count).extend(adapter.plan(asked), asked.link)
