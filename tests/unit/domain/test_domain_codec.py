"""Dataclasses to JSON and back, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from plain_data import from_data

from app.domain.errors import Bug, InvalidFile
from app.domain.hosts import AuthKind, HostSpec, PairSpec
from app.domain.path_note import PathNote
from app.domain.profiles import Profile, ProfileName
from app.domain.results import (
    Attempt,
    AttemptKey,
    AttemptStatus,
    CampaignPlan,
    Candidate,
    CpuUsage,
    LatencySeries,
    PlannedItem,
    ThroughputSeries,
)
from app.domain.verdicts import Finding, Verdict
from app.storage.codec import from_json, to_data, to_json
from support.sample_records import sample_record

_NOW = datetime(2026, 3, 4, 9, 30, 1, 250, tzinfo=UTC)
_CPU = CpuUsage(12.5, 3.0, 6.0, 3.5, 0.0, 3.01)
_PAIR = PairSpec("plant", HostSpec("a", "192.0.2.1", 2222, "root", AuthKind.KEY, "/k"), HostSpec("b", "b"), "a", "b")
_ATTEMPT = Attempt(
    AttemptKey(3, "wireguard", "chacha20-poly1305", "as-found", 2),
    AttemptStatus.COMPLETED,
    "",
    "",
    _NOW,
    _NOW + timedelta(seconds=31),
    throughput=(ThroughputSeries("a_to_b", 31.25, (30.0, 32.5), 1.0, None, 50.0),),
    cpu_latency={"a": _CPU, "b": _CPU},
    path=PathNote(1500, 1500, None, 1400, 114),
    configuration=(PlannedItem("a", "file", "/run/x", "text\nwith ünïcode \x00 and \ud800"),),
    doubts=("load before the start",),
)


def test_an_attempt_survives_the_way_through_json() -> None:
    text = to_json(_ATTEMPT)
    assert text.isascii()
    assert from_json(Attempt, text) == _ATTEMPT


def test_a_plan_survives_with_its_enums_and_optional_fields() -> None:
    finding = Finding("AES-256-GCM", Verdict.RECOMMENDED, "no known break", "RFC 5116")
    plan = CampaignPlan(
        _PAIR,
        Profile(ProfileName.QUICK, 200, 3, 1),
        (Candidate("wireguard", "x", "WireGuard", Verdict.RECOMMENDED, (finding,)),),
        (_ATTEMPT.key,),
        (41.5,),
        deadline_ms=None,
        seed=2**31 - 1,
    )
    assert from_json(CampaignPlan, to_json(plan)) == plan


def test_times_are_written_in_utc_and_read_as_utc() -> None:
    east = _NOW.astimezone(timezone(timedelta(hours=5, minutes=30)))
    data = to_data(replace(_ATTEMPT, started_at=east))
    assert data["started_at"] == "2026-03-04T09:30:01.000250+00:00"
    data["ended_at"] = "2026-03-04T11:30:32+02:00"
    assert from_data(Attempt, data).ended_at == datetime(2026, 3, 4, 9, 30, 32, tzinfo=UTC)
    assert from_data(Attempt, data).ended_at.tzinfo is UTC


def test_a_field_that_is_not_known_is_passed_over() -> None:
    assert from_data(HostSpec, {**to_data(_PAIR.a), "colour": "blue"}) == _PAIR.a


def test_a_field_with_a_default_may_be_missing() -> None:
    assert from_data(HostSpec, {"label": "x", "address": "y"}) == HostSpec("x", "y")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": 5}, "a text is expected, not a whole number ($.label)"),
        ({"port": "22"}, "$.port"),
        ({"port": True}, "$.port"),
        ({"port": 22.0}, "$.port"),
        ({"auth": "telepathy"}, "'telepathy' is none of "),
        ({"label": None}, "a text is expected, not nothing ($.label)"),
    ],
)
def test_wrong_types_and_words_are_refused_with_their_place(change: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidFile) as caught:
        from_data(HostSpec, {**to_data(_PAIR.a), **change}, what="The pair file")
    assert words in caught.value.message
    assert caught.value.message.startswith("The pair file cannot be read: ")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"doubts": "text"}, "$.doubts"),
        ({"throughput": {"0": 1}}, "$.throughput"),
        ({"throughput": [{"direction": "a_to_b"}]}, "$.throughput[0]"),
        ({"cpu_latency": []}, "$.cpu_latency"),
        ({"key": []}, "$.key"),
        ({"started_at": "2026-03-04T09:30:01"}, "$.started_at"),
        ({"started_at": "yesterday"}, "$.started_at"),
        ({"started_at": 5}, "$.started_at"),
    ],
)
def test_nested_data_of_another_shape_is_refused_with_its_place(change: dict[str, object], place: str) -> None:
    with pytest.raises(InvalidFile) as caught:
        from_data(Attempt, {**to_data(replace(_ATTEMPT, configuration=())), **change})
    assert place in caught.value.message


@pytest.mark.parametrize("text", ["", "{", "nope", "[" * 100_000, "null", "[]", '"x"', "5", "{}"])
def test_what_is_no_such_value_is_refused(text: str) -> None:
    with pytest.raises(InvalidFile):
        from_json(PairSpec, text)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(list(to_data(_ATTEMPT))), inner),
    max_leaves=20,
)


def _refusal(data: object) -> str:
    """Return the sentence with which an attempt is refused; empty if it is not. Lets any other exception pass."""
    try:
        from_data(Attempt, data)
    except InvalidFile as error:
        return error.message
    return ""


@given(_json)
def test_reading_raises_nothing_but_invalid_file(data: object) -> None:
    assert 0 < len(_refusal(data)) < 4000


@given(st.dictionaries(st.sampled_from(list(to_data(_ATTEMPT))), _json, min_size=1, max_size=2))
@example({"setup_s": 10**400})
@example({"setup_s": -(10**400)})
def test_one_wrong_field_raises_nothing_but_invalid_file(change: dict[str, object]) -> None:
    message = _refusal({**to_data(_ATTEMPT), **change})
    assert not message or "$." in message


@given(st.text(), st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**40), 2**40))
def test_texts_and_numbers_survive_exactly(text: str, number: float, whole: int) -> None:
    series = ThroughputSeries(text, number, (number, -number), abs(number), whole)
    assert from_json(ThroughputSeries, to_json(series)) == series


def test_a_number_that_is_not_finite_is_our_own_mistake() -> None:
    with pytest.raises(Bug):
        to_json(replace(_CPU, busy_pct=float("nan")))


def test_a_naive_time_is_our_own_mistake() -> None:
    with pytest.raises(Bug):
        to_data(replace(_ATTEMPT, started_at=datetime(2026, 3, 4)))  # noqa: DTZ001 - that is the point


def test_arrays_are_not_put_into_json() -> None:
    series = LatencySeries(60, 1, 1, 0, np.array([5], dtype=np.uint32))
    with pytest.raises(Bug):
        to_json(replace(_ATTEMPT, latency=(series,)))
    data = {**to_data(_ATTEMPT), "latency": [{"frame_bytes": 60}]}
    with pytest.raises(InvalidFile):
        from_data(Attempt, data)


def test_json_of_an_attempt_is_what_it_was() -> None:
    """Guards stored data: a change here needs a new version of the database's format."""
    data = json.loads(to_json(replace(_ATTEMPT, configuration=())))
    assert list(data) == [
        *("key", "status", "reason", "message", "started_at", "ended_at", "latency", "throughput", "cpu_latency"),
        *("cpu_throughput", "path", "setup_s", "cleanup_s", "probe_s", "configuration", "negotiated", "daemon_log"),
        *("doubts", "wire", "stage", "blocks", "readings", "own_load_cores", "repeats", "cpu_at_rate", "rate_mbit_s"),
        *("workloads", "warm_up_ratio"),
    ]


def test_a_plan_from_before_sizes_of_files_were_stored_has_the_usual_one() -> None:
    plan = sample_record().plan
    data = to_data(replace(plan, transfer_mb=16))
    assert from_data(CampaignPlan, data).transfer_mb == 16
    del data["transfer_mb"]
    assert from_data(CampaignPlan, data) == plan
    assert plan.transfer_mb == 4
