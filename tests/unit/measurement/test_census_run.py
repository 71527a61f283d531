from __future__ import annotations

from dataclasses import replace

import pytest

from app.domain.cancel import CancelToken
from app.domain.census import OptionStatus
from app.domain.errors import (
    Cancelled,
    CleanupFailed,
    ConnectionLost,
    InvalidOption,
    InvalidPlan,
    PackageMissing,
    PreflightRefused,
    TunnelCannotComeUp,
    TunnelDown,
)
from app.domain.events import AttemptEnded, CampaignEnded, CampaignStarted, LogLine, Paused, Progress
from app.domain.messages import code_of, sentences
from app.domain.results import CampaignStatus
from app.domain.solutions import OptionKind
from app.measurement.census import find_unfinished, plan_census
from app.measurement.census.planning import DEFAULT_PINGS
from app.measurement.messages import (
    CENSUS_NO_OPTIONS,
    CENSUS_NOTHING,
    CENSUS_UNKNOWN_OPTIONS,
    CENSUS_UNKNOWN_SOLUTION,
    CONTROL_NOT_SEEN,
    DEFAULT_DOES_NOT_WORK,
    ECHOES_ANSWERED,
    ECHOES_LOST_AT_FIRST,
    FEW_OF_THE_KIND,
    LOAD_NOT_ALLOWED,
    PLAINTEXT_READ,
    PROGRAM_MISSING,
    REPORTED_LINE,
    SECOND_TRY,
    WORK_CANCELLED,
)
from app.policy.messages import SLOW_LATENCY, SLOW_THROUGHPUT
from app.ranking.census import BehindBest, behind_best, count_census
from app.tunnel import NotUpInTime
from support import sample_records as sample
from support.census_stage import ALIAS, BF, CBC, FACTS, NONE, PAIR, SHA256, SHAKE, Census
from support.census_world import (
    READABLE,
    SILENT,
    WELL,
    FakeCensusAdapter,
    FakeCensusTunnels,
    broken,
    option,
)
from support.message_checks import has_message


class TestPlanning:
    def test_all_options_solution_by_solution_in_the_order_of_the_list(self) -> None:
        adapters = {"one": FakeCensusAdapter("one", (CBC, NONE)), "two": FakeCensusAdapter("two", (BF,))}
        plan = plan_census(PAIR, adapters, FACTS, solutions=["two", "one"])
        assert [(item.position, item.solution, item.name) for item in plan.items] == [
            (0, "two", "BF-CBC"),
            (1, "one", "AES-128-CBC"),
            (2, "one", "none"),
        ]
        assert plan.items[2].is_unprotected
        assert plan.pings == DEFAULT_PINGS

    def test_solutions_without_a_choice_are_left_out_unless_named(self) -> None:
        adapters = {"one": FakeCensusAdapter("one", (CBC,)), "none": FakeCensusAdapter("none", ())}
        assert plan_census(PAIR, adapters, FACTS).solutions == ("one",)
        with pytest.raises(InvalidOption, check=has_message(CENSUS_NO_OPTIONS)):
            plan_census(PAIR, adapters, FACTS, solutions=["none"])

    def test_only_options_of_the_kinds_that_are_wanted(self) -> None:
        adapters = {"one": FakeCensusAdapter("one", (CBC, SHA256, NONE))}
        plan = plan_census(PAIR, adapters, FACTS, kinds=[OptionKind.MAC])
        assert [(item.position, item.name) for item in plan.items] == [(0, "SHA256")]

    def test_unknown_names_are_refused(self) -> None:
        adapters = {"one": FakeCensusAdapter("one", (CBC,))}
        with pytest.raises(InvalidOption, check=has_message(CENSUS_UNKNOWN_SOLUTION, solution="two")):
            plan_census(PAIR, adapters, FACTS, solutions=["two"])
        with pytest.raises(InvalidOption, check=has_message(CENSUS_UNKNOWN_OPTIONS, options=("NOSUCH",))):
            plan_census(PAIR, adapters, FACTS, names=["NOSUCH", "AES-128-CBC"])

    def test_no_choice_at_all_is_reported(self) -> None:
        with pytest.raises(InvalidOption, check=has_message(CENSUS_NOTHING)):
            plan_census(PAIR, {"none": FakeCensusAdapter("none", ())}, FACTS)


