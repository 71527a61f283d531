"""`make test`: all checks and tests, in lanes side by side, and what belongs to it.

Names of stages (check, units, hosts, machines) select some of it. See docs/testing.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from suite import injections
from suite.budgets import write_budgets
from suite.documents import PAGE, put_part
from suite.full import FullRun, parts
from suite.injections import injections_table, read_counted
from suite.making import CACHE, INTERRUPTED, TIMES, Busy, cache_folder, printer, run_suite
from suite.plan import JUDGED, LANES, ROOT, STAGES, lanes_of
from suite.quarantine import QuarantineError
from suite.times import BEFORE, junit_seconds, read_times, seconds_by_lane, table


def main(words: Sequence[str]) -> int:
    """Do what the words say; return the exit status."""
    parser = argparse.ArgumentParser("python -m suite", description=__doc__)
    parser.add_argument("names", nargs="*", help="stages (check, units, hosts, machines), or parts with --full")
    does = parser.add_mutually_exclusive_group()
    does.add_argument("--full", action="store_true", help="run what `make test` leaves out; goes on where it ended")
    does.add_argument("--table", action="store_true", help="print how long each test file took, as Markdown")
    does.add_argument("--before", nargs="+", type=Path, metavar="XML", help="keep JUnit files' times to compare with")
    does.add_argument("--write-budgets", action="store_true", help="write tests/budgets.toml from the last run")
    does.add_argument("--injections", type=Path, metavar="JSONL", help="print what got into tunnels, as Markdown")
    parser.add_argument("--fresh", action="store_true", help="with --full: begin anew")
    parser.add_argument(
        "--write", action="store_true", help="with --table: into docs/testing.md; with --injections: docs/security.md"
    )
    options = parser.parse_args(words)
    known = [part.job.name for part in parts()] if options.full else [*STAGES]
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}")
    try:
        if options.full:
            return _full(options.names, is_fresh=options.fresh)
        if options.table:
            return _table(is_written=options.write)
        if options.injections:
            return _injections(options.injections, is_written=options.write)
        if options.before:
            return _keep_before(options.before)
        if options.write_budgets:
            return _write_budgets()
        return run_suite(lanes_of(options.names), ROOT)
    except (Busy, QuarantineError) as error:
        print(error, file=sys.stderr)
        return 1


def _full(names: Sequence[str], *, is_fresh: bool) -> int:
    with cache_folder(ROOT, "full", is_emptied=False) as folder:
        full = FullRun(ROOT, folder, parts(), printer())
        if is_fresh:
            full.forget()
        if not full.run(names):
            print("Interrupted; `make test-full` goes on from here.")
            return INTERRUPTED
        if not names:
            full.show(ROOT / PAGE)
        print(full.table())
        print(f"Logs are in {ROOT / CACHE / 'full'}.")
        return 0 if full.is_well(names) else 1


def _table(*, is_written: bool) -> int:
    path = ROOT / BEFORE
    before_s = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    text = table(before_s, read_times(ROOT / TIMES))
    print(text)
    if is_written:
        put_part(ROOT / PAGE, "times", text)
    return 0


def _injections(path: Path, *, is_written: bool) -> int:
    text = injections_table(read_counted(path))
    print(text)
    if is_written:
        put_part(ROOT / injections.PAGE, injections.PART, text)
    return 0


def _write_budgets() -> int:
    times = read_times(ROOT / TIMES)
    judged = [job for lane in LANES if lane.name in JUDGED for job in lane.jobs(1)]
    if missing := [job.name for job in judged if job.is_pytest and job.name not in times]:
        print(
            f"Nothing is written: no times are known of {', '.join(missing)}. Run `make test` first.", file=sys.stderr
        )
        return 1
    seconds = seconds_by_lane(times)
    write_budgets(ROOT, {lane: seconds[lane] for lane in JUDGED})
    return 0


def _keep_before(paths: Sequence[Path]) -> int:
    seconds = {file: round(value, 1) for file, value in sorted(junit_seconds(paths, ROOT).items())}
    (ROOT / BEFORE).write_text(json.dumps(seconds, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
