"""Stored pairs: names, renaming, copies, removal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fake_census import items
from sample_records import facts, sample_record
from test_storage_deployments import deployment

from app.compose.pairs import PairOperations
from app.domain.audit import AuditEntry
from app.domain.census import CensusPlan
from app.domain.errors import InvalidOption, NotFound
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.pair_names import check_pair_name, suggest_pair_name
from app.domain.results import CampaignStatus
from app.domain.rollout import DeploymentState
from app.storage import Store

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
        book.save_pair(old)
    book.store.save_pair(old)
    book.save_pair(replace(old, underlay_a="192.0.2.9"))
    assert book.store.get_pair(old.name).underlay_a == "192.0.2.9"


def _fill(store: Store) -> tuple[int, int]:
    record = sample_record()
    campaign = store.create_campaign(replace(record.plan, pair=PAIR), FACTS, "0.1.0")
    census = store.create_census(CensusPlan(PAIR, ("openvpn-udp",), items()), FACTS, "0.1.0")
    store.save_deployment(replace(deployment("11" * 8), state=DeploymentState.CONFIRMED))
    store.save_snapshot("north", Side.A, facts())
    store.audit(AuditEntry(record.started_at, "a", Side.A, "ip link add", 0, "make it"))
    return campaign, census


def test_what_belongs_to_a_pair_follows_its_new_name(book: Book) -> None:
    store = book.store
    campaign, census = _fill(store)
    store.finish_campaign(campaign, CampaignStatus.INTERRUPTED)
    store.finish_census(census)
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


@pytest.mark.parametrize("change", [lambda b: b.rename_pair("north", "x"), lambda b: b.remove_pair("north")])
def test_a_pair_that_is_being_measured_is_left_alone(book: Book, change: object) -> None:
    campaign, census = _fill(book.store)
    book.store.save_deployment(replace(deployment("11" * 8), state=DeploymentState.UNDONE))
    with pytest.raises(InvalidOption, match="measured"):
        change(book)  # type: ignore[operator]
    book.store.finish_campaign(campaign, CampaignStatus.COMPLETED)
    with pytest.raises(InvalidOption, match="measured"):
        change(book)  # type: ignore[operator]
    book.store.finish_census(census)
    change(book)  # type: ignore[operator]


def test_a_name_that_is_taken_is_refused_also_one_of_a_removed_pair(book: Book) -> None:
    campaign, census = _fill(book.store)
    book.store.finish_campaign(campaign, CampaignStatus.COMPLETED)
    book.store.finish_census(census)
    book.copy_pair("north", "south")
    with pytest.raises(InvalidOption):
        book.copy_pair("north", "south")
    with pytest.raises(InvalidOption):
        book.rename_pair("south", "north")
    book.store.delete_pair("north")
    with pytest.raises(InvalidOption, match="removed"):
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
    if state.is_standing:
        with pytest.raises(InvalidOption, match="11111111") as refused:
            book.remove_pair("north")
        assert "undeploy north" in refused.value.hint
        assert book.stored_pairs() == (PAIR,)
    elif state is DeploymentState.PREPARED:
        with pytest.raises(InvalidOption, match="11111111 is prepared"):
            book.remove_pair("north")
    else:
        book.remove_pair("north")
        assert book.stored_pairs() == ()
        assert len(book.store.list_deployments("north")) == 1


@pytest.mark.parametrize("state", list(DeploymentState))
def test_a_pair_whose_deployment_is_not_decided_is_not_renamed(book: Book, state: DeploymentState) -> None:
    """What is stored of the deployment next has the old name."""
    book.store.save_deployment(replace(deployment("11" * 8), state=state))
    if state in (DeploymentState.PREPARED, DeploymentState.APPLIED):
        with pytest.raises(InvalidOption, match=f"cannot be renamed: its deployment 11111111 is {state.value}"):
            book.rename_pair("north", "south")
        assert book.stored_pairs() == (PAIR,)
    else:
        book.rename_pair("north", "south")
        assert [one.name for one in book.stored_pairs()] == ["south"]
