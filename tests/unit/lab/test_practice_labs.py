"""Labs that a name means: one that runs, one that is started, or none."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.credentials import Secret, SecretKey, SecretKind
from app.domain.errors import Cancelled, HostUnreachable, InvalidOption, LabFault, NotFound
from app.domain.hosts import PairSpec, Side
from app.domain.paths import Paths
from app.lab import CpuKind, Lab, LabManager, LabSpec
from app.lab.machine import Accelerator
from app.lab.messages import LAB_DOWN, START_LAB_OR_CHOOSE
from app.lab.practice_labs import LabPasswords, Labs
from app.measurement.firewalls import FirewallConsents
from app.storage import Store
from support.message_checks import has_message


class FakeManager:
    """Remembers what was started; everything that was started runs."""

    def __init__(self) -> None:
        self.labs: dict[str, Lab] = {}
        self.relinked: list[str] = []

    def up(self, spec: LabSpec, *, is_owned: bool, **_: object) -> Lab:
        spec.check()
        assert is_owned
        return self.add(spec)

    def add(self, spec: LabSpec) -> Lab:
        ports = {side: 2 * len(self.labs) + nth for nth, side in enumerate(Side)}
        lab = Lab(spec, Path("/nowhere"), ports, datetime.now(UTC), owner_pid=None)
        self.labs[spec.name] = lab
        return lab

    def find(self, name: str) -> Lab | None:
        return self.labs.get(name)

    def down(self, name: str) -> None:
        del self.labs[name]

    def relink(self, name: str) -> None:
        if name not in self.labs:
            raise NotFound(f"No lab “{name}” is running.")
        self.relinked.append(name)


@pytest.fixture
def manager() -> FakeManager:
    return FakeManager()


@pytest.fixture
def labs(tmp_path: Path, manager: FakeManager, monkeypatch: pytest.MonkeyPatch) -> Labs:
    service = Labs(Paths(data_dir=tmp_path, cache_dir=tmp_path, labs_dir=tmp_path))
    assert isinstance(service.manager, LabManager)
    monkeypatch.setattr(service, "manager", manager)
    monkeypatch.setattr(service, "running", lambda: tuple(manager.labs.values()))
    return service


def pair(labs: Labs, name: str) -> PairSpec:
    return labs.pair(name, token=CancelToken(), on_progress=lambda *_: None)


@pytest.mark.parametrize(
    ("name", "platforms", "stored_as"),
    [
        ("debian-11", ("debian-11", "debian-11"), "lab:debian-11"),
        ("A=debian-11,B=debian-13", ("debian-11", "debian-13"), "lab:A=debian-11,B=debian-13"),
        ("B=debian-11,A=debian-13", ("debian-13", "debian-11"), "lab:A=debian-13,B=debian-11"),
        ("A=debian-13,B=debian-13", ("debian-13", "debian-13"), "lab:debian-13"),
    ],
)
def test_a_platform_is_a_lab_that_is_started_once_and_ended(
    labs: Labs, manager: FakeManager, name: str, platforms: tuple[str, str], stored_as: str
) -> None:
    assert pair(labs, name).name == stored_as
    assert pair(labs, name).name == stored_as
    assert [(lab.spec.platform_a, lab.spec.platform_b) for lab in manager.labs.values()] == [platforms]
    labs.close()
    assert manager.labs == {}


def test_the_machines_of_a_running_lab_are_found_by_the_name_of_its_pair(
    labs: Labs, manager: FakeManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    for spec, accelerator in ((LabSpec("mine"), Accelerator.KVM), (LabSpec("own-1-1", "debian-11"), Accelerator.TCG)):
        manager.labs[spec.name] = replace(manager.add(spec), accelerator=accelerator)
    assert labs.machines("lab:mine") == ("debian-13 kvm aes",)
    assert labs.machines("lab:A=debian-11,B=debian-13") == ("debian-11 tcg aes", "debian-13 tcg aes")
    assert labs.machines("lab:other") == ()

    def fault() -> None:
        raise LabFault("It is starting.")

    monkeypatch.setattr(labs, "running", fault)
    assert labs.machines("lab:mine") == ()


def test_several_kinds_can_be_started_by_one_process(labs: Labs, manager: FakeManager) -> None:
    for name in ("debian-11", "debian-13", "A=debian-11,B=debian-13", "A=debian-13,B=debian-11"):
        pair(labs, name)
    assert len(manager.labs) == 4


def test_a_lab_of_that_kind_that_is_up_is_taken(labs: Labs, manager: FakeManager) -> None:
    manager.add(LabSpec("mixed", "debian-11", "debian-13"))
    manager.add(LabSpec("slow", "debian-11", "debian-11", CpuKind.NO_AES))
    assert pair(labs, "A=debian-11,B=debian-13").name == "lab:mixed", "comparisons there are stored under that name"
    assert set(manager.labs) == {"mixed", "slow"}
    pair(labs, "debian-11")
    assert len(manager.labs) == 3, "without AES instructions it is another kind"


def test_a_name_means_the_lab_of_that_name(labs: Labs, manager: FakeManager) -> None:
    manager.add(LabSpec("mine"))
    assert pair(labs, "mine").name == "lab:mine"
    with pytest.raises(NotFound) as caught:
        pair(labs, "yours")
    assert "debian-11" in caught.value.hint


def test_of_a_lab_that_is_down_is_reported_that_it_is_down(labs: Labs, manager: FakeManager) -> None:
    away = HostUnreachable("gateway-a cannot be reached.", hint="Is the host on?")
    mine = manager.add(LabSpec("mine")).pair
    assert labs.explained(mine, away) is away, "the lab is up"
    manager.down("mine")
    reported = labs.explained(mine, away)
    assert has_message(LAB_DOWN, pair="lab:mine")(reported)
    assert away.message in reported.message
    assert has_message(START_LAB_OR_CHOOSE)(reported)
    assert labs.explained(replace(mine, is_lab=False), away) is away


def test_a_lab_has_one_name_in_the_window_and_at_the_terminal(labs: Labs, manager: FakeManager) -> None:
    own = pair(labs, "debian-13")
    assert [own.name, *(one.name for one in labs.pairs())] == ["lab:debian-13"] * 2, "as its comparisons are stored"
    labs.close()
    manager.add(LabSpec("default"))
    named = pair(labs, "debian-13")
    assert [named.name, *(one.name for one in labs.pairs())] == ["lab:default"] * 2
    assert pair(labs, "default") == named


@pytest.mark.parametrize("name", ["A=debian-11", "A=debian-11,B=amiga-500"])
def test_what_cannot_be_read_starts_nothing(labs: Labs, manager: FakeManager, name: str) -> None:
    with pytest.raises(InvalidOption):
        pair(labs, name)
    assert manager.labs == {}


def test_the_link_of_a_lab_is_restarted_whatever_its_pair_is_called(labs: Labs, manager: FakeManager) -> None:
    other, mine = manager.add(LabSpec("other", "debian-11", "debian-11")), manager.add(LabSpec("mine"))
    renamed = replace(mine.pair, name="lab:debian-13")
    for one in (renamed, mine.pair, other.pair):
        healer = labs.link(one)
        assert healer is not None
        assert healer.heal(token=CancelToken())
    assert manager.relinked == ["mine", "mine", "other"]


def test_a_lab_that_is_gone_is_not_ours_to_restart(
    labs: Labs, manager: FakeManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = manager.add(LabSpec("mine"))
    healer = labs.link(lab.pair)
    assert healer is not None
    monkeypatch.setattr(labs, "running", lambda: (lab,))
    manager.down("mine")  # between the search for it and the order
    assert not healer.heal(token=CancelToken())
    monkeypatch.setattr(labs, "running", tuple)
    assert not healer.heal(token=CancelToken())
    assert manager.relinked == []


def test_a_lab_that_does_not_answer_is_reported(
    labs: Labs, manager: FakeManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    def relink(name: str) -> None:
        raise LabFault(f"The lab “{name}” does not answer.")

    lab = manager.add(LabSpec("mine"))
    monkeypatch.setattr(manager, "relink", relink)
    healer = labs.link(lab.pair)
    assert healer is not None
    with pytest.raises(LabFault):
        healer.heal(token=CancelToken())


def test_nothing_is_restarted_after_a_cancel(labs: Labs, manager: FakeManager) -> None:
    healer = labs.link(manager.add(LabSpec("mine")).pair)
    assert healer is not None
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        healer.heal(token=token)
    assert manager.relinked == []


def test_the_link_of_own_hosts_is_not_ours(labs: Labs, manager: FakeManager) -> None:
    lab = manager.add(LabSpec("mine"))
    assert labs.link(replace(lab.pair, is_lab=False)) is None


@pytest.mark.allow_logs("app.lab.practice_labs")
@pytest.mark.parametrize("error", [LabFault("The lab does not answer."), NotFound("It has ended.")])
def test_a_link_that_cannot_be_released_ends_no_measurement(
    labs: Labs, manager: FakeManager, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    released: list[str] = []

    def release(name: str) -> None:
        released.append(name)
        raise error

    monkeypatch.setattr(manager, "release_condition", release, raising=False)
    link = labs.link(manager.add(LabSpec("mine")).pair)
    assert link is not None
    link.release()
    assert released == ["mine"]


class OtherPasswords:
    """Knows one password for everything."""

    def get(self, key: SecretKey, *, is_retry: bool, token: object = None) -> Secret | None:
        return Secret("typed again" if is_retry else "typed")

    def confirm(self, key: SecretKey, *, token: object = None) -> None:
        raise AssertionError("nothing was typed")


def test_the_sudo_password_of_a_hardened_lab_is_known_and_of_no_other_host(
    labs: Labs, manager: FakeManager, tmp_path: Path
) -> None:
    (tmp_path / "passwords.json").write_text('{"operator": "of the lab", "plain": "x"}')
    lab = replace(manager.add(LabSpec("closed", is_hardened=True)), folder=tmp_path)
    manager.labs["closed"] = lab
    manager.add(LabSpec("open"))
    passwords = LabPasswords(labs, OtherPasswords())

    def asked(login: str, kind: SecretKind = SecretKind.SUDO, *, is_retry: bool = False) -> str | None:
        found = passwords.get(SecretKey(kind, login), is_retry=is_retry)
        return found.value if found is not None else None

    assert lab.pair.a.user == "operator"
    assert manager.labs["open"].pair.a.user == "root"
    assert asked(f"operator@127.0.0.1:{lab.ports[Side.A]}") == "of the lab"
    assert asked(f"operator@127.0.0.1:{lab.ports[Side.A]}", is_retry=True) == "typed again"
    assert asked(f"operator@127.0.0.1:{lab.ports[Side.A]}", SecretKind.LOGIN) == "typed"
    assert asked(f"root@127.0.0.1:{lab.ports[Side.A]}") == "typed"
    assert asked("operator@127.0.0.1:2222") == "typed"


def test_a_consent_is_remembered_for_a_lab_until_it_ends_and_for_a_stored_pair(
    labs: Labs, manager: FakeManager, tmp_path: Path
) -> None:
    manager.labs["closed"] = lab = replace(manager.add(LabSpec("closed")), folder=tmp_path)
    with Store.open(tmp_path / "t.db") as store:
        consents = FirewallConsents(labs, store)
        assert not consents.apply(lab.pair).may_open_firewall
        assert consents.change(lab.pair, may_open=True).may_open_firewall
        assert consents.apply(lab.pair).may_open_firewall
        assert not consents.change(lab.pair, may_open=False).may_open_firewall
        assert not consents.apply(lab.pair).may_open_firewall
        own = replace(lab.pair, name="plant-7", is_lab=False)
        assert consents.change(own, may_open=True).may_open_firewall
        assert store.list_pairs() == ()
        store.save_pair(replace(own, underlay_a="192.0.2.77"))
        consents.change(own, may_open=True)
        assert store.get_pair("plant-7") == replace(own, underlay_a="192.0.2.77", may_open_firewall=True)


def test_a_lab_of_another_process_is_found_but_not_measured_on(labs: Labs, manager: FakeManager) -> None:
    """A deployment that the window made on its own lab is found from the terminal."""
    theirs = manager.labs["own-1-1"] = replace(manager.add(LabSpec("own-1-1")), owner_pid=1)
    found = labs.running_pair("debian-13")
    assert (found.name, found.a.port) == ("lab:debian-13", theirs.ports[Side.A])
    assert pair(labs, "debian-13").a.port != theirs.ports[Side.A]
    assert labs.running_pair("debian-13").a.port != theirs.ports[Side.A], "one's own comes first"


def test_the_pair_of_a_running_lab_is_known_without_starting_one(labs: Labs, manager: FakeManager) -> None:
    manager.add(LabSpec("mine"))
    assert labs.running_pair("mine").name == "lab:mine"
    assert set(manager.labs) == {"mine"}
