"""The whole plan of a request: the VPN's own, with what is added to it."""

from __future__ import annotations

from dataclasses import replace

from app.domain.adapters import IdentityRecipe, PublicIdentity, TunnelPlan
from app.domain.hosts import Side
from app.tunnel.openings import opened_firewalls
from app.tunnel.request import NO_IDENTITY, DeployRequest
from app.tunnel.shaping import shaped


def plan_of(
    request: DeployRequest, identity_a: PublicIdentity = NO_IDENTITY, identity_b: PublicIdentity = NO_IDENTITY
) -> TunnelPlan:
    """Return files and steps for both sides; without identities, for display only.

    Raises:
        InvalidPlan: The adapter cannot build this.
    """
    plan = request.adapter.plan(request.plan_request(identity_a, identity_b))
    if request.extension is not None:
        plan = request.extension.extend(plan, request.link)
    return shaped(request, opened_firewalls(request, plan) if request.opens_firewalls else plan)


def recipe_of(request: DeployRequest, side: Side) -> IdentityRecipe:
    """Return what is done on a host as soon as it is locked: what is replaced is suspended, the key is made."""
    recipe = request.adapter.identity(request.plan_request(), side)
    room = request.replaced.get(side)
    if room is None or room.suspend is None:
        return recipe
    return replace(recipe, steps=(room.suspend, *recipe.steps))
