"""A secret that both hosts share: made on A, given to B, new for every tunnel."""

from __future__ import annotations

from app.domain.adapters import IdentityRecipe, PlanStep, SharedSecret, shell_step_argv
from app.domain.commands import Command
from app.domain.hosts import Side


def recipe(side: Side, path: str, make: Command, *, title: str, what: str) -> IdentityRecipe:
    """Return how the secret is made on A, and where it goes on B.

    Args:
        path: Where it lies on both hosts.
        make: Makes it there.
        title: Of the step that makes it.
        what: What it is, for people.
    """
    if side is Side.B:
        return IdentityRecipe()
    step = PlanStep(title=title, command=make, undo=Command(("rm", "-f", path), timeout_s=5.0, is_root=True))
    show = Command(shell_step_argv('cat "$1"', path), timeout_s=10.0, is_root=True, max_output_bytes=4096)
    return IdentityRecipe(steps=(step,), shared=(SharedSecret(what, show, path),))
