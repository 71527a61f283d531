"""`tunnelmark pair`, `discover` and `recover`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from app.cli.context import CommandContext
from app.cli.discovery_text import print_all, print_summary
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, check_text, write_json
from app.cli.messages import (
    ADDRESS_FORM,
    ADDRESS_PORT,
    NO_SUCH_FILE,
    NODE_INTERFACES,
    PAIR_EXISTS,
    UNDERLAY_ADDRESSES,
)
from app.cli.names import check_list, check_solutions, words_of
from app.cli.pair_option import find_pair
from app.cli.tables import Column, Table
from app.discovery.pair_discovery import Discovery, HostCheck
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.hosts import MAX_PORT, AuthKind, HostSpec, NodeHost, PairSpec, Side
from app.domain.pairs import PairChoice, Saving
from app.services.wiring import Services
from app.storage.codec import to_data
from app.wording.language import tr
from app.wording.messages import local_text

_ADDRESS = re.compile(
    r"^(?:(?P<user>[^@\s]+)@)?(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<host>[^@:\s\[\]]+))(?::(?P<port>\d{1,5}))?$"
)


def parse_address(text: str, label: str, *, identity: str | None, host_key_file: str | None) -> HostSpec:
    """Read `USER@HOST:PORT` (user and port may be left out; IPv6 in brackets).

    Raises:
        InvalidOption: It is not of that form.
    """
    match = _ADDRESS.match(text)
    port = int(match["port"]) if match and match["port"] else None
    if port is not None and not 1 <= port <= MAX_PORT:
        raise InvalidOption(ADDRESS_PORT(text=text, port=port, most=MAX_PORT))
    if match is None:
        raise InvalidOption(ADDRESS_FORM(text=text))
    return HostSpec(
        label=label,
        address=match["ipv6"] or match["host"],
        port=port,
        user=match["user"],
        auth=AuthKind.KEY if identity else AuthKind.AUTO,
        identity_file=identity,
        host_key_file=host_key_file,
    )


def add(context: CommandContext) -> int:
    """Store a pair."""
    options = context.options
    addresses = underlay_addresses(options.underlay)
    identity = _existing(options.identity, "--identity")
    host_keys = _existing(options.host_key_file, "--host-key-file")
    pair = PairSpec(
        name=options.pair,
        a=parse_address(options.a, "A", identity=identity, host_key_file=host_keys),
        b=parse_address(options.b, "B", identity=identity, host_key_file=host_keys),
        underlay_a=addresses[0],
        underlay_b=addresses[1],
        load_cap_mbit_s=options.load_cap,
        node_a=_node("a", options.node_a, options.node_a_interfaces, identity, host_keys),
        node_b=_node("b", options.node_b, options.node_b_interfaces, identity, host_keys),
    )
    with context.services() as services:
        former = next((one for one in services.stored_pairs() if one.name == pair.name), None)
        if former not in (None, pair) and not options.replace:
            raise InvalidOption(PAIR_EXISTS(pair=pair.name))
        kept, lost = ({}, ()) if former is None or options.no_nodes else _former_nodes(pair, former)
        pair = replace(pair, node_a=kept.get("node_a", pair.node_a), node_b=kept.get("node_b", pair.node_b))
        how = Saving.ADD if former is None and not options.replace else Saving.REPLACE
        services.save_pair(pair, how)
    if kept:
        nodes = _node_words(kept.values())
        context.out.print(tr("Its nodes are kept: {nodes}. To remove them, add --no-nodes.").format(nodes=nodes))
    if lost:
        text = tr("Not kept, since a gateway is another host now: {nodes}. To name them, add --node-a and --node-b.")
        context.out.print(text.format(nodes=_node_words(lost)))
    context.out.print(tr("Stored. Inspect it with: tunnelmark discover {pair}").format(pair=pair.name))
    return ExitCode.OK


def _former_nodes(pair: PairSpec, former: PairSpec) -> tuple[dict[str, NodeHost], tuple[NodeHost, ...]]:
    """Return nodes of the pair that is replaced, where no other ones are named.

    Returns:
        Those that are kept, by attribute, and those that are not, because a gateway is another host now.
    """
    nodes = {name: getattr(former, name) for name in ("node_a", "node_b") if getattr(pair, name) is None}
    found = {name: node for name, node in nodes.items() if node is not None}
    is_same = all(pair.host(side).machine_text == former.host(side).machine_text for side in Side)
    return (found, ()) if is_same else ({}, tuple(found.values()))


def _node_words(nodes: Iterable[NodeHost]) -> str:
    return ", ".join(f"{one.host.login_text} ({one.interface})" for one in nodes)


def show_all(context: CommandContext) -> int:
    """List pairs."""
    with context.services() as services:
        choices = services.pairs()
    if not choices:
        text = tr("There is no pair yet. Add one with tunnelmark pair add, or start a lab: tunnelmark lab up")
        context.out.print(text)
        return ExitCode.OK
    pair_table(choices).print(context.out)
    return ExitCode.OK


def pair_table(choices: Sequence[PairChoice]) -> Table:
    """Return a row for each pair."""
    columns = [
        Column(tr("pair")),
        Column("A"),
        Column("B"),
        Column(tr("underlay"), rank=1),
        Column(tr("nodes"), rank=3),
        Column(tr("last measured"), rank=2),
    ]
    table = Table(columns, more="tunnelmark pair show NAME")
    for choice in choices:
        pair = choice.pair
        table.add_row(
            pair.name,
            pair.a.login_text,
            pair.b.login_text,
            f"{pair.underlay_a}, {pair.underlay_b}",
            ", ".join(node.host.login_text for node in pair.nodes.values()),
            local_text(choice.last_measured),
        )
    return table


def show(context: CommandContext) -> int:
    """Print one pair as JSON."""
    with context.services() as services:
        pair = services.known_pair(context.options.pair)
    write_json(STDOUT, to_data(pair))
    return ExitCode.OK


def remove(context: CommandContext) -> int:
    """Remove a pair; its past comparisons and deployments remain."""
    with context.services() as services:
        services.remove_pair(context.options.pair)
    text = tr("{pair} is removed; its past comparisons and deployments remain.")
    context.out.print(text.format(pair=context.options.pair))
    return ExitCode.OK


def rename(context: CommandContext) -> int:
    """Rename a pair."""
    old, new = context.options.pair, context.options.name
    with context.services() as services:
        services.rename_pair(old, new)
    context.out.print(tr("{old} is called {new} now; its comparisons and deployments follow.").format(old=old, new=new))
    return ExitCode.OK


def copy(context: CommandContext) -> int:
    """Store a pair once more under another name."""
    with context.services() as services:
        pair = services.copy_pair(context.options.pair, context.options.name)
    context.out.print(tr("Stored {pair}. Inspect it with: tunnelmark discover {pair}").format(pair=pair.name))
    return ExitCode.OK


def discover(context: CommandContext) -> int:
    """Find out what two hosts can do, and install what is missing where that is asked for."""
    options = context.options
    solutions = words_of(options.solutions)
    check_list("--solutions", options.solutions)
    check_solutions(solutions)
    check_text(context, options.json)
    with context.services() as services:
        pair = find_pair(context, services)
        services.refuse_if_in_use(pair)  # inspecting hosts disturbs what is measured on them
        found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
        if options.install and (found.a.missing or found.b.missing):
            for check in (found.a, found.b):
                _install(context, services, pair, check)
            found = context.job(lambda token, report: services.discover(pair, token=token, on_progress=report))
    if options.json:
        write_json(options.json, {"format": 1, **_discovery_data(found)})
    if options.json == STDOUT:
        return ExitCode.OK
    if options.all or solutions:
        with context.pager():
            print_all(context.out, found, solutions)
    else:
        print_summary(context.out, found)
    return ExitCode.OK


def recover(context: CommandContext) -> int:
    """Restore both hosts, and the machines behind them, after Tunnelmark has crashed."""
    with context.services() as services:
        pair = context.job(
            lambda token, report: services.resolve_pair(context.options.pair, token=token, on_progress=report)
        )
        report = context.job(lambda token, _report: services.recover(pair, token=token))
    for sentence in report.sentences():
        context.out.print(local_text(sentence))
    if report.is_clean:
        return ExitCode.OK
    return ExitCode.INCOMPLETE if report.are_gateways_clean else ExitCode.FAILED


def _install(context: CommandContext, services: Services, pair: PairSpec, check: HostCheck) -> None:
    if not check.missing:
        return
    sentence = context.job(
        lambda token, report: services.install_missing(pair, check.side, check.missing, token=token, on_progress=report)
    )
    context.out.print(f"{pair.host(check.side).label}: {local_text(sentence)}")


def _discovery_data(found: Discovery) -> dict[str, object]:
    return {
        "pair": to_data(found.pair),
        "hosts": {str(Side.A): to_data(found.a.facts), str(Side.B): to_data(found.b.facts)},
        "clock_difference_ms": found.clock_difference_ms,
        "link": to_data(found.link),
        "candidates": [to_data(candidate) for candidate in found.candidates],
        "defaults": [list(key) for key in found.defaults],
        "unavailable": found.unavailable,
        "blocked": {solution: list(sentences) for solution, sentences in found.blocked.items()},
    }


def underlay_addresses(text: str) -> tuple[str, str]:
    """Read `ADDR_A,ADDR_B`; the pair is checked as a whole later.

    Raises:
        InvalidOption: These are not two texts.
    """
    addresses = [address.strip() for address in text.split(",")]
    if len(addresses) != 2:
        raise InvalidOption(UNDERLAY_ADDRESSES())
    return addresses[0], addresses[1]


def _node(
    side: str, address: str | None, interfaces: str | None, identity: str | None, host_keys: str | None
) -> NodeHost | None:
    """Return the machine behind a host; None where none is named.

    Raises:
        InvalidOption: Its address is not of the form of a host's, or its interfaces are missing.
    """
    if address is None and interfaces is None:
        return None
    names = [name.strip() for name in (interfaces or "").split(",")]
    if address is None or len(names) != 2:
        raise InvalidOption(NODE_INTERFACES(side=side))
    host = parse_address(address, f"node-{side}", identity=identity, host_key_file=host_keys)
    return NodeHost(host, *names)


def _existing(path: str | None, option: str) -> str | None:
    if path is None:
        return None
    full = Path(path).expanduser().absolute()
    if not full.is_file():
        raise InvalidFile(NO_SUCH_FILE(option=option, path=path))
    return str(full)
