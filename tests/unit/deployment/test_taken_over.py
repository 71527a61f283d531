"""A database and two hosts that an earlier version left, its deployment confirmed, are taken over by this one.

Recorded with the version of 22 November 2026 (9a1a180, database format 4) on two made-up hosts, whose folder is
`@ROOT@` in what was recorded. The hosts have been restarted since: all that runs was started by the earlier scripts.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.cli.deployments import status_code
from app.cli.exit_codes import ExitCode
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentState
from app.storage import Store
from app.storage.codec import to_data
from app.storage.database import APPLICATION_ID, read_migrations
from support.deploy_world import World, assert_untouched, shell_of
from support.deployment_world import SLOT, current, deployment_world, place_on, wait_until_watched
from support.made_up_deployment import Operations, deploy_and_keep, inspect
from support.made_up_host import LocalHost
from support.waiting import INSPECTIONS_S, wait_until

RECORDED = Path(__file__).parents[2] / "support" / "earlier_version"
HOSTS: dict[str, dict[str, tuple[str, str]]] = json.loads((RECORDED / "hosts.json").read_text())
SQL = (RECORDED / "store.sql").read_text()
FORMAT = 4
DEPLOYMENT_ID = "c876adf5b352484c"


def leave_files(host: LocalHost) -> None:
    """Give a host what the earlier version left in its /etc, with checksums for the host's folder of now."""
    sums = []
    folder = place_on(host) / DEPLOYMENT_ID
    for name, (mode, text) in {**HOSTS["both"], **HOSTS[host.side.value]}.items():
        path = host.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("@ROOT@", str(host.root)).replace("/proc/uptime", str(host.root / "uptime")))
        path.chmod(int(mode, 8))
        if path.is_relative_to(folder):
            sums.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  ./{path.relative_to(folder)}\n")
    (folder / "sums").write_text("".join(sums))


@pytest.fixture
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with deployment_world(tmp_path / "world", shell_of(request)) as made:
        for host in made.hosts:
            leave_files(host)
            host.shell_run("sh", f"/etc/init.d/S99tunnelmark-{SLOT}", "start")
        for host in made.hosts:
            wait_until_watched(host)
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    path = tmp_path / "tunnelmark.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(SQL)
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    with Store.open(path) as opened:
        assert len(read_migrations()) > FORMAT
        yield opened


def stored_then() -> dict[str, Any]:
    """Return the deployment as the earlier version stored it."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SQL)
        found: dict[str, Any] = json.loads(connection.execute("SELECT body FROM deployment").fetchone()[0])
        return found


def has_kept(now: object, then: object) -> bool:
    """Whether a value holds all that it held then; fields may have been added."""
    if isinstance(then, dict) and isinstance(now, dict):
        return all(name in now and has_kept(now[name], value) for name, value in then.items())
    if isinstance(then, list) and isinstance(now, list):
        return len(now) == len(then) and all(map(has_kept, now, then))
    return now == then


def test_the_stored_deployment_is_there_without_loss(store: Store) -> None:
    (one,) = store.list_deployments("pair")
    assert (one.id, one.state) == (DEPLOYMENT_ID, DeploymentState.CONFIRMED)
    then = stored_then()
    assert len(then) > 10
    now = json.loads(json.dumps(to_data(one)))
    assert [name for name, value in then.items() if not has_kept(now.get(name), value)] == []
    log = store.list_audit()
    assert len(log) == SQL.count('INSERT INTO "audit"') > 20
    assert store.check_audit().broken_at is None
    assert {one.deployment for one in log} == {DEPLOYMENT_ID}


def test_its_status_is_read(world: World, store: Store) -> None:
    wait_until(lambda: inspect(world, store).is_healthy, "the tunnel", interval_s=INSPECTIONS_S)
    status = inspect(world, store)
    assert status.deployment is not None
    assert (status.deployment.id, status.state) == (DEPLOYMENT_ID, DeploymentState.CONFIRMED)
    assert (status.is_healthy, status_code(status)) == (True, ExitCode.OK)
    assert (status.a.drift, status.b.drift) == ((), ())


def test_it_is_removed_from_both_hosts(world: World, store: Store) -> None:
    ended = Operations(world, store).undeploy(world.request.pair, token=CancelToken(), emit=lambda _event: None)
    assert (ended.id, ended.state) == (DEPLOYMENT_ID, DeploymentState.REMOVED)
    for host in world.hosts:
        assert [name for name in host.etc_files() if "tunnelmark" in name] == []
    assert_untouched(world)
    assert inspect(world, store).state is None


def test_another_deployment_replaces_it(world: World, store: Store) -> None:
    again = deploy_and_keep(world, store)
    assert again.state is DeploymentState.CONFIRMED
    for host in world.hosts:
        assert current(host) == again.id
        assert not (place_on(host) / DEPLOYMENT_ID).exists()
    assert store.get_deployment(DEPLOYMENT_ID).state is DeploymentState.REPLACED
    wait_until(lambda: inspect(world, store).is_healthy, "the new tunnel", interval_s=INSPECTIONS_S)
