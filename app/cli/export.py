"""`tunnelmark export-config`."""

from __future__ import annotations

from pathlib import Path

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.names import check_solutions
from app.cli.sides import deployment_options
from app.deployment.choice import check_options
from app.wording.language import tr
from app.wording.messages import local_text
from app.wording.titles import local_title


def export_config(context: CommandContext) -> int:
    """Write what `deploy` would put on two hosts, for those who deploy by hand or with Ansible."""
    from app.export.pair_export import FORMATS, ExportOptions

    options = context.options
    check_solutions([options.solution])
    chosen = ExportOptions(
        solution=options.solution,
        suite=options.suite or "",
        deployment_options=deployment_options(options),
        place=Path(options.out),
        formats=(options.format,) if options.format else FORMATS,
        may_replace=options.force,
        is_live=options.live,
        path_mtu_bytes=options.path_mtu,
    )
    check_options(chosen.deployment_options)
    with context.services() as services:
        pair = context.job(lambda token, report: services.resolve_pair(options.pair, token=token, on_progress=report))
        done = context.job(lambda token, report: services.export_config(pair, chosen, token=token, on_progress=report))
    context.out.print(f"{local_title(done.title)}. {local_text(done.facts_from)}")
    context.out.print(tr("Written to {place}. Begin with its README.txt.").format(place=done.place))
    return ExitCode.OK
