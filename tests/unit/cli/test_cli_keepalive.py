"""Keepalive of a deployment at the command line: read, and shown where it is not the default."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import TypeVar, cast

import pytest
from fake_deployment_values import healthy_end
from rich.console import Console

from app.cli.context import CommandContext
from app.cli.deployments import _wanted
from app.cli.deployments_text import print_deployment, print_dry_run, print_status
from app.cli.parser import parse
from app.cli.sides import deployment_options
from app.cli.terminal import CleanConsole
from app.domain.deployment import DeploymentState, DryRun, EndpointDryRun
from app.domain.deployment_status import PairStatus
from app.domain.hosts import Side
from app.domain.keepalive import Keepalive
from app.domain.verdicts import Verdict
from app.services.wiring import Services
from support.stored_deployments import AT, DEPLOYMENT, PAIR

T = TypeVar("T")

METERED = replace(DEPLOYMENT, options=replace(DEPLOYMENT.options, keepalive=Keepalive.METERED))
ENDS = tuple(healthy_end(PAIR, side, DEPLOYMENT) for side in Side)
STATUS = PairStatus("north", AT, DEPLOYMENT, DeploymentState.CONFIRMED, *ENDS)
SIDE = EndpointDryRun(Side.A, "alpha", (), (), (), (), (), "tml0", "", "", 1500, None)
RUN = DryRun("north", "wireguard", "x", "WireGuard", Verdict.RECOMMENDED, (), SIDE, SIDE)


def text_of(show: Callable[[Console, T], None], value: T) -> str:
    out = io.StringIO()
    show(CleanConsole(file=out, width=200), value)
    return out.getvalue()


def test_it_is_wired_unless_another_is_asked_for() -> None:
    deploy = ["deploy", "north", "wireguard"]
    assert deployment_options(parse(deploy)).keepalive is Keepalive.WIRED
    assert deployment_options(parse([*deploy, "--keepalive", "metered"])).keepalive is Keepalive.METERED
    assert parse(["deploy", "north", "--again", "11"]).keepalive is None, "as the earlier one had it"
    export = ["export-config", "north", "wireguard", "--out", "out"]
    assert deployment_options(parse(export)).keepalive is Keepalive.WIRED
    assert deployment_options(parse([*export, "--keepalive", "metered"])).keepalive is Keepalive.METERED


@pytest.mark.parametrize("given", [None, *Keepalive])
def test_a_deployment_made_again_has_what_it_had_unless_another_is_given(
    given: Keepalive | None,
) -> None:
    more = [] if given is None else ["--keepalive", given.value]
    options = parse(["deploy", "north", "--again", METERED.id, *more])
    store = SimpleNamespace(get_deployment=lambda _id: METERED)
    context, services = SimpleNamespace(options=options), SimpleNamespace(store=store)
    _, chosen = _wanted(cast("CommandContext", context), cast("Services", services), PAIR)
    assert chosen.keepalive is (given or Keepalive.METERED)


def test_another_word_is_refused() -> None:
    with pytest.raises(SystemExit):
        parse(["deploy", "north", "wireguard", "--keepalive", "rarely"])


def test_a_metered_deployment_has_a_sentence_of_it_and_a_wired_one_none() -> None:
    status = replace(STATUS, deployment=METERED)
    wired = (text_of(print_deployment, DEPLOYMENT), text_of(print_status, STATUS), text_of(print_dry_run, RUN))
    metered = (
        text_of(print_deployment, METERED),
        text_of(print_status, status),
        text_of(print_dry_run, replace(RUN, keepalive=Keepalive.METERED)),
    )
    assert not any("Metered" in text for text in wired)
    assert all("Metered: while idle, the tunnel is probed" in text for text in metered)
