"""The lab menu's half of the services: what runs, what uses it, starting and stopping."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sample_records import facts, sample_record

from app.cli import labs
from app.cli.exit_codes import ExitCode
from app.cli.terminal import CleanConsole
from app.domain.cancel import CancelToken
from app.domain.deployment import DeploymentState
from app.domain.errors import Cancelled, InvalidOption, LabFault, NotFound
from app.domain.hosts import Side
from app.domain.paths import Paths
from app.domain.practice_labs import LabChoice
from app.domain.results import CampaignStatus
from app.lab import Lab, LabSpec
from app.lab.desk import LabOperations
from app.lab.messages import ITS_LAB_WAS_STOPPED, LAB_IN_USE, UNTIL_CLOSED, UNTIL_STOPPED
from app.lab.practice_labs import Labs
from app.lab.users import connected_users, user_of
from app.storage import Store
from app.storage.messages import HOLDER
from support.lab_power import power_off
from support.message_checks import shows
from support.other_process import holding
from support.pretended_lab import PretendedLabs, assert_nothing_is_left, needs_ssh_keygen, pretended_labs
from support.stored_deployments import deployment
from support.waiting import wait_until

pytestmark = needs_ssh_keygen

CHOICE = LabChoice("one", "debian-13", "debian-11", has_aes=False, is_detached=True)


class Desk(LabOperations):
    def __init__(self, lab_service: Labs, store: Store) -> None:
        self.lab_service, self.store = lab_service, store


def _ignore(_text: str, _fraction: float | None) -> None:
    pass


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretendedLabs:
    return pretended_labs(tmp_path, monkeypatch)


@pytest.fixture
def desk(tmp_path: Path, manager: PretendedLabs) -> Iterator[Desk]:
    labs = Labs(Paths(data_dir=tmp_path, cache_dir=tmp_path / "cache", labs_dir=tmp_path / "labs"))
    labs.manager = manager
    with Store.open(tmp_path / "t.db") as store:
        yield Desk(labs, store)
    for status in manager.status():
        manager.down(status.name)


def _start(desk: Desk, choice: LabChoice = CHOICE) -> Lab:
    desk.start_chosen_lab(choice, token=CancelToken(), on_progress=_ignore)
    lab = desk.lab_service.manager.find(choice.name)
    assert lab is not None
    return lab


def test_a_lab_is_started_as_chosen_reported_and_stopped(desk: Desk, tmp_path: Path) -> None:
    assert desk.lab_details() == ()
    _start(desk)
    [found] = desk.lab_details()
    assert (found.name, found.pair_name, found.is_up, found.is_starting) == ("one", "lab:one", (True, True), False)
    assert found.kind == "debian-13 and debian-11, CPU without AES instructions"
    assert found.lasts == UNTIL_STOPPED()
    assert found.login(Side.B) == "tunnelmark lab ssh B --name one"
    power_off(desk.lab_service.manager, "one", Side.B)
    assert desk.lab_details()[0].is_up == (True, False)
    desk.stop_lab("one", ())
    assert desk.lab_details() == ()
    assert_nothing_is_left(tmp_path / "labs")
    with pytest.raises(NotFound):
        desk.stop_lab("one", ())


def test_an_own_lab_ends_with_this_process_and_another_does_not(desk: Desk) -> None:
    _start(desk)
    _start(desk, replace(CHOICE, name="two", is_detached=False))
    assert [lab.lasts for lab in desk.lab_details()] == [UNTIL_STOPPED(), UNTIL_CLOSED()]
    desk.lab_service.close()
    assert [lab.name for lab in desk.lab_details()] == ["one"]


def test_an_own_lab_that_was_stopped_is_not_stopped_again_when_another_has_its_name(desk: Desk) -> None:
    _start(desk, replace(CHOICE, is_detached=False))
    desk.stop_lab("one", ())
    _start(desk)
    desk.lab_service.close()
    assert [lab.name for lab in desk.lab_details()] == ["one"]


def test_a_restarted_lab_is_of_the_same_kind_and_lasts_as_long(desk: Desk) -> None:
    before = _start(desk)
    desk.restart_lab("one", (), token=CancelToken(), on_progress=_ignore)
    after = desk.lab_service.manager.find("one")
    assert after is not None
    assert (after.spec, after.owner_pid) == (before.spec, None)
    assert after.since > before.since
    with pytest.raises(NotFound):
        desk.restart_lab("two", (), token=CancelToken(), on_progress=_ignore)


def test_a_name_that_is_taken_or_not_allowed_is_refused(desk: Desk) -> None:
    _start(desk)
    for name in ("one", "a b", "debian-13"):
        with pytest.raises(InvalidOption):
            _start(desk, replace(CHOICE, name=name))


def test_a_cancelled_start_leaves_nothing(desk: Desk, manager: PretendedLabs, tmp_path: Path) -> None:
    manager.behave("hangs")
    token = CancelToken()

    def cancel(text: str, _fraction: float | None) -> None:
        if "log in" in text.lower() or "boot" in text.lower():
            token.cancel()

    with pytest.raises((Cancelled, LabFault)) as ended:
        desk.start_chosen_lab(CHOICE, token=token, on_progress=cancel)
    assert isinstance(ended.value, Cancelled)
    assert_nothing_is_left(tmp_path / "labs")


def test_nothing_uses_a_new_lab(desk: Desk) -> None:
    _start(desk)
    assert desk.lab_uses("one") == ()
    with pytest.raises(NotFound):
        desk.lab_uses("two")


def test_a_lab_of_another_process_is_used_by_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = _start(desk)
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", "print(1, flush=True); input()"], stdin=pipe, stdout=pipe) as other:
        assert other.stdout is not None
        assert other.stdout.readline(), "until then it is a copy of this process"
        monkeypatch.setattr(desk, "_lab", lambda _name: replace(lab, owner_pid=other.pid))
        assert [f"Process {other.pid} (" in use for use in desk.lab_uses("one")] == [True]
        monkeypatch.setattr(desk, "_lab", lambda _name: replace(lab, owner_pid=os.getpid()))
        assert desk.lab_uses("one") == ()
        other.communicate(b"\n")


def test_other_work_that_holds_a_host_uses_the_lab_and_work_of_this_process_is_known(
    desk: Desk, tmp_path: Path
) -> None:
    lab = _start(desk)
    with desk.lab_service.in_use.hold((lab.pair.a,), "a comparison"):
        assert desk.lab_uses("one") == ()
    with holding(tmp_path / "in-use", (lab.pair.b,)) as other:
        [use] = desk.lab_uses("one")
        assert shows(use, LAB_IN_USE.text)
        assert shows(use, HOLDER.text, what="comparison 3", pid=other.pid)
        assert desk.stop_lab("one", ()) == (use,)
        assert desk.stop_lab("one", (use,)) == ()


CLIENT = (
    "import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); print(1, flush=True); input()"
)


def test_a_process_with_a_connection_uses_the_lab(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = _start(desk)
    with socket.create_server(("127.0.0.1", 0)) as gateway:
        port = gateway.getsockname()[1]
        monkeypatch.setattr(desk, "_lab", lambda _name: replace(lab, ports={Side.A: port, Side.B: 1}))
        own = socket.create_connection(("127.0.0.1", port))
        assert desk.lab_uses("one") == ()  # connections of this process are no use by themselves
        pipe = subprocess.PIPE
        with subprocess.Popen([sys.executable, "-c", CLIENT, str(port)], stdin=pipe, stdout=pipe) as other:
            assert other.stdout is not None
            assert other.stdout.readline()
            [use] = desk.lab_uses("one")
            assert f"Process {other.pid} ({Path(sys.executable).name} -c" in use
            assert [user.pid for user in connected_users([port])] == sorted([os.getpid(), other.pid])
            other.communicate(b"\n")
        wait_until(lambda: desk.lab_uses("one") == (), "the connection to end")
        own.close()


def test_a_process_that_is_gone_has_no_command() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    assert user_of(gone.pid).message() == f"process {gone.pid}"


@pytest.mark.parametrize("name", ["lab:one", "lab:A=debian-13,B=debian-11"])
def test_a_running_comparison_uses_the_lab_that_it_is_on_and_no_other_of_its_kind(desk: Desk, name: str) -> None:
    lab = _start(desk)
    _start(desk, replace(CHOICE, name="two"))
    plan = sample_record().plan
    both = {"a": facts(), "b": facts("gw-b")}
    number = desk.store.create_campaign(replace(plan, pair=replace(lab.pair, name=name)), both, "0.1.0")
    [use] = desk.lab_uses("one")
    assert name in use
    assert desk.lab_uses("two") == ()
    assert desk.stop_lab("one", ()) == (use,)
    assert desk.restart_lab("one", (), token=CancelToken(), on_progress=_ignore) == (use,)
    assert {one.name for one in desk.lab_details()} == {"one", "two"}, "it was not agreed to"
    desk.store.finish_campaign(number, CampaignStatus.COMPLETED)
    assert desk.lab_uses("one") == ()
    assert desk.stop_lab("one", (use,)) == ()
    assert {one.name for one in desk.lab_details()} == {"two"}


def test_an_active_deployment_uses_the_lab_but_not_one_on_a_former_lab_of_the_same_ports(desk: Desk) -> None:
    lab = _start(desk)
    one = replace(deployment("11" * 8), pair=lab.pair, prepared_at=datetime.now(UTC), state=DeploymentState.CONFIRMED)
    desk.store.save_deployment(one)
    [use] = desk.lab_uses("one")
    assert "11111111" in use
    desk.store.save_deployment(replace(one, state=DeploymentState.REMOVED))
    assert desk.lab_uses("one") == ()
    desk.store.save_deployment(replace(one, prepared_at=lab.since - timedelta(minutes=1)))
    assert desk.lab_uses("one") == ()


@pytest.mark.parametrize("state", [DeploymentState.PREPARED, DeploymentState.APPLIED])
def test_a_deployment_that_was_not_confirmed_ends_with_its_lab_and_is_not_called_rolled_back(
    desk: Desk, state: DeploymentState
) -> None:
    lab = _start(desk)
    one = replace(deployment("11" * 8), pair=lab.pair, prepared_at=datetime.now(UTC), state=state, confirmed_at=None)
    desk.store.save_deployment(one)
    assert desk.stop_lab("one", desk.lab_uses("one")) == ()
    stored = desk.store.get_deployment(one.id)
    assert (stored.state, stored.is_rolled_back) == (DeploymentState.REMOVED, False)


@pytest.mark.parametrize("is_by_command", [False, True])
def test_a_deployment_ends_with_its_lab(desk: Desk, *, is_by_command: bool) -> None:
    lab = _start(desk)
    one = replace(deployment("11" * 8), pair=lab.pair, prepared_at=datetime.now(UTC), state=DeploymentState.CONFIRMED)
    desk.store.save_deployment(one)
    err = io.StringIO()
    if is_by_command:
        context = SimpleNamespace(
            options=SimpleNamespace(name="one", force=True),
            labs=lambda: desk.lab_service.manager,
            archive=lambda: nullcontext(SimpleNamespace(store=desk.store)),
            out=CleanConsole(file=io.StringIO()),
            err=CleanConsole(file=err, width=200),
        )
        assert labs.down(cast("Any", context)) == ExitCode.OK
        assert f"The deployment 11111111 ({one.title}), which was active, has ended with it." in err.getvalue()
    else:
        assert desk.stop_lab("one", desk.lab_uses("one")) == ()
    stored = desk.store.get_deployment(one.id)
    assert (stored.state, stored.message) == (DeploymentState.REMOVED, ITS_LAB_WAS_STOPPED())


def test_the_kinds_of_the_menu_are_kinds_of_labs() -> None:
    LabSpec(CHOICE.name, CHOICE.platform_a, CHOICE.platform_b).check()
