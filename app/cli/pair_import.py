"""`tunnelmark pair import-ssh-config`."""

from __future__ import annotations

from pathlib import Path

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.messages import IMPORT_FILE, IMPORT_WITHOUT_ADDRESSES, IMPORT_WITHOUT_HOSTS, IMPORT_WITHOUT_NAME
from app.cli.pairs import underlay_addresses
from app.cli.tables import Column, Table
from app.domain.errors import InvalidFile, InvalidOption
from app.domain.ssh_hosts import SshHost, SshHosts
from app.services.wiring import Services
from app.wording.language import tr
from app.wording.messages import local_text

_FILE_EXAMPLE = "tunnelmark pair import-ssh-config --file FILE"
_EXAMPLE = "tunnelmark pair import-ssh-config north --a pump-1 --b pump-2 --underlay 10.0.0.1,10.0.0.2"


def import_ssh_config(context: CommandContext) -> int:
    """Store a pair of two hosts of a configuration of ssh; without a name, list the hosts and store nothing."""
    options = context.options
    with context.services() as services:
        hosts = _hosts(services, options.file)
        if options.pair is None:
            if options.a or options.b or options.underlay:
                raise InvalidOption(IMPORT_WITHOUT_NAME(example=_EXAMPLE))
            _list(context, hosts)
            return ExitCode.OK
        if not options.a or not options.b:
            raise InvalidOption(IMPORT_WITHOUT_HOSTS(example=_EXAMPLE))
        aliases = (options.a, options.b)
        chosen = [hosts.find(alias) for alias in aliases]
        for host in chosen:
            host.importable()
        pair = services.import_pair(options.pair, hosts, aliases, _underlay(options.underlay, chosen))
    for side, host, underlay in zip("AB", chosen, (pair.underlay_a, pair.underlay_b), strict=True):
        text = tr("{side}: {host}, {words}, underlay {underlay}")
        context.out.print(text.format(side=side, host=host.alias, words=words_of(host), underlay=underlay))
        if host.note:
            context.err.print(f"{host.alias}: {local_text(host.note)}")
    context.out.print(tr("Stored. Inspect it with: tunnelmark discover {pair}").format(pair=pair.name))
    return ExitCode.OK


def _hosts(services: Services, file: str | None) -> SshHosts:
    try:
        return services.ssh_hosts(Path(file) if file else None)
    except InvalidFile as error:
        raise InvalidFile(IMPORT_FILE(reason=error.message, example=_FILE_EXAMPLE)) from error


def words_of(host: SshHost) -> str:
    """Return how a host is reached: `root@10.0.0.1:22, key ~/.ssh/pump, through jump@192.0.2.1:22`."""
    words = [f"{host.user}@{host.address}:{host.port}"]
    if host.identity_file:
        words.append(tr("key {file}").format(file=host.identity_file))
    if host.jumps:
        words.append(tr("through {hosts}").format(hosts=", ".join(host.jumps)))
    return ", ".join(words)


def _underlay(text: str | None, chosen: list[SshHost]) -> tuple[str, str]:
    if text:
        return underlay_addresses(text)
    a, b = (host.underlay for host in chosen)
    if not a or not b:
        raise InvalidOption(IMPORT_WITHOUT_ADDRESSES())
    return a, b


def _list(context: CommandContext, hosts: SshHosts) -> None:
    for note in hosts.notes:
        context.err.print(f"{hosts.file}: {local_text(note)}")
    if not hosts.hosts:
        context.out.print(tr("{file} names no single host.").format(file=hosts.file))
        return
    table = Table(
        [
            Column(tr("host")),
            Column(tr("address")),
            Column(tr("key"), rank=1),
            Column(tr("through"), rank=2),
            Column(tr("remark")),
        ]
    )
    for host in hosts.hosts:
        address = "" if host.problem and not host.address else f"{host.user}@{host.address}:{host.port}"
        table.add_row(
            host.alias, address, host.identity_file, ", ".join(host.jumps), local_text(host.problem or host.note)
        )
    table.print(context.out)
