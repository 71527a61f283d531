"""The pair that a command is about, with the consent that was given on the command line."""

from __future__ import annotations

from dataclasses import replace

from app.cli.context import Context
from app.domain.hosts import PairSpec
from app.services.wiring import Services


def find_pair(context: Context, services: Services) -> PairSpec:
    """Return the pair that was named; a lab of a platform is started where none is up."""
    options = context.options
    pair = context.job(lambda token, tell: services.resolve_pair(options.pair, token=token, on_progress=tell))
    may_open: bool | None = getattr(options, "open_firewall", None)
    if may_open is None:
        return pair
    if getattr(options, "dry_run", False) or getattr(options, "list", False):
        return replace(pair, may_open_firewall=may_open)  # these change nothing, not even what is remembered
    return services.allow_opening_firewalls(pair, may_open=may_open)
