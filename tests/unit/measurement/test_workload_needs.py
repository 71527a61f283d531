"""Needs of workloads: refused before anything is set up, with host, program and package."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
import sample_records as sample
from campaign_stage import Stage

from app.discovery.pair_discovery import Discovery
from app.domain.errors import PackageMissing
from app.domain.hosts import HostFacts, Side, Tool, ToolFlavour
from app.domain.profiles import PROFILES, ProfileName
from app.measurement.comparison import plan_choice
from app.measurement.comparison.workload_needs import needed_programs, refuse_lacking
from app.measurement.messages import WORKLOADS_LACK
from app.measurement.options import RunOptions
from app.probes.workloads import WORKLOADS
from support.message_checks import has_message

PAIR = sample.pair()
PYTHON = Tool("python3", ToolFlavour.UNKNOWN, "3.13.5", "/usr/bin/python3")
NO_PYTHON = Tool("python3", ToolFlavour.MISSING)


def having(*tools: Tool) -> HostFacts:
    """Return facts of a host with these programs, besides ping and iperf3."""
    facts = sample.facts()
    return replace(facts, tools={**facts.tools, **{one.name: one for one in tools}})


def refusal(a: HostFacts, b: HostFacts, *workloads: str) -> str:
    """Return the message that workloads are refused with."""
    with pytest.raises(PackageMissing) as refused:
        refuse_lacking(PAIR, {"a": a, "b": b}, workloads)
    return refused.value.sentence()


def test_the_message_has_workloads_host_program_and_package() -> None:
    text = refusal(having(PYTHON), having(NO_PYTHON), "voice", "transfer", "web-page")
    assert text == (
        "Hosts lack what the workloads need: gateway-b lacks python3, for Telephone call (G.711), Web page of 530 kB. "
        "Nothing was set up. Install python3 there, or compare without these workloads."
    )


def test_everything_that_is_lacking_is_in_one_message_with_each_hosts_own_package() -> None:
    no_dump = Tool("tcpdump", ToolFlavour.MISSING)
    text = refusal(having(NO_PYTHON, no_dump), having(NO_PYTHON), "idle-data", "transactions")
    assert all(words in text for words in ("gateway-a lacks python3", "gateway-a lacks tcpdump", "gateway-b lacks"))
    assert text.count("Install tcpdump, python3 there") == 1
    assert "gateway-b lacks tcpdump" not in text, "it captures on A alone"


def test_a_program_that_does_not_do_is_refused_like_a_missing_one() -> None:
    busybox = Tool("ping", ToolFlavour.BUSYBOX, "1.36.1", "/bin/ping")
    text = refusal(having(PYTHON, busybox), having(PYTHON), "voice", "web-page")
    assert "gateway-a has BusyBox's ping only, which does not do for Telephone call (G.711)." in text
    assert "Install iputils-ping there" in text
    old = Tool("iperf3", ToolFlavour.STANDARD, "3.6", "/usr/bin/iperf3")
    text = refusal(having(), having(old), "both-directions", "transfer")
    assert "gateway-b has iperf3 3.6, and 3.7 is the least for Throughput in both directions" in text
    refuse_lacking(PAIR, {"a": having(busybox), "b": having(old)}, ["transfer"])
    newer = Tool("iperf3", ToolFlavour.STANDARD, "3.10.1+", "/usr/bin/iperf3")
    refuse_lacking(PAIR, {"a": having(newer), "b": having(newer)}, ["both-directions"])


def test_what_hosts_have_or_were_not_asked_about_is_not_refused() -> None:
    refuse_lacking(PAIR, {"a": having(PYTHON), "b": having(PYTHON)}, ["voice", "no-longer-known"])
    refuse_lacking(PAIR, {"a": having(), "b": having()}, ["voice"])


def test_hosts_are_asked_for_what_any_workload_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = replace(WORKLOADS["voice"], name="made-up", needs={Side.B: ("made-up-server", "python3")})
    monkeypatch.setattr("app.measurement.comparison.workload_needs.WORKLOADS", {**WORKLOADS, "made-up": made_up})
    programs = needed_programs()
    assert {"made-up-server", "python3", "iperf3", "tcpdump", "ping"} <= set(programs)
    assert len(set(programs)) == len(programs)


def test_a_plan_is_refused_below_both_front_ends() -> None:
    discovery = SimpleNamespace(
        pair=PAIR, candidates=(sample.WIREGUARD,), facts={"a": having(NO_PYTHON), "b": having(NO_PYTHON)}
    )
    options = RunOptions(PROFILES[ProfileName.QUICK], workloads=("voice",))
    with pytest.raises(PackageMissing, check=has_message(WORKLOADS_LACK)):
        plan_choice(
            cast("Discovery", discovery),
            [(sample.WIREGUARD.solution, sample.WIREGUARD.suite)],
            options,
            usual_condition=lambda _pair: None,
            durations=lambda _name, _profile: {},
        )


def test_a_plan_that_goes_on_is_refused_before_anything_is_set_up() -> None:
    stage = Stage(workloads=("voice",), facts={"a": having(PYTHON), "b": having(NO_PYTHON)})
    with pytest.raises(PackageMissing, check=has_message(WORKLOADS_LACK)):
        stage.run()
    assert stage.tunnels.opened == []
    assert stage.seen == []
