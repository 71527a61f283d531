"""`tunnelmark deploy --all --from FILE.toml`: many pairs at once."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, write_json
from app.cli.messages import (
    FLEET_BRIDGE,
    FLEET_BROADCASTS,
    FLEET_DEFAULTS,
    FLEET_FILE_EMPTY,
    FLEET_FILE_UNREADABLE,
    FLEET_HALF_PAIR,
    FLEET_KEEPALIVE,
    FLEET_KEY_UNKNOWN,
    FLEET_KEY_WANTED,
    FLEET_MTU,
    FLEET_NAME_TWICE,
    FLEET_NAMELESS,
    FLEET_NAMES,
    FLEET_NO_SOLUTION,
    FLEET_NUMBERS,
    FLEET_ONE_AT_A_TIME,
    FLEET_PAIR_DIFFERS,
    FLEET_PAIR_NAME,
    FLEET_ROW,
    FLEET_TEXT,
    FLEET_TRUE_OR_FALSE,
    FLEET_TWO_ADDRESSES,
    FLEET_WITHOUT_FILE,
)
from app.cli.names import check_solutions
from app.cli.pairs import parse_address
from app.cli.tables import Column, Kind, Table
from app.cli.words import word_of
from app.deployment.choice import check_options
from app.deployment.fleet import FleetEntry, FleetOutcome, FleetState, FleetWork, run_fleet
from app.domain.cancel import CancelToken
from app.domain.deployment import BROADCASTS_PER_S, Deployment, DeploymentOptions
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import HostSpec, PairSpec, Side
from app.domain.keepalive import Keepalive
from app.domain.messages import Message
from app.domain.pairs import Saving
from app.domain.structured import base_converter, structured, wrong_keys
from app.wording.language import tr
from app.wording.local_forms import decimal
from app.wording.messages import local_text
from app.wording.titles import local_title

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
    keepalive: Keepalive = Keepalive.WIRED
    mtu: Literal["fit", "1500", 1500] = "1500"


KEYS = frozenset(one.name.replace("_", "-") for one in fields(FleetRow))
_DEFAULTS = KEYS - {"name", "bridge", "inner", "a", "b", "underlay", "identity", "host-key-file"}
_WANTED: Mapping[str, Message] = {
    "bridge": FLEET_BRIDGE(example='{ a = "eth2", b = "eth2" }'),
    "inner": FLEET_TWO_ADDRESSES(),
    "underlay": FLEET_TWO_ADDRESSES(),
    "broadcast-limit": FLEET_BROADCASTS(),
    "keepalive": FLEET_KEEPALIVE(),
    "mtu": FLEET_MTU(),
    **dict.fromkeys(("move-lan-rules", "block-dhcp", "block-router-advertisements"), FLEET_TRUE_OR_FALSE()),
}


def deploy_all(context: CommandContext) -> int:
    """Deploy on every pair of a file."""
    options = context.options
    parallel = DEFAULT_PARALLEL if options.parallel is None else options.parallel
    stop_after = DEFAULT_STOP_AFTER if options.stop_after is None else options.stop_after
    _check_deploy_all(options, parallel, stop_after)
    rows = read_fleet(Path(options.file))
    check_solutions([row.solution for row in rows])
    for row in rows:
        check_options(_deployment_options(row))
    with context.services() as services:
        stored = {pair.name: pair for pair in services.stored_pairs()}
        described = [_described(services, stored, row) for row in rows]  # all are checked before one is stored
        for pair in filter(None, described):
            services.save_pair(pair, Saving.ADD)
        entries = context.job(lambda token, report: [_entry(services, row, token, report) for row in rows])
        outcomes = context.job(
            lambda token, _report: run_fleet(
                entries,
                _work(services),
                parallel=parallel,
                stop_after=stop_after,
                token=token,
                report=lambda outcome: _print_change(context, outcome),
            )
        )
    _show(context, outcomes)
    if any(outcome.state is FleetState.CANCELLED for outcome in outcomes):
        return ExitCode.CANCELLED
    return ExitCode.OK if all(outcome.state is FleetState.CONFIRMED for outcome in outcomes) else ExitCode.FAILED


def _check_deploy_all(options: argparse.Namespace, parallel: int, stop_after: int) -> None:
    """Refuse options that do not go together, or with many pairs."""
    if not options.file or options.pair or options.solution or options.again:
        raise InvalidOption(FLEET_WITHOUT_FILE())
    if not 1 <= parallel <= MOST_PARALLEL or stop_after < 1:
        raise InvalidOption(FLEET_NUMBERS(most=MOST_PARALLEL))
    if options.confirm_within is not None or options.dry_run or options.mtu or options.keepalive:
        raise InvalidOption(FLEET_ONE_AT_A_TIME())


def read_fleet(path: Path) -> tuple[FleetRow, ...]:
    """Read a file of pairs; `[defaults]` holds for each pair that does not set its own value.

    Args:
        path: TOML; see docs/deploying-many.md.

    Returns:
        The pairs.

    Raises:
        InvalidFile: It cannot be read, or has invalid values.
    """
    raw = _read_toml(path)
    defaults, pairs = raw.pop("defaults", {}), raw.pop("pair", [])
    if raw or not isinstance(defaults, dict) or not isinstance(pairs, list) or not pairs:
        raise InvalidFile(FLEET_FILE_EMPTY(path=str(path)))
    for key in defaults:
        if key not in _DEFAULTS:
            raise InvalidFile(FLEET_DEFAULTS(path=str(path), key=key, known=tuple(sorted(_DEFAULTS))))
    rows = tuple(
        _row_of(path, number, {**defaults, **raw}) for number, raw in enumerate(pairs, 1) if isinstance(raw, dict)
    )
    names = [row.name for row in rows]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice or len(rows) < len(pairs):
        raise InvalidFile(FLEET_NAMES(path=str(path), twice=FLEET_NAME_TWICE(name=twice) if twice else ""))
    return rows


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InvalidFile(FLEET_FILE_UNREADABLE(path=str(path), reason=reason)) from error


@cache
def _converter(*, is_detailed: bool = False) -> Converter:
    """Make the converter for the file, whose keys are written with dashes."""
    converter = base_converter(is_detailed=is_detailed, forbids_unknown=True)
    dashes = {field.name: override(rename=field.name.replace("_", "-")) for field in fields(FleetRow)}
    hook: Callable[[Any, Any], FleetRow] = make_dict_structure_fn(FleetRow, converter, **dashes)  # type: ignore[arg-type]
    converter.register_structure_hook(FleetRow, hook)
    return converter


def _row_of(path: Path, number: int, raw: Mapping[str, Any]) -> FleetRow:
    try:
        row = structured(FleetRow, {"name": "", "solution": "", **raw}, str(path), _converter)
    except InvalidFile as error:
        key = next(iter(wrong_keys(error)), "")
        key = key if key in raw else key.replace("_", "-")
        wrong = _wanted(key) if key in KEYS else FLEET_KEY_UNKNOWN(key=key)
        raise _row_fault(path, number, raw, wrong) from error
    for wrong in _faults(row):
        raise _row_fault(path, number, raw, wrong)
    return row


def _row_fault(path: Path, number: int, raw: Mapping[str, Any], fault: Message) -> InvalidFile:
    name = str(raw["name"]) if "name" in raw else FLEET_NAMELESS()
    return InvalidFile(FLEET_ROW(path=str(path), number=number, name=name, fault=fault))


def _wanted(key: str) -> Message:
    return FLEET_KEY_WANTED(key=key, wanted=_WANTED.get(key, FLEET_TEXT()))


def _faults(row: FleetRow) -> Iterator[Message]:
    if not set(row.bridge) <= {"a", "b"} or not all(row.bridge.values()):
        yield _wanted("bridge")
    for key, value in (("inner", row.inner), ("underlay", row.underlay)):
        if value is not None and not all(value):
            yield _wanted(key)
    if not _NAME.fullmatch(row.name):
        yield FLEET_PAIR_NAME()
    if not row.solution:
        yield FLEET_NO_SOLUTION()
    given = [one for one in (row.a, row.b, row.underlay) if one is not None]
    if given and len(given) < 3:
        yield FLEET_HALF_PAIR()


def _deployment_options(row: FleetRow) -> DeploymentOptions:
    inner_a, inner_b = row.inner or ("", "")
    return DeploymentOptions(
        bridge_a=row.bridge.get("a", ""),
        bridge_b=row.bridge.get("b", ""),
        inner_a=inner_a,
        inner_b=inner_b,
        legacy_reason=row.reason,
        moves_lan_rules=row.move_lan_rules and bool(row.bridge),  # a default may be for other pairs
        broadcast_limit=row.broadcast_limit,
        blocks_dhcp=row.block_dhcp,
        blocks_router_advertisements=row.block_router_advertisements,
        keepalive=row.keepalive,
        fits_path_mtu=row.mtu == "fit",
    )


def _entry(services: Services, row: FleetRow, token: CancelToken, report: Any) -> FleetEntry:
    options = _deployment_options(row)
    pair = services.resolve_pair(row.name, token=token, on_progress=report)
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
        raise InvalidOption(FLEET_PAIR_DIFFERS(pair=pair.name))
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


def _print_change(context: CommandContext, outcome: FleetOutcome) -> None:
    form = tr("{pair}: {state} after {seconds} s") if outcome.seconds else tr("{pair}: {state}")
    words = {"pair": outcome.entry.pair.name, "state": word_of(outcome.state), "seconds": decimal(outcome.seconds, 0)}
    message = f": {local_text(outcome.message)}" if outcome.message else ""
    context.err.print(f"{form.format(**words)}{message}", soft_wrap=True)


def _show(context: CommandContext, outcomes: tuple[FleetOutcome, ...]) -> None:
    if context.options.json:
        write_json(STDOUT, {"format": 1, "pairs": [_row(outcome) for outcome in outcomes]})
        return
    fleet_table(outcomes).print(context.out)
    confirmed = sum(outcome.state is FleetState.CONFIRMED for outcome in outcomes)
    context.out.print(tr("{number} of {total} pairs confirmed.").format(number=confirmed, total=len(outcomes)))


def fleet_table(outcomes: Sequence[FleetOutcome]) -> Table:
    """Return a row for each pair."""
    columns = [
        Column(tr("pair")),
        Column(tr("outcome")),
        Column(tr("what"), rank=1),
        Column("s", Kind.FIGURE, 2),
        Column(tr("why not"), Kind.PROSE),
    ]
    table = Table(columns, more="--json")
    for outcome in outcomes:
        what = local_title(outcome.deployment.title) if outcome.deployment else outcome.entry.solution
        seconds = decimal(outcome.seconds, 0) if outcome.seconds else ""
        table.add_row(outcome.entry.pair.name, word_of(outcome.state), what, seconds, local_text(outcome.message))
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
