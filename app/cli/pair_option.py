"""The pair that a command is about, with the consent that was given on the command line."""

from __future__ import annotations

from dataclasses import replace

from app.cli.context import CommandContext
from app.domain.errors import NotFound
from app.domain.hosts import PairSpec
from app.domain.topology import NodeKind
from app.lab.messages import NO_LAB_OF_KIND
from app.measurement.messages.studies import NO_NODE_MACHINES
from app.services.wiring import Services


def find_pair(context: CommandContext, services: Services, *, is_lab_started: bool = True) -> PairSpec:
    """Return the pair that was named; a lab of a platform is started where none is up, if `is_lab_started`.

    What has been deployed is on a lab that is up, or gone with it: commands on deployments start none.
    """
    options = context.options
    if is_lab_started:
        pair = context.job(lambda token, report: services.resolve_pair(options.pair, token=token, on_progress=report))
    else:
        pair = services.known_pair(options.pair)
    may_open: bool | None = getattr(options, "open_firewall", None)
    if may_open is None:
        return pair
    if getattr(options, "dry_run", False) or getattr(options, "list", False):
        return replace(pair, may_open_firewall=may_open)  # these change nothing, not even what is remembered
    return services.allow_opening_firewalls(pair, may_open=may_open)


def find_study_pair(context: CommandContext, services: Services, nodes: NodeKind) -> PairSpec:
    """Return the pair that was named, for a study. No lab is started for machines as nodes: it would have none.

    Raises:
        NotFound: There is no such pair, or no lab of that platform is up and nodes are machines.
    """
    if nodes is NodeKind.NAMESPACES:
        return find_pair(context, services)
    try:
        return find_pair(context, services, is_lab_started=False)
    except NotFound as error:
        if error.code != NO_LAB_OF_KIND.code:
            raise
        raise NotFound(error.message, hint=NO_NODE_MACHINES(pair=context.options.pair).hint) from error