class TestResults:
    def test_working_options_share_one_tunnel(self) -> None:
        census = Census(CBC, SHA256)
        record = census.run()
        assert census.statuses(record) == {"AES-128-CBC": "works", "SHA256": "works"}
        assert census.tunnels.did == ["open AES-256-GCM", "switch AES-128-CBC", "switch SHA256", "close"]
        assert record.is_complete
        result = record.results[0]
        assert (result.sent, result.received, result.negotiated) == (20, 20, "AES-128-CBC")
        assert result.weighted_latency_ms == pytest.approx(2.0)
        assert result.throughput_mbit_s == 10.0

    def test_without_switching_each_option_gets_a_tunnel_of_its_own(self) -> None:
        census = Census(CBC, SHA256, tunnels=FakeCensusTunnels(is_switchable=False))
        census.run()
        assert census.tunnels.did == [
            "open AES-256-GCM",
            "close",
            "open AES-128-CBC",
            "close",
            "open SHA256",
            "close",
        ]

    def test_failing_option_has_the_daemons_words_and_the_next_one_goes_on(self) -> None:
        log = (
            "gateway-a:\n--- /run/x.log\n2026-03-04 09:30:00 Note: failed\n2026-03-04 09:30:01 Unsupported cipher BF\n"
        )
        tunnels = FakeCensusTunnels(faults={"BF-CBC": [broken(log)]})
        census = Census(BF, CBC, tunnels=tunnels)
        record = census.run()
        assert census.statuses(record) == {"BF-CBC": "fails", "AES-128-CBC": "works"}
        assert has_message(REPORTED_LINE, line="Unsupported cipher BF")(record.results[0].reason)

    def test_daemon_that_dies_on_the_first_frame_fails_with_the_kernels_words(self) -> None:
        tunnels = FakeCensusTunnels(
            outcomes={"SHAKE128": [SILENT]},
            log="Initialization Sequence Completed",
            kernel="[  12.5] openvpn[812]: segfault at 0 ip 0 sp 0",
        )
        record = Census(SHAKE, tunnels=tunnels).run()
        assert record.results[0].status is OptionStatus.FAILS
        unanswered, reported = ECHOES_ANSWERED(received=0, sent=20), "openvpn[812]: segfault at 0 ip 0 sp 0"
        assert record.results[0].reason == sentences((unanswered, REPORTED_LINE(line=reported)))

    def test_lost_requests_are_tried_once_more_and_reported(self) -> None:
        one_lost = replace(WELL, received=19)
        tunnels = FakeCensusTunnels(outcomes={"BF-CBC": [one_lost, WELL], "AES-128-CBC": [one_lost]})
        record = Census(BF, CBC, tunnels=tunnels).run()
        assert [result.status for result in record.results] == [OptionStatus.WORKS, OptionStatus.FAILS]
        assert record.results[0].reason == ECHOES_LOST_AT_FIRST(lost=1, sent=20)
        assert has_message(ECHOES_ANSWERED, received=19, sent=20)(record.results[1].reason)

    def test_frames_of_another_kind_on_the_underlay_fail(self) -> None:
        record = Census(CBC, tunnels=FakeCensusTunnels(outcomes={"AES-128-CBC": [replace(WELL, captured=3)]})).run()
        assert record.results[0].status is OptionStatus.FAILS
        assert has_message(FEW_OF_THE_KIND, captured=3)(record.results[0].reason)

    def test_capture_counts_only_the_solutions_own_transport(self) -> None:
        census = Census(CBC)
        census.run()
        assert census.tunnels.requests[-1].outer_filter == "(udp port 21194) and udp"

    def test_capture_without_its_control_is_doubted(self) -> None:
        record = Census(
            CBC, tunnels=FakeCensusTunnels(outcomes={"AES-128-CBC": [replace(WELL, control_marks=0)]})
        ).run()
        assert record.results[0].status is OptionStatus.WORKS
        assert has_message(CONTROL_NOT_SEEN)(record.results[0].reason)

    @pytest.mark.parametrize("slow", [NotUpInTime("The tunnel did not come up."), broken("not established after 3 s")])
    def test_what_fails_is_tried_once_more_before_it_counts(self, slow: TunnelDown) -> None:
        census = Census(CBC, BF, tunnels=FakeCensusTunnels(faults={"AES-128-CBC": [slow, None], "BF-CBC": [slow]}))
        record = census.run()
        assert census.statuses(record) == {"AES-128-CBC": "works", "BF-CBC": "fails"}
        assert census.tunnels.did.count("switch BF-CBC") == 2
        assert has_message(SECOND_TRY)(record.results[0].reason)
        assert slow.message in record.results[0].reason

    def test_crash_is_not_tried_again(self) -> None:
        tunnels = FakeCensusTunnels(faults={"SHAKE128": [TunnelDown("It ended.")]}, kernel="openvpn[1]: segfault at 0")
        record = Census(SHAKE, tunnels=tunnels).run()
        assert record.results[0].reason == "It ended. Reported: openvpn[1]: segfault at 0"
        assert tunnels.did.count("switch SHAKE128") == 1

    def test_what_a_program_calls_hopeless_is_not_tried_again(self) -> None:
        census = Census(CBC, tunnels=FakeCensusTunnels(faults={"AES-128-CBC": [TunnelCannotComeUp("Never."), None]}))
        assert census.statuses(census.run()) == {"AES-128-CBC": "fails"}
        assert census.tunnels.did.count("switch AES-128-CBC") == 1


