"""Records and reports of `make faults`, and when it stops."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest
from faults.cells import CLEANED, EXCEPTION, HEALTHY_S, CellPlan, CellResult
from faults.fields import Field
from faults.progress import Progress
from faults.reporting import report_all, report_exceptions
from faults.running import Attempt, NewField, Runner
from rich.console import Console

PLANS = tuple(CellPlan("Tunnelmark killed", stage, "7", has_bridge=False) for stage in ("arm", "apply", "verify"))


class FakeField:
    """Hosts that may end."""

    pair = "pair-1"

    def __init__(self, why: str = "") -> None:
        self.why = why

    def broken(self) -> str:
        return self.why


def console() -> Console:
    return Console(file=io.StringIO(), width=160)


def reported(out: Console) -> str:
    return cast("io.StringIO", out.file).getvalue()


def progress(folder: Path, *, digest: str = "one", is_fresh: bool = False, seed: str | None = None) -> Progress:
    return Progress(folder / "faults.jsonl", is_fresh=is_fresh, seed=seed, digest=digest)


def runner(done: Progress, attempt: Attempt, out: Console | None = None, new: NewField | None = None) -> Runner:
    new = new or (lambda: cast("Field", FakeField()))
    return Runner(new, done, out or console(), attempt=attempt, grace_s=0.0)


def giving(make: Callable[[CellPlan], CellResult]) -> Attempt:
    return lambda _hosts, plan, _timelines: make(plan)


def test_what_went_wrong_is_written_down_and_the_rest_goes_on_with_new_hosts(tmp_path: Path) -> None:
    done, made = progress(tmp_path, seed="7"), []

    def new() -> Field:
        made.append(FakeField())
        return cast("Field", made[-1])

    def make(plan: CellPlan) -> CellResult:
        if plan.stage == "apply":
            raise AssertionError("not as before")
        return CellResult(plan, "as before", 1.0)

    assert runner(done, giving(make), new=new).run(PLANS, 1) == ""
    assert [row["outcome"] for row in done.results.values()] == ["as before", EXCEPTION, "as before"]
    assert len(made) == 2, "nobody knows what is on hosts on which something went wrong"


def test_it_stops_at_once_where_the_hosts_have_ended_and_nothing_of_that_is_a_result(tmp_path: Path) -> None:
    done, tried = progress(tmp_path, seed="7"), []
    hosts = FakeField()

    def attempt(_hosts: Field, plan: CellPlan, _timelines: object) -> CellResult:
        tried.append(plan)
        if len(tried) == 2:
            hosts.why = "the world in which the hosts live has ended"
            raise AssertionError("nsenter: cannot open /proc/1/ns/net: No such file or directory")
        return CellResult(plan, "as before", 1.0)

    reason = runner(done, attempt, new=lambda: cast("Field", hosts)).run(PLANS, 1)
    assert "has ended" in reason
    assert tried == list(PLANS[:2])
    assert list(done.results) == [PLANS[0].key]
    assert done.exceptions == []
    assert list(progress(tmp_path).results) == [PLANS[0].key]


def test_it_stops_at_once_where_no_hosts_can_be_made(tmp_path: Path) -> None:
    done, tried = progress(tmp_path, seed="7"), []

    def new() -> Field:
        tried.append(1)
        raise AssertionError("ip link add: File exists")

    reason = runner(done, giving(lambda plan: CellResult(plan, "as before")), new=new).run(PLANS, 1)
    assert "File exists" in reason
    assert (len(tried), done.results, done.exceptions) == (1, {}, [])


@pytest.fixture
def heeds_ctrl_c() -> Iterator[None]:
    """Ctrl+C as in a terminal, even where these tests run in the background of a shell, which ignores it for them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_what_another_user_broke_off_is_no_result(tmp_path: Path) -> None:
    done = progress(tmp_path, seed="7")
    mine: list[threading.Thread] = []
    main = threading.main_thread().ident
    assert main is not None

    def attempt(_hosts: Field, plan: CellPlan, _timelines: object) -> CellResult:
        # What runs on the hosts' network hears of Ctrl+C as well, and may do so earlier than this program.
        mine.append(threading.current_thread())
        signal.pthread_kill(main, signal.SIGINT)
        raise AssertionError("nsenter: cannot open /proc/1/ns/net: No such file or directory")

    new = lambda: cast("Field", FakeField())  # noqa: E731 - one line
    with pytest.raises(KeyboardInterrupt):
        Runner(new, done, console(), attempt=attempt, grace_s=20.0).run(PLANS, 1)
    mine[0].join(120)
    assert (len(mine), done.results, done.exceptions) == (1, {}, [])


