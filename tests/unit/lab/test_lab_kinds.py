"""A lab of the same kind as that of a stored comparison, and resuming where that lab has ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sample_records import facts, sample_record
from test_practice_labs import FakeManager, labs, manager

from app.cli import main
from app.cli.exit_codes import ExitCode
from app.cli.messages import RESUME_LAB_GONE
from app.domain.cancel import CancelToken
from app.domain.hosts import PairSpec
from app.domain.results import CampaignRecord, CampaignStatus
from app.lab import CpuKind, LabSpec
from app.lab.kinds import how_to_measure_again, kind_of
from app.lab.practice_labs import Labs
from app.storage import Store
from support.message_checks import shows

__all__ = ["labs", "manager"]

OLD = "Debian GNU/Linux 11 (bullseye)"


def measured_in(
    name: str, *, os_a: str = OLD, os_b: str = OLD, has_aes: bool = True, user: str = "root"
) -> CampaignRecord:
    record = sample_record(rounds=1)
    pair = record.plan.pair
    pair = replace(pair, name=name, a=replace(pair.a, user=user), b=replace(pair.b, user=user))
    found = {
        "a": replace(facts(has_aes=has_aes), os_name=os_a),
        "b": replace(facts(has_aes=has_aes), os_name=os_b),
    }
    return replace(record, plan=replace(record.plan, pair=pair), facts=found)


def like(service: Labs, record: CampaignRecord) -> PairSpec:
    return service.like(record, token=CancelToken(), on_progress=lambda *_: None)


def test_facts_of_the_gateways_say_which_kind_of_lab_it_was() -> None:
    found = kind_of(measured_in("lab:x", os_b="Debian GNU/Linux 13 (trixie)", has_aes=False, user="operator"))
    assert found == LabSpec("", "debian-11", "debian-13", CpuKind.NO_AES, is_hardened=True)


def test_lab_that_is_gone_is_replaced_by_a_new_one_of_its_kind(labs: Labs, manager: FakeManager) -> None:
    record = measured_in("lab:plant", has_aes=False, user="operator")
    manager.add(LabSpec("other"))
    assert labs.is_gone(record)
    found = like(labs, record)
    assert manager.labs["plant"].spec == LabSpec("plant", "debian-11", "debian-11", CpuKind.NO_AES, is_hardened=True)
    assert (found.name, found.a.user) == ("lab:plant", "operator")
    assert like(labs, record) == found
    labs.close()
    assert list(manager.labs) == ["other"]


def test_lab_of_the_same_kind_that_is_up_is_taken(labs: Labs, manager: FakeManager) -> None:
    up = manager.add(LabSpec("mine", "debian-11", "debian-11"))
    assert like(labs, measured_in("lab:debian-11")) == up.pair
    assert list(manager.labs) == ["mine"]


def test_lab_with_nodes_is_not_taken_for_one_of_its_platforms(labs: Labs, manager: FakeManager) -> None:
    manager.add(LabSpec("nodes", "debian-11", "debian-11", has_nodes=True))
    assert like(labs, measured_in("lab:debian-11")).name == "lab:debian-11"
    assert len(manager.labs) == 2


def test_lab_that_is_still_up_is_not_gone_but_a_later_one_on_its_ports_is_another(
    labs: Labs, manager: FakeManager
) -> None:
    lab = manager.add(LabSpec("plant", "debian-11", "debian-11"))
    record = measured_in("lab:plant")
    record = replace(record, plan=replace(record.plan, pair=lab.pair), started_at=lab.since + timedelta(seconds=9))
    assert not labs.is_gone(record)
    assert like(labs, record) == lab.pair
    assert labs.is_gone(replace(record, started_at=lab.since - timedelta(seconds=9)))


def test_name_of_a_platform_is_kept_for_the_comparison_and_not_for_the_lab(labs: Labs, manager: FakeManager) -> None:
    assert like(labs, measured_in("lab:debian-11")).name == "lab:debian-11"
    assert all(name.startswith("own-") for name in manager.labs)


def test_name_that_another_kind_has_by_now_is_left_to_it(labs: Labs, manager: FakeManager) -> None:
    manager.add(LabSpec("plant"))
    assert like(labs, measured_in("lab:plant", has_aes=False)).name.startswith("lab:own-")
    assert manager.labs["plant"].spec.cpu is CpuKind.AES


def test_hosts_of_the_user_are_never_gone(labs: Labs) -> None:
    record = sample_record(rounds=1)
    assert not labs.is_gone(replace(record, plan=replace(record.plan, pair=replace(record.plan.pair, is_lab=False))))


@pytest.mark.parametrize(
    ("record", "command"),
    [
        (measured_in("lab:default"), "tunnelmark compare lab:debian-11"),
        (
            measured_in("lab:p1", has_aes=False, user="operator"),
            "tunnelmark lab up --name p1 --platform debian-11 --cpu no-aes --hardened && tunnelmark compare lab:p1",
        ),
    ],
)
def test_commands_that_measure_again(record: CampaignRecord, command: str) -> None:
    assert how_to_measure_again(record) == command


def test_resuming_in_a_lab_that_is_gone_is_refused_with_the_command_that_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUNNELMARK_HOME", str(tmp_path))
    record = measured_in("lab:debian-11")
    with Store.open(tmp_path / "tunnelmark.db") as store:
        number = store.create_campaign(record.plan, record.facts, "0.1.0")
        store.finish_campaign(number, CampaignStatus.INTERRUPTED)
    assert main(["compare", "lab:debian-11", "--resume"]) == ExitCode.INVALID
    reported = capsys.readouterr().err
    assert shows(reported, RESUME_LAB_GONE.text, campaign=number)
    assert shows(reported, RESUME_LAB_GONE.hint, command="tunnelmark compare lab:debian-11")
