"""`tunnelmark deploy --all --from FILE.toml`: many pairs at once."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override

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
from app.domain.structured import base_converter, structured, wrong_keys

if TYPE_CHECKING:
    from app.services.wiring import Services

DEFAULT_PARALLEL, DEFAULT_STOP_AFTER, MOST_PARALLEL = 4, 1, 64

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,62}")


@dataclass(frozen=True, slots=True)
class FleetRow:
    """A pair of the file; its keys are described in docs/deploying-many.md."""

    name: str
    solution: str
    suite: str = ""
    reason: str = ""
    bridge: Mapping[str, str] = field(default_factory=dict)
    inner: tuple[str, str] | None = None
    a: str | None = None
    b: str | None = None
    underlay: tuple[str, str] | None = None
    identity: str | None = None
    host_key_file: str | None = None
    move_lan_rules: bool = False
    block_dhcp: bool = False
    block_router_advertisements: bool = False
    broadcast_limit: int = BROADCASTS_PER_S


KEYS = frozenset(one.name.replace("_", "-") for one in fields(FleetRow))
_DEFAULTS = KEYS - {"name", "bridge", "inner", "a", "b", "underlay", "identity", "host-key-file"}
_WANTED = {
    "bridge": 'a table such as { a = "eth2", b = "eth2" }',
    "inner": "a list of two addresses, A's and B's",
    "underlay": "a list of two addresses, A's and B's",
    "broadcast-limit": "a whole number of frames per second; 0 for any number",
    **dict.fromkeys(("move-lan-rules", "block-dhcp", "block-router-advertisements"), "true or false"),
}


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
    check_solutions([row.solution for row in rows])
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


def read_fleet(path: Path) -> tuple[FleetRow, ...]:
    """Read a file of pairs; `[defaults]` holds for each pair that does not set its own value.

    Args:
        path: TOML; see docs/deploying-many.md.

    Returns:
        The pairs.

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
        if key not in _DEFAULTS:
            hint = f"It can have: {', '.join(sorted(_DEFAULTS))}."
            raise InvalidFile(f"{path}: [defaults] cannot have {key}.", hint=hint)
    rows = tuple(
        _row_of(path, number, {**defaults, **raw}) for number, raw in enumerate(pairs, 1) if isinstance(raw, dict)
    )
    names = [row.name for row in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice or len(rows) < len(pairs):
        raise InvalidFile(f"{path}: each pair is a table with a name of its own{f', not {twice}' if twice else ''}.")
    return rows


@cache
def _converter(*, is_detailed: bool = False) -> Converter:
    """Make the converter for the file, whose keys are written with dashes."""
    converter = base_converter(is_detailed=is_detailed, forbids_unknown=True)
    dashes = {field.name: override(rename=field.name.replace("_", "-")) for field in fields(FleetRow)}
    hook: Callable[[Any, Any], FleetRow] = make_dict_structure_fn(FleetRow, converter, **dashes)  # type: ignore[arg-type]
    converter.register_structure_hook(FleetRow, hook)
    return converter


def _row_of(path: Path, number: int, raw: Mapping[str, Any]) -> FleetRow:
    place = f"{path}: pair {number} ({raw.get('name', 'without a name')})"
    try:
        row = structured(FleetRow, {"name": "", "solution": "", **raw}, str(path), _converter)
    except InvalidFile as error:
        key = next(iter(wrong_keys(error)), "")
        key = key if key in raw else key.replace("_", "-")
        wrong = f"{key} is {_WANTED.get(key, 'a text in quotes')}" if key in KEYS else f"there is no {key}"
        raise InvalidFile(f"{place}: {wrong}.") from error
    for wrong in _faults(row):
        raise InvalidFile(f"{place}: {wrong}.")
    return row


def _faults(row: FleetRow) -> Iterator[str]:
    if not set(row.bridge) <= {"a", "b"} or not all(row.bridge.values()):
        yield f"bridge is {_WANTED['bridge']}"
    for key, value in (("inner", row.inner), ("underlay", row.underlay)):
        if value is not None and not all(value):
            yield f"{key} is {_WANTED[key]}"
    if not _NAME.fullmatch(row.name):
        yield "its name is missing, or has other signs than letters, digits, dots, dashes and underscores"
    if not row.solution:
        yield "it has no solution, and there is none in [defaults]"
    given = [one for one in (row.a, row.b, row.underlay) if one is not None]
    if given and len(given) < 3:
        yield "a, b and underlay go together; without them it is a pair that is stored already"


def _rollout_options(row: FleetRow) -> RolloutOptions:
    inner_a, inner_b = row.inner or ("", "")
    return RolloutOptions(
        bridge_a=row.bridge.get("a", ""),
        bridge_b=row.bridge.get("b", ""),
        inner_a=inner_a,
        inner_b=inner_b,
        legacy_reason=row.reason,
        moves_lan_rules=row.move_lan_rules,
        broadcast_limit=row.broadcast_limit,
        blocks_dhcp=row.block_dhcp,
        blocks_router_advertisements=row.block_router_advertisements,
    )


def _entry(services: Services, row: FleetRow, token: CancelToken, tell: Any) -> FleetEntry:
    options = _rollout_options(row)
    pair = services.resolve_pair(row.name, token=token, on_progress=tell)
    return FleetEntry(pair, row.solution, row.suite, options)


def _described(services: Services, stored: Mapping[str, PairSpec], row: FleetRow) -> PairSpec | None:
    """Return a pair that the file itself describes and that is to be stored, so that status and undeploy know it.

    Raises:
        InvalidOption: It cannot be used, or another pair has its name.
    """
    if row.a is None or row.b is None or row.underlay is None:
        return None
    keys, known = row.identity, row.host_key_file
    a, b = (
        parse_address(address, side.upper(), identity=keys, host_key_file=known)
        for address, side in ((row.a, Side.A), (row.b, Side.B))
    )
    pair = PairSpec(row.name, a, b, *row.underlay)
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
