"""A place that somebody else has changed since it was looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.deploy.ends import new_id
from app.deploy.kit import kit_dir
from app.deploy.lasting import LastingTransaction, Place, lasting_tunnel
from app.deploy.lasting_adapter import LastingAdapter
from app.deploy.opening import raise_if_held
from app.deploy.places import lasting_link, place_dir
from app.deploy.preflight import host_ends
from app.domain.adapters import Purpose
from app.domain.cancel import CancelToken
from app.domain.errors import PairLocked
from app.domain.link import STATE_DIR
from support.deploy_world import World, ignore_stage, make_world
from support.made_up_vpn import MadeUpVpn

SLOT = "58fca5ac"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = make_world(tmp_path)
    for host in made.hosts:
        host.make_etc()
    yield made
    for host in made.hosts:
        host.end_processes()


def transaction(world: World) -> LastingTransaction:
    request = replace(
        world.request,
        adapter=LastingAdapter(MadeUpVpn(interface="tml0"), kit_dir(STATE_DIR)),
        link=lasting_link(world.request.link, new_id(), 0),
        purpose=Purpose.LASTING,
        state_dir=STATE_DIR,
    )
    place = Place(request.link.run_dir.rpartition("-")[2], SLOT)
    return LastingTransaction(world.sessions, request, place, on_stage=ignore_stage, audit=None, lease_s=30)


def test_what_somebody_else_rolled_out_meanwhile_is_left_alone(world: World) -> None:
    current = world.b.path(f"{place_dir(SLOT)}/current")
    current.parent.mkdir(parents=True)
    current.write_text("0123456789abcdef\n")
    before = [host.etc_files() for host in world.hosts]
    with (
        pytest.raises(PairLocked, match=f"has meanwhile changed what is rolled out on {world.b.spec.label}"),
        lasting_tunnel(transaction(world), token=CancelToken()),
    ):
        pytest.fail("it went on")
    assert [host.etc_files() for host in world.hosts] == before
    assert [host.links for host in world.hosts] == [{"eth1"}, {"eth1"}]


def test_who_works_on_a_host_is_told(world: World) -> None:
    ends = host_ends(world.sessions, STATE_DIR)
    raise_if_held(ends, token=CancelToken())
    with (
        lasting_tunnel(transaction(world), token=CancelToken()),
        pytest.raises(PairLocked, match="has been working on"),
    ):
        raise_if_held(ends, token=CancelToken())
    raise_if_held(ends, token=CancelToken())
