"""`tunnelmark deployments` and `audit`: what is written down of deployments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.files import check_text
from app.cli.tables import Column, Table
from app.domain.audit import AuditCheck
from app.domain.deployment import Deployment
from app.storage.codec import to_data
from app.wording.deployment_sentences import state_word


def deployments(context: Context) -> int:
    """List deployments."""
    pair = context.options.pair
    with context.services() as services:
        found = services.deployments(pair)
        if pair and not found:
            services.known_pair(pair)  # or there is none of that name
    if context.options.json:
        print(json.dumps(to_data(found), indent=2))  # noqa: T201 - the result of the command
        return ExitCode.OK
    if found:
        deployment_table(found).print(context.out)
    else:
        what = f"Nothing was deployed on {pair} yet." if pair else "Nothing was deployed yet."
        context.out.print(f"{what} Deploy with: tunnelmark deploy {pair or 'PAIR'} SOLUTION", markup=False)
    return ExitCode.OK


def deployment_table(found: Sequence[Deployment]) -> Table:
    """Return a row for each deployment."""
    ranks = {"id": 0, "pair": 0, "solution": 0, "suite": 0, "state": 0, "since": 1, "by": 2}
    table = Table([Column(heading, rank=rank) for heading, rank in ranks.items()], more="--json")
    for one in found:
        since = f"{one.state_at.astimezone():%Y-%m-%d %H:%M}"
        state = state_word(one.state, is_refused=one.is_refused)
        table.add_row(one.id, one.pair.name, one.solution, one.suite, state, since, one.by)
    return table


def audit(context: Context) -> int:
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
            context.err.print(f"Audit log: {path}", markup=False, soft_wrap=True)
            return ExitCode.OK
        entries = services.audit_log(options.pair)
    if not entries:
        where = f"the hosts of {options.pair}" if options.pair else "any host"
        context.out.print(f"The audit log is empty: Tunnelmark has changed nothing on {where} yet.", markup=False)
    for entry in reversed(entries[:200]):
        outcome = "?" if entry.exit_status is None else str(entry.exit_status)
        side = f" ({entry.side.value.upper()})" if entry.side is not None else ""
        context.out.print(
            f"{entry.at:%Y-%m-%d %H:%M:%S} {entry.who or '-'} {entry.host}{side} [{outcome}] {entry.what}",
            markup=False,
            soft_wrap=True,
        )
    return ExitCode.OK


def _print_check(context: Context, check: AuditCheck) -> int:
    if check.broken_at is not None:
        context.err.print(f"The audit log was changed. {check.why}", markup=False, soft_wrap=True)
        return ExitCode.FAILED
    if not check.entries and not check.unchained:
        context.out.print("The audit log is empty.", markup=False)
        return ExitCode.OK
    older = f" {check.unchained} entries of an older version come before them." if check.unchained else ""
    context.out.print(f"All {check.entries} entries hold.{older}", markup=False, soft_wrap=True)
    if check.digest:
        context.out.print(f"Their digest: {check.digest}", markup=False, soft_wrap=True)
    return ExitCode.OK
