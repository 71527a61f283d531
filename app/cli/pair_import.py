"""`tunnelmark pair import-ssh-config`."""

from __future__ import annotations

from pathlib import Path

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.pairs import underlay_addresses
from app.cli.tables import Column, Table
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.ssh_hosts import SshHost, SshHosts
from app.services.wiring import Services

_FILE_EXAMPLE = "tunnelmark pair import-ssh-config --file FILE"
_EXAMPLE = "tunnelmark pair import-ssh-config north --a pump-1 --b pump-2 --underlay 10.0.0.1,10.0.0.2"


def import_ssh_config(context: Context) -> int:
    """Store a pair of two hosts of a configuration of ssh; without a name, list the hosts and store nothing."""
    options = context.options
    with context.services() as services:
        hosts = _hosts(services, options.file)
        if options.pair is None:
            _refuse_without_name(options.a, options.b, options.underlay)
            _list(context, hosts)
            return ExitCode.OK
        if not options.a or not options.b:
            raise InvalidOption("--a and --b name the two hosts.", hint=f"Example: {_EXAMPLE}")
        aliases = (options.a, options.b)
        chosen = [hosts.find(alias) for alias in aliases]
        for host in chosen:
            host.importable()
        pair = services.import_pair(options.pair, hosts, aliases, _underlay(options.underlay, chosen))
    for side, host, underlay in zip("AB", chosen, (pair.underlay_a, pair.underlay_b), strict=True):
        context.out.print(f"{side}: {host.alias}, {words_of(host)}, underlay {underlay}", markup=False)
        if host.note:
            context.err.print(f"{host.alias}: {host.note}", markup=False)
    context.out.print(f"Stored. Inspect it with: tunnelmark discover {pair.name}", markup=False)
    return ExitCode.OK


def _hosts(services: Services, file: str | None) -> SshHosts:
    try:
        return services.ssh_hosts(Path(file) if file else None)
    except InvalidFile as error:
        raise InvalidFile(error.message, hint=f"Name another one with --file: {_FILE_EXAMPLE}") from error


def words_of(host: SshHost) -> str:
    """Return how a host is reached: `root@10.0.0.1:22, key ~/.ssh/pump, through jump@192.0.2.1:22`."""
    key = f", key {host.identity_file}" if host.identity_file else ""
    way = f", through {', '.join(host.jumps)}" if host.jumps else ""
    return f"{host.user}@{host.address}:{host.port}{key}{way}"


def _underlay(text: str | None, chosen: list[SshHost]) -> tuple[str, str]:
    if text:
        return underlay_addresses(text)
    a, b = (host.underlay for host in chosen)
    if not a or not b:
        raise InvalidOption(
            "The file does not give an IPv4 address for both hosts.",
            hint="Name the addresses on the path between the two: --underlay ADDR_A,ADDR_B",
        )
    return a, b


def _refuse_without_name(*given: str | None) -> None:
    if any(given):
        raise InvalidOption("The pair has no name.", hint=f"Example: {_EXAMPLE}")


def _list(context: Context, hosts: SshHosts) -> None:
    for note in hosts.notes:
        context.err.print(f"{hosts.file}: {note}", markup=False)
    if not hosts.hosts:
        context.out.print(f"{hosts.file} names no single host.", markup=False)
        return
    table = Table(
        [Column("host"), Column("address"), Column("key", rank=1), Column("through", rank=2), Column("remark")]
    )
    for host in hosts.hosts:
        address = "" if host.problem and not host.address else f"{host.user}@{host.address}:{host.port}"
        table.add_row(host.alias, address, host.identity_file, ", ".join(host.jumps), host.problem or host.note)
    table.print(context.out)
