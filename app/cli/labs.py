"""`tunnelmark lab`."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import suppress

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, write_json
from app.cli.messages import LAB_IN_USE_HINT, LAB_NOT_RUNNING, LAB_WITHOUT_NODES, NO_LAB
from app.cli.tables import Column, Table
from app.cli.words import word_of
from app.domain.cancel import CancelToken
from app.domain.condition_files import find_condition, presets
from app.domain.conditions import AS_FOUND
from app.domain.deployment import Deployment
from app.domain.errors import LabFault, NotFound, StorageFault
from app.domain.paths import find_paths
from app.domain.progress import ProgressSink
from app.host.logins import endpoint_of
from app.lab import CpuKind, LabSpec, LabStatus, parse_platforms
from app.lab.conditions import LabCondition
from app.lab.desk import deployments_in, end_with_lab
from app.lab.kinds import pair_name
from app.lab.spec import LAB_MACHINES
from app.storage.in_use import InUse
from app.wording.conditions import condition_words
from app.wording.deployment_sentences import state_word
from app.wording.language import mark, tr
from app.wording.local_forms import listed_names, minute_text
from app.wording.messages import local_text
from app.wording.titles import local_title

_STATES = {
    (True, True): mark("running"),
    (True, False): mark("B is off"),
    (False, True): mark("A is off"),
    (False, False): mark("both are off"),
}


def up(context: CommandContext) -> int:
    """Start a lab that lasts until `lab down`."""
    options = context.options
    platform_a, platform_b = parse_platforms(options.platform)
    spec = LabSpec(
        *(options.name, platform_a, platform_b, CpuKind(options.cpu)),
        is_hardened=options.hardened,
        has_nodes=options.nodes,
    )
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
    text = tr("The lab {name} is up. Its pair is lab:{name}. To log in:\ntunnelmark lab ssh A --name {name}")
    context.out.print(text.format(name=spec.name))
    return ExitCode.OK


def condition(context: CommandContext) -> int:
    """Emulate a link between a lab's hosts, or list the presets."""
    options = context.options
    if options.condition is None:
        for one in presets().values():
            context.out.print(f"{one.name}: {tr(one.title)}, {local_text(condition_words(one))}")
        return ExitCode.OK
    found = None if options.condition == AS_FOUND else find_condition(options.condition)
    labs = context.labs()
    labs.set_condition(options.name, found)
    words = tr("joined directly, as found")
    if found is not None:
        words = f"{tr(found.title)}, {local_text(condition_words(found))}"
    held = labs.condition_of(options.name)
    if held.holder_pid is None:
        text = tr("The link of the lab {name} is now: {condition}.")
        context.out.print(text.format(name=options.name, condition=words))
        return ExitCode.OK
    text = tr("The link of the lab {name} will be: {condition}, once process {number} releases it.")
    context.out.print(text.format(name=options.name, condition=words, number=held.holder_pid))
    text = tr("Until then it is: {condition}.")
    context.err.print(text.format(condition=word_of(lab_condition_name(held))))
    return ExitCode.OK


def down(context: CommandContext) -> int:
    """Stop a lab; nothing is left of it but the cached image."""
    name = context.options.name
    if not context.options.force:
        _refuse_if_in_use(context, name)
    manager = context.labs()
    ending: tuple[Deployment, ...] = ()
    with suppress(StorageFault), context.archive() as archive:  # a lab can be stopped without the database
        ending = deployments_in(archive.store, manager, name)
    if not manager.down(name):
        raise NotFound(NO_LAB(name=name))
    if ending:
        with context.archive() as archive:
            end_with_lab(archive.store, ending)
    for one in ending:
        text = tr("The deployment {id} ({title}), which was {state}, has ended with it.").format(
            id=one.id[:8], title=local_title(one.title), state=word_of(state_word(one.state))
        )
        context.err.print(text, soft_wrap=True)
    context.out.print(tr("The lab {name} is down.").format(name=name))
    return ExitCode.OK


def _refuse_if_in_use(context: CommandContext, name: str) -> None:
    try:
        lab = context.labs().find(name)
    except LabFault:  # it is starting, or does not answer: nothing uses it that could go on
        return
    if lab is not None:
        InUse(find_paths().in_use_dir, endpoint_of).refuse(lab.pair, hint=LAB_IN_USE_HINT(name=name))


def status(context: CommandContext) -> int:
    """Show running labs."""
    found = context.labs().status()
    if context.options.json:
        rows = [
            {
                "name": lab.name,
                "pair": pair_name(lab),
                "platforms": list(lab.platforms),
                "cpu": str(lab.cpu),
                "is_running": all(lab.is_running),
                "is_starting": lab.is_starting,
                "hosts": {"a": lab.is_running[0], "b": lab.is_running[1]},
                "ports": list(lab.ports),
                "nodes": [
                    {"is_running": is_running, "port": port}
                    for is_running, port in zip(lab.are_nodes_running, lab.node_ports, strict=True)
                ],
                "since": lab.since.isoformat(),
                "condition": lab_condition_name(lab.condition),
                "condition_holder_pid": lab.condition.holder_pid,
            }
            for lab in found
        ]
        write_json(STDOUT, {"format": 1, "labs": rows})
        return ExitCode.OK
    if not found:
        context.out.print(tr("No lab is up. Start one with: tunnelmark lab up"))
        return ExitCode.OK
    lab_table(found).print(context.out)
    return ExitCode.OK


def lab_table(found: Sequence[LabStatus]) -> Table:
    """Return a row for each lab."""
    headings = (
        tr("lab"),
        tr("pair"),
        tr("state"),
        tr("link"),
        tr("platforms"),
        tr("since"),
        tr("SSH ports"),
        "CPU",
    )
    table = Table([Column(heading, rank=max(0, place - 2)) for place, heading in enumerate(headings)], more="--json")
    for lab in found:
        table.add_row(
            lab.name,
            pair_name(lab),
            tr("starting") if lab.is_starting else tr(_STATES[lab.is_running]),
            _link_words(lab.condition),
            listed_names(tuple(dict.fromkeys(lab.platforms))),
            minute_text(lab.since.astimezone()),
            ", ".join(map(str, (*lab.ports, *lab.node_ports))),
            lab.cpu,
        )
    return table


def lab_condition_name(condition: LabCondition) -> str:
    """Return the name of the condition that is in force."""
    return condition.in_force.name if condition.in_force is not None else AS_FOUND


def _link_words(condition: LabCondition) -> str:
    name = word_of(lab_condition_name(condition))
    if condition.holder_pid is None:
        return name
    return tr("{name} (held by process {number})").format(name=name, number=condition.holder_pid)


def ssh(context: CommandContext) -> int:
    """Log in to a machine of a lab, or run a command there."""
    options = context.options
    lab = context.labs().find(options.name)
    if lab is None:
        raise NotFound(LAB_NOT_RUNNING(name=options.name))
    machine = LAB_MACHINES[options.side.lower()]
    if machine not in lab.spec.machines:
        raise NotFound(LAB_WITHOUT_NODES(name=options.name))
    return subprocess.run([*lab.ssh_argv(machine), *options.remote], check=False).returncode
