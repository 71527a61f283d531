from __future__ import annotations

import re

import pytest

from app.domain.errors import Bug
from app.domain.verdicts import Verdict
from app.policy import POLICY_NAME, POLICY_VERSION, judge
from app.policy.data import PolicyRow, _by_name, all_rows, normalise, tables
from app.policy.names import find_rows

KINDS = {"cipher", "mode", "mac", "key-exchange", "signature", "protocol", "option"}
ALL_ROWS = all_rows()


@pytest.mark.parametrize("row", ALL_ROWS, ids=[row.title for row in ALL_ROWS])
def test_row_says_what_why_and_where(row: PolicyRow) -> None:
    assert row.kind in KINDS
    assert row.reason.endswith(".")
    assert len(row.reason) <= 160
    assert row.sources
    assert all(row.sources)
    assert all(name == normalise(name) for name in row.names)
    assert (row.replacement != "") == (row.verdict is not Verdict.RECOMMENDED)


@pytest.mark.parametrize("row", ALL_ROWS, ids=[row.title for row in ALL_ROWS])
def test_replacement_is_better(row: PolicyRow) -> None:
    if row.replacement:
        assert judge(row.replacement.split(",")[0]).verdict is Verdict.RECOMMENDED


def test_block_ciphers_state_their_sizes_and_small_blocks_are_insecure() -> None:
    for row in {id(row): row for row in tables().ciphers.values()}.values():
        assert row.key_bits
        assert row.block_bits
        if row.block_bits < 128:
            assert row.verdict is Verdict.INSECURE


def test_no_name_means_two_things() -> None:
    assert not set(tables().ciphers) & set(tables().algorithms)


def test_titles_tell_rows_apart() -> None:
    assert len({row.title for row in ALL_ROWS}) == len(ALL_ROWS)


def test_every_name_of_a_row_is_found_and_aliases_lead_somewhere() -> None:
    for row in ALL_ROWS:
        if row.kind != "mode":
            assert [name for name in row.names if not find_rows(name)] == []
    assert [name for name, meant in tables().aliases.items() if find_rows(name) != find_rows(meant)] == []
    assert all(find_rows(name) for name in tables().aliases)


def test_slow_is_reported_of_cfb1_cfb8_and_des_in_a_sentence() -> None:
    slow = {row.title: row.slow for row in ALL_ROWS if row.slow}
    assert set(slow) == {"CFB1", "CFB8", "DES", "DESX", "3DES", "3DES with two keys"}
    assert all(sentence.endswith(".") for sentence in slow.values())


def test_two_rows_with_one_name_are_a_bug() -> None:
    row = ALL_ROWS[0]
    with pytest.raises(Bug):
        _by_name([row, row])


def test_policy_has_a_name_and_a_version() -> None:
    assert POLICY_NAME == "tunnelmark"
    assert re.fullmatch(r"\d{4}\.\d+", POLICY_VERSION)
