"""A watcher that is only just starting when its tunnel is taken down: it cannot be found then."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.deployment.slots import slot_dir
from app.domain.link import STATE_DIR
from support.deploy_world import World, shell_of
from support.deployment_world import (
    DEPLOYED_LINKS,
    SLOT,
    deploy_and_confirm,
    deployment_world,
    place_on,
    run_dirs,
    wait_until_watched,
)
from support.waiting import wait_until


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with deployment_world(tmp_path, shell_of(request)) as made:
        yield made


def test_it_gives_way_to_the_one_that_replaces_it_and_comes_with_the_tunnel_again(world: World) -> None:
    host = world.a
    deploy_and_confirm(world)
    wait_until_watched(host)
    start = f"{slot_dir(SLOT)}/start.sh"
    host.path(STATE_DIR).mkdir()
    assert host.shell_run("sh", start, "aside").returncode == 0
    # As if it had been started before, and were only now coming to its post. It does not return where it watches.
    assert host.shell_run("sh", start, "boot").returncode == 0
    assert (host.links, run_dirs(host)) == ({"eth1"}, ["tunnelmark"])

    assert host.shell_run("sh", start, "return").returncode == 0
    wait_until_watched(host)
    assert host.links == DEPLOYED_LINKS


def test_it_gives_way_where_its_deployment_counts_no_more(world: World) -> None:
    host = world.a
    deployment_id, _ = deploy_and_confirm(world)
    wait_until_watched(host)
    assert host.shell_run("sh", f"{slot_dir(SLOT)}/start.sh", "aside").returncode == 0
    (place_on(host) / "current").write_text("0123456789abcdef\n")
    assert host.shell_run("sh", f"{slot_dir(SLOT)}/{deployment_id}/lasting.sh", "run").returncode == 0
    assert (host.links, run_dirs(host)) == ({"eth1"}, [])


def test_it_removes_nothing_where_its_deployment_is_replaced_meanwhile(world: World) -> None:
    host = world.a
    deployment_id, _ = deploy_and_confirm(world)
    wait_until_watched(host)
    start = f"{slot_dir(SLOT)}/start.sh"
    script, begun, gate = host.path(start), host.root / "begun", host.root / "gate"
    text = script.read_text()
    stop = f": > {begun}; until [ -e {gate} ]; do sleep 0.1; done\n"
    assert text.count("        boot)\n") == 1
    slow = host.path(f"{slot_dir(SLOT)}/slow.sh")
    slow.write_text(text.replace("        boot)\n", f"        boot)\n{stop}"))
    host.path(STATE_DIR).mkdir()
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(host.shell_run, "sh", f"{slot_dir(SLOT)}/slow.sh", "boot")
        wait_until(begun.exists, "a start that has read which deployment counts")
        assert host.shell_run("sh", start, "aside").returncode == 0
        # What is replaced gets its files before its name.
        other = place_on(host) / "0123456789abcdef"
        other.mkdir()
        gate.touch()
        assert late.result(120).returncode == 0
    assert other.is_dir()
    assert (place_on(host) / deployment_id / "lasting.sh").is_file()
