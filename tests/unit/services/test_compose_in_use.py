"""Commands on hosts that other work on this computer has in use: what is refused, and what remains possible."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_services import discovery
from sample_records import sample_record

from app.cli.exit_codes import ExitCode
from app.cli.main import main
from app.cli.messages import LAB_IN_USE_HINT
from app.deployment.slots import slot_of
from app.domain.cancel import CancelToken
from app.domain.census import CensusPlan
from app.domain.deployment import DeploymentOptions
from app.domain.errors import EnvironmentFault, HostUnreachable, PairLocked
from app.domain.events import CampaignStarted
from app.domain.hosts import HostSpec, Side
from app.domain.messages import fill
from app.domain.messages.lists import AND
from app.domain.paths import find_paths
from app.measurement.control import CampaignControl
from app.services.wiring import Services
from app.storage.in_use import InUse
from app.storage.messages import END_PROCESSES, HOLDER, HOST_IN_USE, HOSTS_IN_USE
from support.message_checks import has_message, shows
from support.other_process import holding
from support.pretended_lab import needs_ssh_keygen, pretended_labs, up
from support.stored_deployments import DEPLOYMENT, PAIR

FOUND = discovery(PAIR)
PLAN = replace(sample_record().plan, pair=PAIR)
CENSUS = CensusPlan(PAIR, (), (), 1, 1, allow_load=False)
KEY = ("wireguard", "chacha20-poly1305")
WORDS: dict[str, Any] = {"token": CancelToken(), "emit": lambda _event: None}


@pytest.fixture
def contacts() -> list[str]:
    """Hosts that were contacted."""
    return []


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contacts: list[str]) -> Iterator[Services]:
    """The real services, with a pair and a deployment of it; no host answers."""

    def away(_connector: object, spec: HostSpec, **_: object) -> None:
        contacts.append(spec.label)
        raise HostUnreachable(f"{spec.label} is away.")

    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setattr("app.ssh.SshConnector.open", away)
    made = Services(prompts=None)
    made.store.save_pair(PAIR)
    made.store.save_deployment(replace(DEPLOYMENT, slot=slot_of(PAIR)))
    yield made
    made.close()


REFUSED: dict[str, Callable[[Services], object]] = {
    "comparison": lambda one: one.run(FOUND, PLAN, control=CampaignControl(), emit=lambda _event: None),
    "resumed": lambda one: one.run(FOUND, PLAN, control=CampaignControl(), emit=lambda _event: None, resume_id=1),
    "census": lambda one: one.run_census(FOUND, CENSUS, **WORDS),
    "deploy": lambda one: one.deploy(FOUND, KEY, DeploymentOptions(), **WORDS),
    "again": lambda one: one.redeploy(DEPLOYMENT.id, **WORDS),
    "rotate": lambda one: one.rotate_keys(PAIR, **WORDS),
    "undeploy": lambda one: one.undeploy(PAIR, **WORDS),
    "only": lambda one: one.undeploy_one(PAIR, Side.B, **WORDS),
    "check": lambda one: one.refuse_if_in_use(PAIR),
    "install": lambda one: one.install_missing(
        PAIR, Side.B, (), token=CancelToken(), on_progress=lambda _text, _share: None
    ),
}
POSSIBLE: dict[str, Callable[[Services], object]] = {
    "confirm": lambda one: one.confirm(PAIR, **WORDS),
    "repair": lambda one: one.repair(PAIR, **WORDS),
    "unfinished": lambda one: one.remove_unfinished(PAIR, token=CancelToken()),
    "status": lambda one: one.status(PAIR, token=CancelToken()),
    "recover": lambda one: one.recover(PAIR, token=CancelToken()),
    "discover": lambda one: one.discover(PAIR, token=CancelToken(), on_progress=lambda _text, _share: None),
    "only A": lambda one: one.undeploy_one(PAIR, Side.A, **WORDS),
}


def fault_of(call: Callable[[Services], object], services: Services) -> EnvironmentFault | None:
    """Return what was in the way of a call."""
    try:
        call(services)
    except EnvironmentFault as fault:
        return fault
    return None


def test_work_is_refused_before_any_host_is_contacted_and_ways_out_are_not(
    services: Services, contacts: list[str]
) -> None:
    with holding(services.paths.in_use_dir, (PAIR.b,)):
        for name, call in REFUSED.items():
            with pytest.raises(PairLocked, check=has_message(HOST_IN_USE, hosts="beta")):
                call(services)
            assert contacts == [], name
        for name, call in POSSIBLE.items():
            contacts.clear()
            assert not isinstance(fault_of(call, services), PairLocked), name
            assert contacts, name
    assert services.store.list_campaigns(PAIR.name) == ()


def test_a_comparison_and_a_census_hold_both_hosts_by_their_number(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def holders() -> list[str]:
        return [one.what for one in InUse(services.paths.in_use_dir).users((PAIR.a, PAIR.b)).values()]

    def run(_kind: object, plan: object, _hosts: object, *, emit: Callable[[object], None], **_: object) -> None:
        seen.extend(holders())
        emit(CampaignStarted(12, plan, ()))

    monkeypatch.setattr(services, "sessions", lambda _pair, **_: None)
    monkeypatch.setattr("app.services.measuring.run_checked", run)
    services.run(FOUND, PLAN, control=CampaignControl(), emit=lambda _event: seen.extend(holders()))
    assert seen == ["a comparison"] * 2 + ["comparison 12"] * 2
    seen.clear()
    services.run_census(FOUND, CENSUS, token=CancelToken(), emit=lambda _event: seen.extend(holders()))
    assert seen == ["a census"] * 2 + ["census 12"] * 2
    assert holders() == []


def test_repair_may_deploy_beside_other_work(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.deployment.operations.DeploymentOperations.status", lambda *_, **__: None)
    monkeypatch.setattr(
        "app.deployment.operations.DeploymentOperations._clean", lambda one, *_, **__: one.undeploy(PAIR, **WORDS)
    )
    with services.in_use.hold((PAIR.a, PAIR.b), "a comparison"), ThreadPoolExecutor(1) as pool:
        assert isinstance(pool.submit(services.undeploy, PAIR, **WORDS).exception(), PairLocked)
        assert isinstance(pool.submit(services.repair, PAIR, **WORDS).exception(), HostUnreachable)


@pytest.mark.parametrize("line", ["compare north", "census north --solutions tinc", "deploy north wireguard"])
def test_a_command_says_what_runs_where_since_when_and_what_to_do(
    line: str, services: Services, contacts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with holding(services.paths.in_use_dir, (PAIR.a, PAIR.b)) as other:
        assert main(line.split()) == ExitCode.FAILED
    reported = capsys.readouterr().err
    owner = fill(HOLDER.text, {"what": "comparison 3", "pid": other.pid})
    assert shows(reported, HOSTS_IN_USE.text, hosts=AND(first="alpha", last="beta"), owner=owner)
    assert shows(reported, HOSTS_IN_USE.hint)
    assert shows(reported, END_PROCESSES.text, pids=other.pid)
    named = re.findall(rf"\b(?:process|kill) {other.pid}\b", reported)  # the date may hold the same digits
    assert len(named) == 2, "once as its process, once to end it"
    assert "age_s" not in reported
    assert contacts == []


def test_an_alias_of_ssh_is_the_host_that_a_connection_goes_to(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / ".ssh").mkdir()
    config = tmp_path / ".ssh" / "config"
    config.write_text(
        "Host gw\n HostName 10.0.0.9\n Port 2222\nHost far\n HostName 10.0.0.9\n Port 2222\n ProxyJump hop\n"
    )
    alias, far, same = HostSpec("gw", "gw"), HostSpec("far", "far"), HostSpec("nine", "10.0.0.9", 2222)
    with services.in_use.hold((alias,), "a comparison"), ThreadPoolExecutor(1) as pool:
        assert list(pool.submit(services.in_use.users, (same, HostSpec("ten", "10.0.0.9"), far)).result()) == [same]
        config.write_bytes(b"Port \xff")
        assert pool.submit(services.in_use.users, (PAIR.a,)).result() == {}, "connecting reports such a file"


@needs_ssh_keygen
def test_lab_down_refuses_a_lab_in_use_unless_it_is_forced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    labs = pretended_labs(tmp_path, monkeypatch)
    lab = up(labs)
    with holding(find_paths().in_use_dir, (lab.pair.b,)) as other:
        assert main(["lab", "down", "--name", "one"]) == ExitCode.FAILED
        reported = " ".join(capsys.readouterr().err.split())
        assert shows(reported, HOLDER.text, what="comparison 3", pid=other.pid)
        assert LAB_IN_USE_HINT(name="one") in reported
        assert labs.find("one") is not None
        assert main(["lab", "down", "--name", "one", "--force"]) == ExitCode.OK
        assert labs.find("one") is None
        up(labs)
    assert main(["lab", "down", "--name", "one"]) == ExitCode.OK
