"""An earlier deployment, deployed again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.deployment.again import OptionChanges, chosen_again
from app.deployment.choice import check_options
from app.deployment.slots import slot_of
from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidOption
from app.domain.keepalive import Keepalive
from app.domain.messages.inputs import AGAIN_OF_OTHER_PAIR, NO_LAN_PORT
from support.message_checks import has_message
from support.stored_deployments import DEPLOYMENT, PAIR

EARLIER = replace(
    DEPLOYMENT,
    slot=slot_of(PAIR),
    options=DeploymentOptions(bridge_a="eth2", moves_lan_rules=True, legacy_reason="r", confirm_within_s=90.0),
)


def test_it_has_the_same_solution_and_options_but_for_the_time_to_confirm() -> None:
    key, options = chosen_again(EARLIER, PAIR, OptionChanges(), confirm_within_s=45.0)

    assert key == (EARLIER.solution, EARLIER.suite)
    assert options == replace(EARLIER.options, confirm_within_s=45.0)


def test_changes_replace_what_they_name_false_among_them() -> None:
    changes = OptionChanges(moves_lan_rules=False, fits_path_mtu=True, keepalive=Keepalive.METERED)

    _, options = chosen_again(EARLIER, PAIR, changes, confirm_within_s=None)

    assert options == replace(
        EARLIER.options,
        moves_lan_rules=False,
        fits_path_mtu=True,
        keepalive=Keepalive.METERED,
        confirm_within_s=None,
    )


def test_a_pair_of_the_same_hosts_may_have_another_name_and_other_hosts_may_not() -> None:
    renamed = replace(PAIR, name="south")
    assert chosen_again(EARLIER, renamed, OptionChanges(), confirm_within_s=None)[0][0] == EARLIER.solution
    other = replace(renamed, underlay_a="192.0.2.9", a=replace(PAIR.a, address="10.0.0.9"))

    with pytest.raises(InvalidOption, check=has_message(AGAIN_OF_OTHER_PAIR, pair="south", of="north")):
        chosen_again(EARLIER, other, OptionChanges(), confirm_within_s=None)


def test_rules_that_were_to_move_without_a_lan_port_are_no_reason_to_refuse_it() -> None:
    stored = replace(EARLIER, options=DeploymentOptions(moves_lan_rules=True))
    assert not chosen_again(stored, PAIR, OptionChanges(), confirm_within_s=None)[1].moves_lan_rules
    asked = chosen_again(stored, PAIR, OptionChanges(moves_lan_rules=True), confirm_within_s=None)[1]
    with pytest.raises(InvalidOption, check=has_message(NO_LAN_PORT)):
        check_options(asked)
