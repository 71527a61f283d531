"""A user with nothing but the sudoers file that Tunnelmark prints: everything works, and nothing else is allowed.

On hosts made of namespaces; in `make test-full` on the practice lab's gateways as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import Command, FileToWrite
from app.domain.deployment import DeploymentState
from app.domain.hosts import Privilege
from app.export.sudoers import sudoers_text
from support.lab_deploy import Bench, wait_until_as_before
from support.lab_deployment import desk_for
from support.lab_sessions import connected, sh

FILE = "/etc/sudoers.d/tunnelmark-plain"


@pytest.fixture(scope="module")
def bench(hosts_or_gateways: Bench) -> Bench:
    return hosts_or_gateways


@pytest.fixture
def allowed(bench: Bench) -> Iterator[None]:
    """Put the file in place on both hosts, as its comments say, for one test."""
    root = bench.sessions
    for host in (root.a, root.b):
        host.write_files([FileToWrite("/run/plain.sudoers", sudoers_text("plain", "1").encode())], token=CancelToken())
        assert "parsed OK" in sh(host, "visudo -cf /run/plain.sudoers")
        sh(host, f"install -o root -g root -m 0440 /run/plain.sudoers {FILE} && rm /run/plain.sudoers && visudo -c")
    yield
    for host in (root.a, root.b):
        sh(host, f"rm {FILE}")


def test_discovery_a_deployment_its_state_and_its_undo_work(bench: Bench, allowed: None, tmp_path: Path) -> None:
    with desk_for(bench.pair, tmp_path, "plain") as desk:
        facts = desk.found.a.facts, desk.found.b.facts
        assert [(one.user, one.privilege) for one in facts] == [("plain", Privilege.SUDO)] * 2
        before = bench.inspect()
        assert desk.deploy(bench.any_solution).state is DeploymentState.CONFIRMED
        desk.wait_until_healthy()
        status = desk.status()
        assert [end.drift for end in (status.a, status.b)] == [(), ()]
        assert desk.undeploy().state is DeploymentState.REMOVED
        wait_until_as_before(bench.sessions, before)


def test_no_other_program_may_be_started(bench: Bench, allowed: None, tmp_path: Path) -> None:
    with connected(bench.pair, tmp_path, "plain") as plain:
        for argv in (("ip", "link"), ("cat", "/etc/shadow"), ("bash", "-c", "true"), ("/tmp/sh",)):
            result = plain.a.run(Command(("sudo", "-n", "--", *argv)), token=CancelToken())
            assert result.exit_status == 1, argv
            assert result.stdout == ""
        assert plain.a.run(Command(("sudo", "-n", "--", "true")), token=CancelToken()).is_ok
