"""`tunnelmark lab`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from app.cli.context import Context
from app.cli.exit_codes import ExitCode
from app.cli.tables import Column, Table
from app.domain.cancel import CancelToken
from app.domain.condition_files import find_condition, presets
from app.domain.deployment import Deployment
from app.domain.errors import LabFault, NotFound, StorageFault
from app.domain.hosts import Side
from app.domain.paths import find_paths
from app.domain.progress import ProgressSink
from app.domain.results import AS_FOUND
from app.host.logins import endpoint_of
from app.lab import CpuKind, LabSpec, LabStatus, parse_platforms
from app.lab.desk import deployments_in, end_with_lab
from app.storage.in_use import InUse
from app.wording.conditions import condition_words

_STATES = {
    (True, True): "running",
    (True, False): "B is off",
    (False, True): "A is off",
    (False, False): "both are off",
}


def up(context: Context) -> int:
    """Start a lab that lasts until `lab down`."""
    options = context.options
    platform_a, platform_b = parse_platforms(options.platform)
    spec = LabSpec(options.name, platform_a, platform_b, CpuKind(options.cpu), is_hardened=options.hardened)
    manager = context.labs()

    def work(token: CancelToken, on_progress: ProgressSink) -> None:
        manager.up(
            spec,
            token=token,
            on_progress=lambda step: on_progress(step.text, step.fraction),
            is_owned=False,
            is_cold=options.cold,
        )

    context.job(work)
    context.out.print(
        f"The lab {spec.name} is up. Its pair is lab:{spec.name}. To log in:\ntunnelmark lab ssh A --name {spec.name}",
        markup=False,
    )
    return ExitCode.OK


def condition(context: Context) -> int:
    """Emulate a link between a lab's hosts, or list the presets."""
    options = context.options
    if options.condition is None:
        for one in presets().values():
            context.out.print(f"{one.name}: {one.title}, {condition_words(one)}", markup=False)
        return ExitCode.OK
    found = None if options.condition == AS_FOUND else find_condition(options.condition)
    context.labs().set_condition(options.name, found)
    words = "joined directly, as found" if found is None else f"{found.title}, {condition_words(found)}"
    context.out.print(f"The link of the lab {options.name} is now: {words}.", markup=False)
    return ExitCode.OK


def down(context: Context) -> int:
    """Stop a lab; nothing is left of it but the cached image."""
    name = context.options.name
    if not context.options.force:
        _refuse_if_in_use(context, name)
    manager = context.labs()
    ending: tuple[Deployment, ...] = ()
    with suppress(StorageFault), context.archive() as archive:  # a lab can be stopped without the database
        ending = deployments_in(archive.store, manager, name)
    if not manager.down(name):
        raise NotFound(f"There is no lab named {name}.", hint="List those that run with: tunnelmark lab status")
    if ending:
        with context.archive() as archive:
            end_with_lab(archive.store, ending)
    for one in ending:
        text = f"The deployment {one.id[:8]} ({one.title}), which was {one.state}, has ended with it."
        context.err.print(text, markup=False, soft_wrap=True)
    context.out.print(f"The lab {name} is down.", markup=False)
    return ExitCode.OK


def _refuse_if_in_use(context: Context, name: str) -> None:
    try:
        lab = context.labs().find(name)
    except LabFault:  # it is starting, or does not answer: nothing uses it that could go on
        return
    if lab is not None:
        hint = f"What runs there is lost with: tunnelmark lab down --name {name} --force"
        InUse(find_paths().in_use_dir, endpoint_of).refuse(lab.pair, hint=hint)


def status(context: Context) -> int:
    """Show running labs."""
    found = context.labs().status()
    if context.options.json:
        rows = [
            {
                "name": lab.name,
                "pair": f"lab:{lab.name}",
                "platforms": list(lab.platforms),
                "cpu": str(lab.cpu),
                "is_running": all(lab.is_running),
                "is_starting": lab.is_starting,
                "hosts": {"a": lab.is_running[0], "b": lab.is_running[1]},
                "ports": list(lab.ports),
                "since": lab.since.isoformat(),
            }
            for lab in found
        ]
        print(json.dumps({"format": 1, "labs": rows}, indent=2))  # noqa: T201 - the result of the command
        return ExitCode.OK
    if not found:
        context.out.print("No lab is up. Start one with: tunnelmark lab up", markup=False)
        return ExitCode.OK
    lab_table(found).print(context.out)
    return ExitCode.OK


def lab_table(found: Sequence[LabStatus]) -> Table:
    """Return a row for each lab."""
    headings = ("lab", "pair", "state", "platforms", "since", "SSH ports", "CPU")
    table = Table([Column(heading, rank=max(0, place - 2)) for place, heading in enumerate(headings)], more="--json")
    for lab in found:
        table.add_row(
            lab.name,
            f"lab:{lab.name}",
            "starting" if lab.is_starting else _STATES[lab.is_running],
            " and ".join(dict.fromkeys(lab.platforms)),
            f"{lab.since.astimezone():%Y-%m-%d %H:%M}",
            ", ".join(map(str, lab.ports)),
            lab.cpu,
        )
    return table


def ssh(context: Context) -> int:
    """Log in to a lab's host, or run a command there."""
    options = context.options
    lab = context.labs().find(options.name)
    if lab is None:
        raise NotFound(
            f"There is no running lab named {options.name}.",
            hint=f"Start it with: tunnelmark lab up --name {options.name}",
        )
    return subprocess.run([*lab.ssh_argv(Side(options.side.lower())), *options.remote], check=False).returncode
