"""There is one supervisor of a side of a tunnel, however many are started, and none once it was removed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.deployment.slots import slot_dir
from support.deploy_world import World, shell_of
from support.deployment_world import (
    DEPLOYED_LINKS,
    SLOT,
    current,
    deploy_and_confirm,
    deployment_world,
    remove,
    run_dirs,
    state_of,
    wait_until_watched,
)
from support.made_up_host import LocalHost
from support.waiting import wait_until

START = f"{slot_dir(SLOT)}/start.sh"


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with deployment_world(tmp_path, shell_of(request)) as made:
        yield made


def watchers(host: LocalHost) -> list[int]:
    """Return the processes that watch, without what they start."""
    parents: dict[int, int] = {}
    for pid in host.processes():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if b"run" in words and any(word.endswith(b"/lasting.sh") for word in words):
            parents[pid] = int(parent)
    return [pid for pid, parent in parents.items() if parent not in parents]


def post_of(host: LocalHost) -> Path:
    return host.path(f"/run/tunnelmark-{current(host)}/.lasting/watcher")


def start_another(host: LocalHost, first: int) -> None:
    """Start one that finds the post empty, as if both had checked at the same moment.

    The first one sleeps deeply meanwhile, and afterwards: it would take its post again.
    """
    os.kill(first, signal.SIGSTOP)
    post_of(host).unlink()
    assert host.shell_run("sh", START, "return").returncode == 0
    wait_until(post_of(host).exists, "the other watcher")


def test_of_two_that_were_started_at_the_same_moment_one_goes(world: World) -> None:
    deploy_and_confirm(world)
    wait_until_watched(world.a)
    (first,) = watchers(world.a)
    start_another(world.a, first)
    os.kill(first, signal.SIGCONT)
    world.a.wake(lambda: first not in watchers(world.a), "the first one to go")
    assert len(watchers(world.a)) == 1
    assert state_of(world.a).is_watched
    assert world.a.links == DEPLOYED_LINKS


def test_what_was_rolled_back_is_not_started_again_by_one_that_no_one_knew_of(world: World) -> None:
    deploy_and_confirm(world)
    wait_until_watched(world.a)
    (first,) = watchers(world.a)
    start_another(world.a, first)
    assert remove(world).is_complete
    assert run_dirs(world.a) == []
    os.kill(first, signal.SIGCONT)
    world.a.wake(lambda: watchers(world.a) == [], "the forgotten one to go")
    assert (world.a.links, run_dirs(world.a)) == ({"eth1"}, [])


def test_who_has_lost_its_post_takes_it_again(world: World) -> None:
    deploy_and_confirm(world)
    wait_until_watched(world.a)
    (first,) = watchers(world.a)
    post_of(world.a).unlink()
    post = post_of(world.a)
    world.a.wake(lambda: post.exists() and post.read_text() != "", "the post")
    assert post.read_text().split(":")[0] == str(first)
    assert watchers(world.a) == [first]
