"""`tunnelmark deployments` and `audit`: what is written down of deployments."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, check_text, write_json
from app.cli.tables import Column, Table
from app.cli.words import word_of
from app.domain.audit import AuditCheck
from app.domain.deployment import Deployment
from app.storage.codec import to_data
from app.wording.deployment_sentences import state_word
from app.wording.language import tr
from app.wording.local_forms import minute_text, second_text
from app.wording.messages import local_text


def deployments(context: CommandContext) -> int:
    """List deployments."""
    pair = context.options.pair
    with context.services() as services:
        found = services.deployments(pair)
        if pair and not found:
            services.known_pair(pair)  # or there is none of that name
    if context.options.json:
        write_json(STDOUT, to_data(found))
        return ExitCode.OK
    if found:
        deployment_table(found).print(context.out)
    else:
        what = tr("Nothing was deployed on {pair} yet.").format(pair=pair) if pair else tr("Nothing was deployed yet.")
        how = tr("Deploy with: tunnelmark deploy {pair} SOLUTION").format(pair=pair or "PAIR")
        context.out.print(f"{what} {how}")
    return ExitCode.OK


def deployment_table(found: Sequence[Deployment]) -> Table:
    """Return a row for each deployment."""
    columns = [
        Column(tr("id")),
        Column(tr("pair")),
        Column(tr("solution")),
        Column(tr("suite")),
        Column(tr("state")),
        Column(tr("since"), rank=1),
        Column(tr("by"), rank=2),
    ]
    table = Table(columns, more="--json")
    for one in found:
        since = minute_text(one.state_at.astimezone())
        state = word_of(state_word(one.state, is_refused=one.is_refused, is_rolled_back=one.is_rolled_back))
        table.add_row(one.id, one.pair.name, one.solution, one.suite, state, since, one.by)
    return table


def audit(context: CommandContext) -> int:
    """Write the audit log, or say whether it is what was written."""
    options = context.options
    check_text(context, options.out)
    with context.services() as services:
        if options.pair and not services.audit_log(options.pair):
            services.known_pair(options.pair)  # or there is none of that name
        if options.verify:
            return _print_check(context, services.check_audit())
        if options.out:
            path = services.write_audit(Path(options.out).expanduser(), options.pair)
            context.err.print(tr("Audit log: {path}").format(path=path), soft_wrap=True)
            return ExitCode.OK
        entries = services.audit_log(options.pair)
    if not entries:
        any_host = tr("The audit log is empty: Tunnelmark has changed nothing on any host yet.")
        of_pair = tr("The audit log is empty: Tunnelmark has changed nothing on the hosts of {pair} yet.")
        context.out.print(of_pair.format(pair=options.pair) if options.pair else any_host)
    for entry in reversed(entries[:200]):
        outcome = "?" if entry.exit_status is None else str(entry.exit_status)
        side = f" ({entry.side.value.upper()})" if entry.side is not None else ""
        at = f"{second_text(entry.at.astimezone(UTC))} UTC"
        line = f"{at} {entry.who or '-'} {entry.host}{side} [{outcome}] {local_text(entry.what)}"
        context.out.print(line, soft_wrap=True)
    return ExitCode.OK


def _print_check(context: CommandContext, check: AuditCheck) -> int:
    if check.broken_at is not None:
        context.err.print(tr("The audit log was changed. {why}").format(why=local_text(check.why)), soft_wrap=True)
        return ExitCode.FAILED
    if not check.entries and not check.unchained:
        context.out.print(tr("The audit log is empty."))
        return ExitCode.OK
    lines = [tr("All {number} entries hold.").format(number=check.entries)]
    if check.unchained:
        lines.append(tr("{number} entries of an older version come before them.").format(number=check.unchained))
    context.out.print(" ".join(lines), soft_wrap=True)
    if check.digest:
        context.out.print(tr("Their digest: {digest}").format(digest=check.digest), soft_wrap=True)
    return ExitCode.OK