class TestCounting:
    def test_aliases_count_as_listed_and_unprotected_options_do_not(self) -> None:
        tunnels = FakeCensusTunnels(outcomes={"SHAKE128": [SILENT], "none": [READABLE]})
        record = Census(CBC, NONE, SHA256, ALIAS, SHAKE, tunnels=tunnels).run()
        (count,) = count_census(record)
        assert (count.working, count.failed, count.total, count.unprotected) == (3, 1, 4, 1)
        assert [result.alias_of for result in count.options] == ["", "", "", "SHA256", ""]

    def test_plaintext_on_the_underlay_is_unprotected_whatever_the_name_says(self) -> None:
        record = Census(CBC, tunnels=FakeCensusTunnels(outcomes={"AES-128-CBC": [READABLE]})).run()
        assert record.results[0].status is OptionStatus.UNPROTECTED
        assert has_message(PLAINTEXT_READ, seen=40, captured=40)(record.results[0].reason)

    def test_unprotected_by_its_meaning_even_where_nothing_can_be_read(self) -> None:
        record = Census(NONE).run()
        assert record.results[0].status is OptionStatus.UNPROTECTED

    def test_refused_unprotected_option_is_listed_with_the_refusal_and_not_counted(self) -> None:
        record = Census(NONE, tunnels=FakeCensusTunnels(faults={"none": [broken("Unknown cipher type 'none'")]})).run()
        (count,) = count_census(record)
        assert (count.total, count.unprotected) == (0, 1)
        assert "Unknown cipher type" in record.results[0].reason

    def test_how_far_behind_the_best(self) -> None:
        slow = replace(WELL, throughput_mbit_s=1.0, mean_ms_by_frame=dict.fromkeys(WELL.mean_ms_by_frame, 8.0))
        record = Census(CBC, BF, tunnels=FakeCensusTunnels(outcomes={"BF-CBC": [slow]})).run()
        behind = behind_best(record.results)
        (slow_key, slow_one), (best_key, best_one) = sorted(behind.items(), key=lambda one: one[0][1], reverse=True)
        assert (slow_key[1], best_key[1]) == ("cipher-bf-cbc", "cipher-aes-128-cbc")
        assert slow_one.throughput_pct == pytest.approx(90.0)
        assert slow_one.latency_factor == pytest.approx(4.0)
        assert has_message(SLOW_LATENCY, latency=8.0, best=2.0, times=pytest.approx(4.0))(slow_one.slow)
        assert has_message(SLOW_THROUGHPUT, throughput=1.0, best=10.0, share=pytest.approx(10.0))(slow_one.slow)
        assert (best_one.throughput_pct, best_one.latency_factor, best_one.slow) == (0.0, 1.0, "")

    def test_behind_the_best_of_the_same_solution_and_only_where_it_works(self) -> None:
        (one,) = Census(CBC).run().results
        half = replace(one, suite="half", weighted_latency_ms=2 * (one.weighted_latency_ms or 0.0))
        other = replace(half, solution="other")
        unprotected = replace(one, suite="none", status=OptionStatus.UNPROTECTED, weighted_latency_ms=0.001)
        unmeasured = replace(one, suite="bare", weighted_latency_ms=None, throughput_mbit_s=None)
        behind = behind_best((one, half, other, unprotected, unmeasured))
        assert behind[one.solution, "half"].latency_factor == 2.0
        assert has_message(SLOW_LATENCY)(behind[one.solution, "half"].slow)
        assert behind["other", "half"] == BehindBest(throughput_pct=0.0, latency_factor=1.0)
        assert behind[one.solution, "bare"] == BehindBest()
        assert (one.solution, "none") not in behind


