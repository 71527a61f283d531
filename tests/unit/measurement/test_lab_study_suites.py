"""Results of studies with a run of their own that are of another suite than would be measured today."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from fake_studies import own_lab_result

from app.domain.hub_study import HubResult
from app.measurement.lab_studies import LabStudyOperations
from app.ranking.hub_study import HUB_STUDY, hub_cells
from app.ranking.node_study import NODE_STUDY, node_settings
from app.storage.lab_results import HubResults, NodeResults
from support.adapter_cases import facts
from vpn_adapters.registry import ADAPTERS, HUBS, NODE_PROTECTIONS, SESSION_HUBS


def discovery(*defaults: tuple[str, str]) -> Any:
    """Return what was found on two hosts of one kind."""
    return SimpleNamespace(facts={side: facts() for side in ("a", "b")}, defaults=defaults, unavailable={})


def operations() -> LabStudyOperations:
    """Return the operations with the adapters of the program."""
    found = LabStudyOperations()
    found.adapters, found.node_protections = ADAPTERS, NODE_PROTECTIONS
    found.hubs, found.session_hubs = HUBS, SESSION_HUBS
    return found


def test_a_hubs_result_of_another_suite_than_todays_is_left_and_that_of_a_missing_vpn_is_not() -> None:
    cells = {cell.solution: cell for cell in hub_cells(is_quick=True)}
    made = {
        "wireguard": "WireGuard with something else",
        "openvpn-udp": next(
            one.title for one in HUBS["openvpn-udp"].adapter(1).suites(facts(), facts()) if one.is_default
        ),
        "ipsec": "of hosts that had it",
    }
    stored = tuple(HubResult(cells[name], 8, suite=suite, value=3.0) for name, suite in made.items())
    results = HubResults(HUB_STUDY, "lab:x", "quick", "1", stored)
    found = discovery(("openvpn-udp", "aes-256-gcm"), ("wireguard", "chacha20-poly1305"))
    due = operations().todays_lab_results(results, found)
    assert {one.solution for one in results.done() - due.done()} == {"wireguard"}
    assert due.results == results.results, "each remains until there is a new one"


def test_a_setting_with_nodes_of_another_suite_than_todays_is_left() -> None:
    setting = node_settings()[0]
    stored = tuple(
        replace(own_lab_result((setting.name, number)), suite=suite) for number, suite in ((1, "former"), (2, ""))
    )
    results = NodeResults(NODE_STUDY, "lab:x", "quick", "1", stored)
    found = discovery(
        *((one.carrier, ADAPTERS[one.carrier].suites(facts(), facts())[0].name) for one in node_settings())
    )
    due = operations().todays_lab_results(results, found)
    assert results.done() - due.done() == {(setting.name, 1)}, "no suite is known of the other"
