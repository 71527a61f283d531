"""Stored pairs: names, renaming, copies, removal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fake_census import items
from sample_records import facts, sample_record

from app.domain.audit import AuditEntry
from app.domain.census import CensusPlan
from app.domain.deployment import DeploymentState
from app.domain.errors import InvalidOption, NotFound
from app.domain.history import EntryKind
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.messages import MessageForm
from app.domain.messages.inputs import UNDERLAY_IS_IPV6
from app.domain.messages.words import STATES
from app.domain.pair_names import check_pair_name, suggest_pair_name
from app.domain.pairs import Saving
from app.domain.results import CampaignStatus
from app.domain.ssh_hosts import SshHost, SshHosts, explicit_spec
from app.measurement.pairs import PairOperations
from app.storage import Store
from app.storage.messages import (
    KNOWN_PAIRS,
    PAIR_CHANGING_NOT_REMOVED,
    PAIR_CHANGING_NOT_RENAMED,
    PAIR_DEPLOYED,
    PAIR_GONE,
    PAIR_MEASURED_NOT_REMOVED,
    PAIR_MEASURED_NOT_RENAMED,
    PAIR_NAME_LEFT,
)
from support.message_checks import has_message
from support.stored_deployments import deployment

PAIR = PairSpec("north", HostSpec("a", "10.0.0.1"), HostSpec("b", "10.0.0.2"), "192.0.2.1", "192.0.2.2")
FACTS = {"a": facts(), "b": facts("gw-b")}


class Book(PairOperations):
    def __init__(self, store: Store) -> None:
        self.store = store


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    with Store.open(tmp_path / "t.db") as store:
        store.save_pair(PAIR)
        yield Book(store)


@pytest.mark.parametrize("name", ["a", "north", "pump-1.example_2", "9", "a" * 63])
def test_allowed_names(name: str) -> None:
    check_pair_name(name)


@pytest.mark.parametrize("name", ["", " ", "pump station", "a/b", "-a", ".a", "lab:x", "a\n", "ä", "a" * 64, "fe80::1"])
def test_refused_names(name: str) -> None:
    with pytest.raises(InvalidOption):
        check_pair_name(name)


@pytest.mark.parametrize(
    "addresses", [("192.0.2.1", "192.0.2.2"), ("fe80::1%eth0", "::1"), ("x" * 80, "y"), ("ä", "ö")]
)
def test_a_suggested_name_is_allowed(addresses: tuple[str, str]) -> None:
    check_pair_name(suggest_pair_name(*addresses))


def test_a_pair_of_a_bad_name_is_not_saved_but_one_of_an_earlier_version_is(book: Book) -> None:
    old = replace(PAIR, name="pump station/1")
    with pytest.raises(InvalidOption):
        book.save_pair(old, Saving.ADD)
    book.store.save_pair(old)
    book.save_pair(replace(old, underlay_a="192.0.2.9"), Saving.UPDATE)
    assert book.store.get_pair(old.name).underlay_a == "192.0.2.9"


def _fill(store: Store) -> tuple[int, int]:
    record = sample_record()
    campaign = store.create_campaign(replace(record.plan, pair=PAIR), FACTS, "0.1.0")
    census = store.create_campaign(CensusPlan(PAIR, ("openvpn-udp",), items()), FACTS, "0.1.0")
    store.save_deployment(replace(deployment("11" * 8), state=DeploymentState.CONFIRMED))
    store.save_snapshot("north", Side.A, facts())
    store.audit(AuditEntry(record.started_at, "a", Side.A, "ip link add", 0, "make it"))
    return campaign, census


def test_what_belongs_to_a_pair_follows_its_new_name(book: Book) -> None:
    store = book.store
    campaign, census = _fill(store)
    store.finish_campaign(campaign, CampaignStatus.INTERRUPTED)
    store.finish_campaign(census, CampaignStatus.INTERRUPTED, kind=EntryKind.CENSUS)
    audit = store.list_audit()
    book.rename_pair("north", "south")
    assert [pair.name for pair in store.list_pairs()] == ["south"]
    assert store.get_pair("south") == replace(PAIR, name="south")
    assert store.list_campaigns("north") == ()
    assert store.load_campaign(campaign).plan.pair.name == "south"
    assert store.unfinished_campaign("south") == campaign
    assert store.load_census(census).pair.name == "south"
    assert store.list_censuses("south") == (census,)
    assert [one.pair.name for one in store.list_deployments("south")] == ["south"]
    assert store.latest_snapshot("south", Side.A) == facts()
    assert store.list_audit() == audit
    assert store.check_audit().broken_at is None


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda b: b.rename_pair("north", "x"), PAIR_MEASURED_NOT_RENAMED),
        (lambda b: b.remove_pair("north"), PAIR_MEASURED_NOT_REMOVED),
    ],
)
def test_a_pair_that_is_being_measured_is_left_alone(book: Book, change: object, refusal: MessageForm) -> None:
    campaign, census = _fill(book.store)
    book.store.save_deployment(replace(deployment("11" * 8), state=DeploymentState.REMOVED))
    with pytest.raises(InvalidOption, check=has_message(refusal, pair="north")):
        change(book)  # type: ignore[operator]
    book.store.finish_campaign(campaign, CampaignStatus.COMPLETED)
    with pytest.raises(InvalidOption, check=has_message(refusal, pair="north")):
        change(book)  # type: ignore[operator]
    book.store.finish_campaign(census, CampaignStatus.INTERRUPTED, kind=EntryKind.CENSUS)
    change(book)  # type: ignore[operator]


def test_a_name_that_is_taken_is_refused_also_one_of_a_removed_pair(book: Book) -> None:
    campaign, census = _fill(book.store)
    book.store.finish_campaign(campaign, CampaignStatus.COMPLETED)
    book.store.finish_campaign(census, CampaignStatus.INTERRUPTED, kind=EntryKind.CENSUS)
    book.copy_pair("north", "south")
    with pytest.raises(InvalidOption):
        book.copy_pair("north", "south")
    with pytest.raises(InvalidOption):
        book.rename_pair("south", "north")
    book.store.save_deployment(replace(deployment("11" * 8), state=DeploymentState.REMOVED))
    book.store.delete_pair("north")
    book.save_pair(replace(PAIR, name="south", b=replace(PAIR.b, address="10.9.9.9")), Saving.REPLACE)
    with pytest.raises(InvalidOption, check=has_message(PAIR_NAME_LEFT)):
        book.rename_pair("south", "north")
    with pytest.raises(NotFound):
        book.rename_pair("north", "east")


def test_a_copy_has_the_hosts_and_none_of_the_comparisons(book: Book) -> None:
    _fill(book.store)
    assert book.copy_pair("north", "south") == replace(PAIR, name="south")
    assert book.store.list_campaigns("south") == ()
    with pytest.raises(InvalidOption):
        book.copy_pair("north", "a b")


@pytest.mark.parametrize("state", list(DeploymentState))
def test_a_pair_with_an_active_deployment_is_not_removed(book: Book, state: DeploymentState) -> None:
    book.store.save_deployment(replace(deployment("11" * 8), state=state))
    if state.is_on_host:
        with pytest.raises(InvalidOption, check=has_message(PAIR_DEPLOYED, number="11111111")) as refused:
            book.remove_pair("north")
        assert "tunnelmark undeploy north" in refused.value.hint
        assert book.stored_pairs() == (PAIR,)
    elif state is DeploymentState.PREPARED:
        refusal = has_message(PAIR_CHANGING_NOT_REMOVED, number="11111111", state=STATES[state]())
        with pytest.raises(InvalidOption, check=refusal):
            book.remove_pair("north")
    else:
        book.remove_pair("north")
        assert book.stored_pairs() == ()
        assert len(book.store.list_deployments("north")) == 1


@pytest.mark.parametrize("state", list(DeploymentState))
def test_a_pair_whose_deployment_is_not_decided_is_not_renamed(book: Book, state: DeploymentState) -> None:
    """The next stored state of the deployment has the old name."""
    book.store.save_deployment(replace(deployment("11" * 8), state=state))
    if state in (DeploymentState.PREPARED, DeploymentState.APPLIED):
        refusal = has_message(PAIR_CHANGING_NOT_RENAMED, number="11111111", state=STATES[state]())
        with pytest.raises(InvalidOption, check=refusal):
            book.rename_pair("north", "south")
        assert book.stored_pairs() == (PAIR,)
    else:
        book.rename_pair("north", "south")
        assert [one.name for one in book.stored_pairs()] == ["south"]


def _hosts() -> SshHosts:
    named = {"pump-1": "10.0.0.1", "pump-2": "10.0.0.2"}
    return SshHosts("config", tuple(SshHost(n, a, spec=explicit_spec(n, a, "root", 22, "")) for n, a in named.items()))


MAKE = {
    "add": lambda book, pair: book.save_pair(pair, Saving.ADD),
    "replace": lambda book, pair: book.save_pair(pair, Saving.REPLACE),
    "import": lambda book, pair: book.import_pair(
        pair.name, _hosts(), ("pump-1", "pump-2"), (pair.underlay_a, pair.underlay_b)
    ),
    "copy": lambda book, pair: book.copy_pair(pair.name.replace("south", "north"), pair.name),
    "rename": lambda book, pair: book.rename_pair(pair.name.replace("south", "north"), pair.name),
}


@pytest.mark.parametrize("make", MAKE)
@pytest.mark.parametrize("left", ["campaign", "census", "deployment"])
def test_a_name_that_a_removed_pair_left_is_given_to_no_other(book: Book, make: str, left: str) -> None:
    """Its comparisons, time estimates and deployments would be taken for those of the other hosts."""
    leave(book, replace(PAIR, name="south", a=replace(PAIR.a, address="10.9.9.9")), left)
    with pytest.raises(InvalidOption, check=has_message(PAIR_NAME_LEFT)):
        MAKE[make](book, replace(PAIR, name="south"))
    assert book.stored_pairs() == (PAIR,)


@pytest.mark.parametrize("make", ["add", "replace", "copy", "rename"])
@pytest.mark.parametrize("left", ["campaign", "census", "deployment"])
def test_a_name_is_given_to_the_hosts_that_had_it_again(book: Book, make: str, left: str) -> None:
    south = replace(PAIR, name="south")
    leave(book, south, left)
    MAKE[make](book, south)
    assert south in book.stored_pairs()


def leave(book: Book, pair: PairSpec, left: str) -> None:
    """Store a pair and something of it, and remove the pair."""
    store = book.store
    store.save_pair(pair)
    if left == "campaign":
        number = store.create_campaign(replace(sample_record().plan, pair=pair), FACTS, "0.1.0")
        store.finish_campaign(number, CampaignStatus.CANCELLED)
    elif left == "census":
        number = store.create_campaign(CensusPlan(pair, ("openvpn-udp",), items()), FACTS, "0.1.0")
        store.finish_campaign(number, CampaignStatus.INTERRUPTED, kind=EntryKind.CENSUS)
    else:
        store.save_deployment(replace(deployment("11" * 8, pair=pair.name), pair=pair, state=DeploymentState.REMOVED))
    book.remove_pair(pair.name)


@pytest.mark.parametrize("make", ["add", "replace", "import"])
@pytest.mark.parametrize("address", ["2001:db8::1", "10.0.0.999", "192.0.2.2", "127.0.0.1"])
def test_an_underlay_address_that_no_tunnel_can_use_is_refused_everywhere(book: Book, make: str, address: str) -> None:
    with pytest.raises(InvalidOption):
        MAKE[make](book, replace(PAIR, name="south", underlay_a=address))
    assert book.stored_pairs() == (PAIR,)


def test_an_old_pair_that_cannot_be_used_is_not_copied(book: Book) -> None:
    book.store.save_pair(replace(PAIR, underlay_a="2001:db8::1"))
    with pytest.raises(InvalidOption, check=has_message(UNDERLAY_IS_IPV6)):
        book.copy_pair("north", "south")


def test_a_pair_that_was_renamed_elsewhere_is_not_stored_anew(book: Book) -> None:
    """An open window still has the old name."""
    book.rename_pair("north", "south")
    with pytest.raises(NotFound, check=has_message(PAIR_GONE, name="north")) as refused:
        book.save_pair(PAIR, Saving.UPDATE)
    assert has_message(KNOWN_PAIRS, pairs=("south",))(refused.value.hint)
    assert [one.name for one in book.stored_pairs()] == ["south"]


def test_nothing_new_is_stored_of_a_pair_that_was_renamed_elsewhere(book: Book) -> None:
    store = book.store
    book.rename_pair("north", "south")
    begin = {
        "campaign": lambda: store.create_campaign(replace(sample_record().plan, pair=PAIR), FACTS, "0.1.0"),
        "census": lambda: store.create_campaign(CensusPlan(PAIR, ("openvpn-udp",), items()), FACTS, "0.1.0"),
        "deployment": lambda: store.save_deployment(deployment("11" * 8)),
    }
    for work in begin.values():
        with pytest.raises(NotFound, check=has_message(PAIR_GONE)):
            work()
    assert (store.list_campaigns(), store.list_censuses(), store.list_deployments()) == ((), (), ())


def test_a_late_save_of_a_deployment_keeps_the_new_name_of_its_pair(book: Book) -> None:
    """`status` and a window read a deployment, ask hosts for seconds, and store it."""
    store = book.store
    late = replace(deployment("11" * 8), state=DeploymentState.CONFIRMED)
    store.save_deployment(late)
    book.rename_pair("north", "south")
    store.save_deployment(replace(late, message="seen"))
    assert store.list_deployments("north") == ()
    (found,) = store.list_deployments("south")
    assert (found.pair.name, found.message) == ("south", "seen")


def test_a_deployment_that_appears_while_a_pair_is_removed_keeps_it(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check is part of the transaction that removes: a list that was read before it is not what counts."""
    monkeypatch.setattr(book.store, "list_deployments", lambda *_: ())
    book.store.save_deployment(replace(deployment("11" * 8), state=DeploymentState.CONFIRMED))
    with pytest.raises(InvalidOption, check=has_message(PAIR_DEPLOYED, number="11111111")):
        book.remove_pair("north")
    assert book.stored_pairs() == (PAIR,)
