"""`tunnelmark export-config`."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.names import check_solutions
from app.cli.sides import both_addresses, by_side, lan_guard_options
from app.deployment.planning import check_options
from app.domain.deployment import RolloutOptions


def export_config(context: Context) -> int:
    """Write what `deploy` would put on two hosts, for those who deploy by hand or with Ansible."""
    from app.export.pair_export import FORMATS, ExportOptions

    options = context.options
    check_solutions([options.solution])
    chosen = ExportOptions(
        solution=options.solution,
        suite=options.suite or "",
        rollout=_rollout_options(options),
        place=Path(options.out),
        formats=(options.format,) if options.format else FORMATS,
        may_replace=options.force,
        is_live=options.live,
    )
    check_options(chosen.rollout)
    with context.services() as services:
        pair = context.job(lambda token, tell: services.resolve_pair(options.pair, token=token, on_progress=tell))
        done = context.job(lambda token, tell: services.export_config(pair, chosen, token=token, on_progress=tell))
    context.out.print(f"{done.title}. {done.facts_from}", markup=False)
    context.out.print(f"Written to {done.place}. Begin with its README.txt.", markup=False)
    return ExitCode.OK


def _rollout_options(options: argparse.Namespace) -> RolloutOptions:
    bridge_a, bridge_b = by_side(options.bridge, "--bridge")
    inner = both_addresses(options.inner)
    reason, guard = options.reason or "", lan_guard_options(options)
    return RolloutOptions(bridge_a, bridge_b, inner[0], inner[1], legacy_reason=reason, **guard)
