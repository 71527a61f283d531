"""`tunnelmark sudoers`."""

from __future__ import annotations

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.version import tunnelmark_version


def sudoers(context: Context) -> int:
    """Print a sudoers file for the user that Tunnelmark logs in as."""
    from app.export.sudoers import sudoers_text

    options = context.options
    if bool(options.pair) == bool(options.user):
        raise InvalidOption("Name a pair, or a user with --user.", hint="Example: tunnelmark sudoers --user operator")
    user = options.user or _user_of(context)
    text = sudoers_text(user, tunnelmark_version(), has_password=options.password)
    print(text, end="")  # noqa: T201 - the result of the command
    return ExitCode.OK


def _user_of(context: Context) -> str:
    from app.host.logins import login_user

    options = context.options
    with context.services() as services:
        pair = context.job(lambda token, tell: services.resolve_pair(options.pair, token=token, on_progress=tell))
    users = {side: login_user(pair.host(side)) for side in Side}
    if options.side:
        return users[Side(options.side.lower())]
    if len(set(users.values())) > 1:
        raise InvalidOption(
            f"Tunnelmark logs in to A as {users[Side.A]} and to B as {users[Side.B]}: each needs a file of its own.",
            hint="Say which with --side A or --side B.",
        )
    return users[Side.A]