def test_a_fault_of_the_tool_itself_stops_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = progress(tmp_path, seed="7")

    def full(_result: CellResult) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(done, "add", full)
    assert "No space left" in runner(done, giving(lambda plan: CellResult(plan, "as before"))).run(PLANS, 2)


def test_what_was_faster_than_its_timeline_is_tried_again(tmp_path: Path) -> None:
    done, tried = progress(tmp_path, seed="7"), []

    def make(plan: CellPlan) -> CellResult:
        tried.append(plan)
        return CellResult(plan, "too late" if len(tried) == 1 else "confirmed")

    assert runner(done, giving(make)).run(PLANS[:1], 1) == ""
    assert len(tried) == 2
    assert [row["outcome"] for row in done.results.values()] == ["confirmed"]


def test_an_exception_remains_reported_however_often_it_goes_well_later(tmp_path: Path) -> None:
    first = progress(tmp_path, seed="7")
    first.add(CellResult(PLANS[0], EXCEPTION, what="not as before: [A]: /etc/x"))
    first.add(CellResult(PLANS[1], EXCEPTION, what="never healthy"))
    again = progress(tmp_path)
    assert not again.is_well(PLANS[0].key)
    again.add(CellResult(PLANS[0], "as before", 1.0))
    again.add(CellResult(PLANS[2], "as before", 1.0))
    for one in (again, progress(tmp_path)):
        out = console()
        assert one.is_well(PLANS[0].key)
        assert report_exceptions(one, out) == 2
        text = reported(out)
        assert "Exceptions: 2; well at a second try: 1." in text
        assert f"{PLANS[0].key} (well at a second try): not as before: [A]: /etc/x" in text
        assert f"{PLANS[1].key}: never healthy" in text
        assert not report_all((PLANS[0], PLANS[2]), (), one, console()), "the run does not end well"
    # Another seed is another try, not another program.
    other = progress(tmp_path, seed="8")
    assert (other.seed, other.results, len(other.exceptions)) == ("8", {}, 2)
    assert len(progress(tmp_path).exceptions) == 2
    assert progress(tmp_path, digest="two").exceptions == []


def test_only_a_fresh_beginning_forgets_it(tmp_path: Path) -> None:
    progress(tmp_path, seed="7").add(CellResult(PLANS[0], EXCEPTION, what="not as before"))
    fresh = progress(tmp_path, is_fresh=True)
    fresh.add(CellResult(PLANS[0], "as before", 1.0))
    out = console()
    assert report_all(PLANS[:1], (), fresh, out)
    assert "0 exceptions." in reported(out)
    assert not report_all(PLANS[:2], (), fresh, console()), "one of them has not been tried"


def test_half_a_line_of_a_run_that_was_killed_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "faults.jsonl"
    progress(tmp_path, seed="7").add(CellResult(PLANS[0], "as before", 1.0))
    with path.open("a") as file:
        file.write('{"key": "Tunnelmark ki')
    again = progress(tmp_path)
    assert list(again.results) == [PLANS[0].key]
    again.add(CellResult(PLANS[1], "as before", 1.0))
    assert list(progress(tmp_path).results) == [PLANS[0].key, PLANS[1].key]


def test_the_worst_time_until_all_was_healthy_and_what_was_cleaned_are_reported(tmp_path: Path) -> None:
    done, out = progress(tmp_path, seed="7"), console()
    powerless = CellPlan("power loss of A", "arm", "7", has_bridge=False)
    done.add(CellResult(PLANS[0], "as before", 3.0))
    done.add(CellResult(PLANS[1], "confirmed", 1.0, healthy_s=4.0))
    done.add(CellResult(PLANS[2], "confirmed", 1.0, healthy_s=41.2))
    done.add(CellResult(powerless, CLEANED, 1.0, what="left on A until contact: /etc/tunnelmark"))
    assert report_all((*PLANS, powerless), (), done, out)
    text = reported(out)
    assert f"healthy after 41 s at most ({HEALTHY_S:.0f} s are allowed)" in text
    assert f"1 as before; 1 {CLEANED}; 2 confirmed" in text
    assert "as before* 1" in text
    assert "power loss of A, arm: left on A until contact: /etc/tunnelmark" in text