class TestControl:
    def test_without_a_working_default_no_failure_counts(self) -> None:
        census = Census(CBC, BF, tunnels=FakeCensusTunnels(faults={"AES-256-GCM": [TunnelDown("It is down.")]}))
        record = census.run()
        assert set(census.statuses(record).values()) == {"not-run"}
        assert has_message(DEFAULT_DOES_NOT_WORK)(record.results[0].reason)
        assert not record.is_complete

    def test_what_is_in_the_way_of_one_solution_is_its_reason(self) -> None:
        tunnels = FakeCensusTunnels(faults={"AES-256-GCM": [PreflightRefused("Port udp/21194 is in use.")]})
        record = Census(CBC, tunnels=tunnels).run()
        assert record.results[0].reason == "Port udp/21194 is in use."

    def test_streak_of_failures_is_confirmed_by_the_default(self) -> None:
        options = [option(f"BAD-{number}") for number in range(4)]
        faults = {one.name: [broken()] for one in options}
        census = Census(*options, tunnels=FakeCensusTunnels(faults=faults))
        record = census.run()
        assert set(census.statuses(record).values()) == {"fails"}
        assert [text for text in census.tunnels.did if text == "switch AES-256-GCM"] == ["switch AES-256-GCM"] * 2

    def test_failures_on_a_sick_tunnel_are_tried_again_on_a_new_one(self) -> None:
        faults = {"AES-256-GCM": [None, broken(), None], "AES-128-CBC": [broken(), broken(), None]}
        census = Census(CBC, tunnels=FakeCensusTunnels(faults=faults))
        record = census.run()
        assert census.statuses(record) == {"AES-128-CBC": "works"}
        assert census.tunnels.did.count("open AES-256-GCM") == 2
        assert any(isinstance(event, LogLine) for event in census.events)

    def test_later_switches_get_as_long_as_earlier_ones_took(self) -> None:
        census = Census(CBC, BF)
        census.run()
        assert census.tunnels.up_timeouts_s[0] is None
        assert census.tunnels.up_timeouts_s[1] == pytest.approx(3.0)


