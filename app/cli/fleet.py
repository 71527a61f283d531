"""`tunnelmark deploy --all --from FILE.toml`: many pairs at once."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.names import check_solutions
from app.cli.pairs import parse_address
from app.cli.tables import Column, Kind, Table
from app.deployment.fleet import FleetEntry, FleetOutcome, FleetState, FleetWork, run_fleet
from app.deployment.planning import check_options
from app.domain.cancel import CancelToken
from app.domain.deployment import BROADCASTS_PER_S, Deployment, RolloutOptions
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.pairs import Saving

if TYPE_CHECKING:
    from app.services.wiring import Services

DEFAULT_PARALLEL, DEFAULT_STOP_AFTER, MOST_PARALLEL = 4, 1, 64

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,62}")
_SWITCHES = frozenset({"block-dhcp", "block-router-advertisements", "move-lan-rules"})
_LAN = _SWITCHES | {"broadcast-limit"}
_CHOICES = frozenset({"solution", "suite", "reason"}) | _LAN
_HOSTS = frozenset({"a", "b", "underlay", "identity", "host-key-file"})
_KEYS = _CHOICES | _HOSTS | {"name", "bridge", "inner"}


def deploy_all(context: Context) -> int:
    """Deploy on every pair of a file."""
    options = context.options
    if not options.file or options.pair or options.solution or options.again:
        raise InvalidOption("--all takes its pairs and solutions from a file.", hint="Use: --all --from FILE.toml")
    parallel = DEFAULT_PARALLEL if options.parallel is None else options.parallel
    stop_after = DEFAULT_STOP_AFTER if options.stop_after is None else options.stop_after
    if not 1 <= parallel <= MOST_PARALLEL or stop_after < 1:
        raise InvalidOption(f"--parallel takes 1 to {MOST_PARALLEL}, --stop-after 1 or more.")
    if options.confirm_within is not None or options.dry_run:
        raise InvalidOption("--confirm-within and --dry-run are for one pair at a time.")
    rows = read_fleet(Path(options.file))
    check_solutions([row["solution"] for row in rows])
    for row in rows:
        check_options(_rollout_options(row))
    with context.services() as services:
        stored = {pair.name: pair for pair in services.stored_pairs()}
        described = [_described(services, stored, row) for row in rows]  # all are checked before one is stored
        for pair in filter(None, described):
            services.save_pair(pair, Saving.ADD)
        entries = context.job(lambda token, tell: [_entry(services, row, token, tell) for row in rows])
        outcomes = context.job(
            lambda token, _tell: run_fleet(
                entries,
                _work(services),
                parallel=parallel,
                stop_after=stop_after,
                token=token,
                tell=lambda outcome: _tell_change(context, outcome),
            )
        )
    _show(context, outcomes)
    if any(outcome.state is FleetState.CANCELLED for outcome in outcomes):
        return ExitCode.CANCELLED
    return ExitCode.OK if all(outcome.state is FleetState.CONFIRMED for outcome in outcomes) else ExitCode.FAILED


def read_fleet(path: Path) -> tuple[Mapping[str, Any], ...]:
    """Read a file of pairs; `[defaults]` holds for each pair that does not set its own value.

    Args:
        path: TOML; see docs/roll-out-many.md.

    Returns:
        One mapping per pair, with the values of the right kinds.

    Raises:
        InvalidFile: It cannot be read, or has invalid values.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InvalidFile(
            f"{path} cannot be read: {reason}.", hint="It is a TOML file with one [[pair]] each."
        ) from error
    defaults, pairs = raw.pop("defaults", {}), raw.pop("pair", [])
    if raw or not isinstance(defaults, dict) or not isinstance(pairs, list) or not pairs:
        raise InvalidFile(f"{path} holds no list of pairs.", hint="It has one table [[pair]] each, and [defaults].")
    for key in defaults:
        if key not in _CHOICES:
            raise InvalidFile(
                f"{path}: [defaults] cannot have {key}.", hint=f"It can have: {', '.join(sorted(_CHOICES))}."
            )
    rows = tuple({**defaults, **row} for row in pairs if isinstance(row, dict))
    for number, row in enumerate(rows, 1):
        for wrong in _faults(row):
            raise InvalidFile(f"{path}: pair {number} ({row.get('name', 'without a name')}): {wrong}.")
    names = [row["name"] for row in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice or len(rows) < len(pairs):
        raise InvalidFile(f"{path}: each pair is a table with a name of its own{f', not {twice}' if twice else ''}.")
    return rows


def _faults(row: Mapping[str, Any]) -> Iterator[str]:
    for key, value in row.items():
        if key not in _KEYS:
            yield f"there is no {key}"
        elif key == "bridge":
            if not isinstance(value, dict) or not set(value) <= {"a", "b"} or not _are_words(value.values()):
                yield 'bridge is a table such as { a = "eth2", b = "eth2" }'
        elif key in ("inner", "underlay"):
            if not isinstance(value, list) or len(value) != 2 or not _are_words(value):
                yield f"{key} is a list of two addresses, A's and B's"
        elif key in _LAN:
            yield from _lan_faults(key, value)
        elif not isinstance(value, str):
            yield f"{key} is a text in quotes"
    if not isinstance(row.get("name"), str) or not _NAME.fullmatch(row["name"]):
        yield "its name is missing, or has other signs than letters, digits, dots, dashes and underscores"
    if not row.get("solution"):
        yield "it has no solution, and there is none in [defaults]"
    given = {"a", "b", "underlay"} & set(row)
    if given and len(given) < 3:
        yield "a, b and underlay go together; without them it is a pair that is stored already"


def _lan_faults(key: str, value: Any) -> Iterator[str]:
    if key in _SWITCHES and not isinstance(value, bool):
        yield f"{key} is true or false"
    if key not in _SWITCHES and type(value) is not int:
        yield f"{key} is a whole number of frames per second; 0 for any number"


def _are_words(values: Any) -> bool:
    return all(isinstance(value, str) and value for value in values)


def _rollout_options(row: Mapping[str, Any]) -> RolloutOptions:
    bridge, inner = row.get("bridge", {}), row.get("inner", ["", ""])
    return RolloutOptions(
        bridge_a=bridge.get("a", ""),
        bridge_b=bridge.get("b", ""),
        inner_a=inner[0],
        inner_b=inner[1],
        legacy_reason=row.get("reason", ""),
        moves_lan_rules=row.get("move-lan-rules", False),
        broadcast_limit=row.get("broadcast-limit", BROADCASTS_PER_S),
        blocks_dhcp=row.get("block-dhcp", False),
        blocks_router_advertisements=row.get("block-router-advertisements", False),
    )


def _entry(services: Services, row: Mapping[str, Any], token: CancelToken, tell: Any) -> FleetEntry:
    options = _rollout_options(row)
    pair = services.resolve_pair(row["name"], token=token, on_progress=tell)
    return FleetEntry(pair, row["solution"], row.get("suite", ""), options)


def _described(services: Services, stored: Mapping[str, PairSpec], row: Mapping[str, Any]) -> PairSpec | None:
    """Return a pair that the file itself describes and that is to be stored, so that status and undeploy know it.

    Raises:
        InvalidOption: It cannot be used, or another pair has its name.
    """
    if "a" not in row:
        return None
    keys, known = row.get("identity"), row.get("host-key-file")
    a, b = (parse_address(row[side.value], side.upper(), identity=keys, host_key_file=known) for side in Side)
    pair = PairSpec(row["name"], a, b, row["underlay"][0], row["underlay"][1])
    former = stored.get(pair.name)
    if former is None:
        services.check_pair(pair, Saving.ADD)
        return pair
    if _reached(former) != _reached(pair):
        raise InvalidOption(
            f"There is a pair {pair.name} already, with other hosts or addresses than in the file.",
            hint=f"See it with `tunnelmark pair show {pair.name}`; change the file, or store the pair anew: "
            "tunnelmark pair add --replace",
        )
    return None


def _reached(pair: PairSpec) -> tuple[HostSpec, HostSpec, str, str]:
    """Return how a pair is reached, whatever its hosts are called and however paths are written."""

    def path(text: str | None) -> str | None:
        return str(Path(text).expanduser().absolute()) if text else None

    a, b = (
        replace(one, label="", identity_file=path(one.identity_file), host_key_file=path(one.host_key_file))
        for one in (pair.a, pair.b)
    )
    return a, b, pair.underlay_a, pair.underlay_b


def _work(services: Services) -> FleetWork:
    def work(entry: FleetEntry, token: CancelToken) -> Deployment:
        services.refuse_if_in_use(entry.pair)
        found = services.discover(entry.pair, token=token, on_progress=lambda _text, _fraction: None)
        key = entry.solution, entry.suite
        return services.deploy(found, key, entry.options, token=token, emit=lambda _event: None)

    return work


def _tell_change(context: Context, outcome: FleetOutcome) -> None:
    seconds = f" after {outcome.seconds:.0f} s" if outcome.seconds else ""
    message = f": {outcome.message}" if outcome.message else ""
    context.err.print(f"{outcome.entry.pair.name}: {outcome.state}{seconds}{message}", markup=False, soft_wrap=True)


def _show(context: Context, outcomes: tuple[FleetOutcome, ...]) -> None:
    if context.options.json:
        print(json.dumps({"format": 1, "pairs": [_row(outcome) for outcome in outcomes]}, indent=2))  # noqa: T201 - the result
        return
    fleet_table(outcomes).print(context.out)
    confirmed = sum(outcome.state is FleetState.CONFIRMED for outcome in outcomes)
    context.out.print(f"{confirmed} of {len(outcomes)} pairs confirmed.", markup=False)


def fleet_table(outcomes: Sequence[FleetOutcome]) -> Table:
    """Return a row for each pair."""
    columns = [
        Column("pair"),
        Column("outcome"),
        Column("what", rank=1),
        Column("s", Kind.FIGURE, 2),
        Column("why not", Kind.PROSE),
    ]
    table = Table(columns, more="--json")
    for outcome in outcomes:
        what = outcome.deployment.title if outcome.deployment else outcome.entry.solution
        seconds = f"{outcome.seconds:.0f}" if outcome.seconds else ""
        table.add_row(outcome.entry.pair.name, outcome.state, what, seconds, outcome.message)
    return table


def _row(outcome: FleetOutcome) -> dict[str, object]:
    return {
        "pair": outcome.entry.pair.name,
        "solution": outcome.entry.solution,
        "suite": outcome.deployment.suite if outcome.deployment else outcome.entry.suite,
        "state": outcome.state,
        "seconds": round(outcome.seconds, 1),
        "message": outcome.message,
        "details": dict(outcome.details),
        "deployment": outcome.deployment.id if outcome.deployment else None,
    }
