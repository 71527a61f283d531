"""Secrets that one host makes and the other must have too: from host to host through memory, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import SharedSecret
from app.domain.cancel import CancelToken
from app.domain.commands import FileToWrite
from app.domain.errors import CommandFailed
from app.domain.hosts import Side
from app.host.remote_host import RemoteHost
from app.tunnel.messages import SECRET_NOT_READ
from app.tunnel.request import DeployRequest

MAX_SECRET_CHARACTERS = 4096


def share_secrets(hosts: Mapping[Side, RemoteHost], request: DeployRequest, *, token: CancelToken) -> None:
    """Give each host what the other one made for both; most solutions have nothing of that kind.

    The tunnel's own folder must be there on both; it is removed by the undo with all that is in it.

    Raises:
        CommandFailed: A host did not print its secret. Nothing that it did print is in the error.
        DiskFull, EnvironmentFault: It could not be written on the other one.
    """
    for side in Side:
        recipe = request.adapter.identity(request.plan_request(), side)
        if recipe.shared:
            files = tuple(read_secret(hosts[side], secret, token=token) for secret in recipe.shared)
            hosts[side.other].session.write_files(files, token=token)


def read_secret(host: RemoteHost, secret: SharedSecret, *, token: CancelToken) -> FileToWrite:
    """Return a secret that a host made as the file that another one gets.

    Raises:
        CommandFailed: The host did not print it. Nothing that it did print is in the error.
    """
    # The result does not leave this function: its representation would show what was printed.
    result = host.session.run(secret.show, token=token)
    text = result.stdout.strip()
    is_whole = result.is_ok and not result.is_truncated and 0 < len(text) <= MAX_SECRET_CHARACTERS
    if not is_whole or not text.isascii() or not text.isprintable():
        raise CommandFailed(
            SECRET_NOT_READ(host=host.label, secret=secret.title),
            context={"host": host.label, "exit_status": str(result.exit_status)},
        )
    return FileToWrite(secret.path, f"{text}\n".encode(), mode=0o600)