class TestStopping:
    def test_cancelled_in_the_middle_keeps_what_was_tried_and_can_be_resumed(self) -> None:
        tunnels = FakeCensusTunnels()
        census = Census(CBC, BF, SHA256, tunnels=tunnels)
        tunnels.on_smoke_test = lambda title: census.token.cancel() if title == "BF-CBC" else None
        record = census.run()
        assert census.statuses(record) == {"AES-128-CBC": "works"}
        assert not record.is_complete
        assert code_of(record.message) == WORK_CANCELLED.code
        assert tunnels.tunnels_up == 0
        assert census.events[-1] == CampaignEnded(1, CampaignStatus.CANCELLED, record.message)

        census.token, tunnels.on_smoke_test = CancelToken(), lambda _title: None
        assert find_unfinished(census.store, census.plan(), FACTS, "0.1.0") == 1
        tunnels.did.clear()
        record = census.run(resume_id=1)
        assert record.is_complete
        assert "switch AES-128-CBC" not in tunnels.did
        assert (tunnels.recovered, census.store.claimed) == (1, [1])
        started = [event for event in census.events if isinstance(event, CampaignStarted)][-1]
        assert [result.name for result in started.done] == ["AES-128-CBC"]

    def test_a_pause_waits_with_the_hosts_clean_and_the_tunnel_is_built_anew(self) -> None:
        census = Census(CBC, BF)
        clean: list[bool] = []
        census.tunnels.on_smoke_test = lambda title: census.control.pause() if title == "AES-128-CBC" else None

        def on_event(event: object) -> None:
            if isinstance(event, Paused) and event.is_paused:
                clean.append(census.tunnels.tunnels_up == 0)
                census.control.resume()

        census.on_event = on_event
        assert census.run().is_complete
        assert clean == [True]
        assert census.tunnels.did[-4:] == ["switch AES-128-CBC", "close", "open BF-CBC", "close"]

    def test_killed_loses_the_running_option_alone(self) -> None:
        class Killed(BaseException):
            pass

        def kill(title: str) -> None:
            if title == "BF-CBC":
                raise Killed

        census = Census(CBC, BF, tunnels=FakeCensusTunnels(on_smoke_test=kill))
        with pytest.raises(Killed):
            census.run()
        assert census.statuses(census.store.load_census(1)) == {"AES-128-CBC": "works"}
        census.tunnels.on_smoke_test = lambda _title: None
        assert census.run(resume_id=1).is_complete

    def test_other_versions_are_not_gone_on_with(self) -> None:
        census = Census(CBC, BF, tunnels=FakeCensusTunnels(faults={"AES-256-GCM": [TunnelDown("down")]}))
        census.run()
        plan = census.plan()
        assert find_unfinished(census.store, plan, FACTS, "0.1.0") == 1
        assert find_unfinished(census.store, plan, FACTS, "0.2.0") is None
        newer = {**FACTS, "b": replace(FACTS["b"], kernel="99.1")}
        assert find_unfinished(census.store, plan, newer, "0.1.0") is None
        assert find_unfinished(census.store, replace(plan, pings=10), FACTS, "0.1.0") is None

    def test_options_that_were_not_run_are_tried_when_resumed(self) -> None:
        census = Census(CBC, tunnels=FakeCensusTunnels(faults={"AES-256-GCM": [TunnelDown("down")]}))
        census.run()
        census.tunnels.faults.clear()
        assert census.run(resume_id=1).is_complete

    def test_broken_connection_is_mended_and_the_option_tried_again(self) -> None:
        faults = {"AES-128-CBC": [ConnectionLost("gateway-b is gone."), None]}
        census = Census(CBC, tunnels=FakeCensusTunnels(faults=faults))
        record = census.run()
        assert census.statuses(record) == {"AES-128-CBC": "works"}
        assert census.tunnels.recovered == 1

    def test_host_that_is_lost_ends_it_with_everything_stored(self) -> None:
        faults: dict[str, list[BaseException | None]] = {"BF-CBC": [ConnectionLost("gateway-b is gone.")]}
        census = Census(CBC, BF, tunnels=FakeCensusTunnels(faults=faults))
        with pytest.raises(ConnectionLost):
            census.run()
        assert census.statuses(census.store.load_census(1)) == {"AES-128-CBC": "works"}
        assert census.store.messages[1] == "gateway-b is gone."
        assert [one.left for one in census.events if isinstance(one, CampaignEnded)] == ["gateway-b is gone."]

    def test_host_that_is_not_rolled_back_ends_it(self) -> None:
        faults: dict[str, list[BaseException | None]] = {"BF-CBC": [CleanupFailed("gateway-a is not as it was.")]}
        census = Census(CBC, BF, tunnels=FakeCensusTunnels(faults=faults))
        with pytest.raises(CleanupFailed):
            census.run()
        assert [one.left for one in census.events if isinstance(one, CampaignEnded)] == ["gateway-a is not as it was."]

    def test_cancelled_is_no_error_of_an_option(self) -> None:
        census = Census(CBC, tunnels=FakeCensusTunnels(faults={"AES-128-CBC": [Cancelled()]}))
        assert census.run().results == ()


class TestConditions:
    def test_live_link_wants_consent(self) -> None:
        census = Census(CBC)
        with pytest.raises(InvalidPlan, check=has_message(LOAD_NOT_ALLOWED)):
            census.run(plan=census.plan(pair=sample.pair(is_lab=False)))
        assert census.tunnels.did == []
        assert census.run(plan=census.plan(pair=sample.pair(is_lab=False), allow_load=True)).is_complete

    @pytest.mark.parametrize(("side", "name"), [("a", "ping"), ("a", "tcpdump"), ("a", "iperf3"), ("b", "iperf3")])
    def test_missing_programs_are_named(self, monkeypatch: pytest.MonkeyPatch, side: str, name: str) -> None:
        monkeypatch.delitem(FACTS[side].tools, name)
        with pytest.raises(PackageMissing, check=has_message(PROGRAM_MISSING, program=name)):
            Census(CBC).run()

    def test_progress_counts_options(self) -> None:
        census = Census(CBC, BF)
        census.run()
        progress = [event for event in census.events if isinstance(event, Progress)]
        assert [event.fraction for event in progress] == pytest.approx([0.0, 0.5, 0.5, 1.0], abs=0.2)
        assert progress[0].left_s > progress[-1].left_s == 0.0
        assert [event.attempt.name for event in census.events if isinstance(event, AttemptEnded)] == [
            "AES-128-CBC",
            "BF-CBC",
        ]
