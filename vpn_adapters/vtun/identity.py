"""The password that both sides share: made on A, given to B."""

from __future__ import annotations

from app.domain.adapters import IdentityRecipe, PlanStep, SharedSecret, shell_step_argv
from app.domain.commands import Command
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.messages import mark
from vpn_adapters.shared.commands import root_script


def secret_path(link: Link) -> str:
    """Return where the password lies on both hosts, as a line of vtund's configuration."""
    return f"{link.run_dir}/vtund.password"


def recipe(link: Link, side: Side) -> IdentityRecipe:
    """Return how the password is made on A, and where it goes on B. It is new for every tunnel."""
    if side is Side.B:
        return IdentityRecipe()
    path = secret_path(link)
    make = PlanStep(
        title=mark("Make the password that both sides share"),
        command=root_script("vtun", "make-password.sh", path),
        undo=Command(("rm", "-f", path), timeout_s=5.0, is_root=True),
    )
    show = Command(shell_step_argv('cat "$1"', path), timeout_s=10.0, is_root=True, max_output_bytes=4096)
    secret = SharedSecret(mark("Password of 256 bits from which VTun's key comes"), show, path)
    return IdentityRecipe(steps=(make,), shared=(secret,))
