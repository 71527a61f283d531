"""`tunnelmark sudoers`."""

from __future__ import annotations

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.messages import SUDOERS_FOR_WHOM, SUDOERS_TWO_USERS
from app.domain.errors import InvalidOption
from app.domain.hosts import Side
from app.domain.version import tunnelmark_version


def sudoers(context: CommandContext) -> int:
    """Print a sudoers file for the user that Tunnelmark logs in as."""
    from app.export.sudoers import sudoers_text

    options = context.options
    if bool(options.pair) == bool(options.user):
        raise InvalidOption(SUDOERS_FOR_WHOM())
    user = options.user or _user_of(context)
    text = sudoers_text(user, tunnelmark_version(), has_password=options.password)
    print(text, end="")  # noqa: T201 - the result of the command
    return ExitCode.OK


def _user_of(context: CommandContext) -> str:
    from app.host.logins import login_user

    options = context.options
    with context.services() as services:
        pair = context.job(lambda token, report: services.resolve_pair(options.pair, token=token, on_progress=report))
    users = {side: login_user(pair.host(side)) for side in Side}
    if options.side:
        return users[Side(options.side.lower())]
    if len(set(users.values())) > 1:
        raise InvalidOption(SUDOERS_TWO_USERS(user_a=users[Side.A], user_b=users[Side.B]))
    return users[Side.A]
