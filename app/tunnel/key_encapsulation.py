"""Secrets that both hosts derive by key encapsulation: only a public key and a ciphertext pass through this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from app.domain.adapters import EncapsulatedSecret, PublicIdentity
from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.host.remote_host import RemoteHost, printable
from app.ssh.remote_line import shell_line
from app.tunnel.audit import Ledger
from app.tunnel.messages import NOT_DERIVED
from app.tunnel.request import DeployRequest

MAX_CIPHERTEXT_CHARACTERS = 4096


def derive_secrets(
    hosts: Mapping[Side, RemoteHost],
    ledgers: Mapping[Side, Ledger],
    request: DeployRequest,
    identities: Mapping[Side, PublicIdentity],
    *,
    token: CancelToken,
) -> None:
    """Have both hosts derive what they share; most suites have nothing of that kind.

    The tunnel's own folder must be there on both; it is removed by the undo with all that is in it.

    Args:
        ledgers: Get what was run on the hosts.
        identities: Both hosts' public values.

    Raises:
        CommandFailed: A host could not.
    """
    for side in Side:
        recipe = request.adapter.identity(request.plan_request(), side)
        for secret in recipe.encapsulated:
            public = identities[side].values[secret.public]
            ciphertext = _run(hosts, ledgers, side.other, secret, secret.encapsulate, public, token).strip()
            is_line = 0 < len(ciphertext) <= MAX_CIPHERTEXT_CHARACTERS
            if not is_line or not ciphertext.isascii() or not ciphertext.isprintable():
                raise _not_derived(hosts[side.other], secret, output="")
            _run(hosts, ledgers, side, secret, secret.decapsulate, f"{ciphertext}\n", token)


def _run(
    hosts: Mapping[Side, RemoteHost],
    ledgers: Mapping[Side, Ledger],
    side: Side,
    secret: EncapsulatedSecret,
    command: Command,
    public: str,
    token: CancelToken,
) -> str:
    host = hosts[side]
    result = host.session.run(replace(command, stdin=public.encode()), token=token)
    ledgers[side].write(secret.title, shell_line(command.argv), result.exit_status)
    if not result.is_ok or result.is_truncated:
        raise _not_derived(host, secret, output=printable(result.stderr, limit=1000))
    return result.stdout


def _not_derived(host: RemoteHost, secret: EncapsulatedSecret, *, output: str) -> CommandFailed:
    return CommandFailed(
        NOT_DERIVED(host=host.label, secret=secret.title), context={"host": host.label, "output": output}
    )
