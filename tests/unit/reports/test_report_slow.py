"""Slow results are named in reports, and kept apart from insecure ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_records import sample_record

from app.domain.ranking import Ranking
from app.policy.messages import SLOW_ONCE
from app.ranking import rank
from app.reports import to_html, to_json
from support.message_checks import has_message

pytestmark = pytest.mark.usefixtures("without_figures")


def with_slow(ranking: Ranking) -> Ranking:
    """Make the last protected candidate twenty times slower than it was."""
    results = list(ranking.results)
    nth = max(n for n, one in enumerate(results) if not one.is_unprotected and one.weighted_latency_ms is not None)
    latency = results[nth].weighted_latency_ms
    assert latency is not None
    results[nth] = replace(results[nth], weighted_latency_ms=replace(latency, mean=20 * latency.mean))
    return replace(ranking, results=tuple(results))


def test_slow_candidates_are_named_in_json_and_html() -> None:
    record = sample_record()
    plain = rank(record)
    assert "Slow on this pair" not in to_html(record, plain)
    assert all(one["slow"] is None for one in to_json(record, plain)["results"])
    slow = with_slow(plain)
    reported = [one["slow"] for one in to_json(record, slow)["results"] if one["slow"]]
    assert len(reported) == 1
    assert has_message(SLOW_ONCE)(reported[0])
    page = to_html(record, slow)
    assert page.count("Slow here") == 1
    assert "times that of the best" in page
    verdicts = [one["verdict"] for one in to_json(record, slow)["results"]]
    assert verdicts == [one["verdict"] for one in to_json(record, plain)["results"]]
