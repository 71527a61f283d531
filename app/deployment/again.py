"""An earlier deployment that is to be deployed again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from app.deployment.slots import slot_of
from app.domain.deployment import Deployment, DeploymentOptions
from app.domain.errors import InvalidOption
from app.domain.hosts import PairSpec, Side
from app.domain.keepalive import Keepalive
from app.domain.messages.inputs import AGAIN_OF_OTHER_PAIR


@dataclass(frozen=True, slots=True)
class OptionChanges:
    """Options that differ from those of the earlier deployment; None: the same.

    Attributes:
        moves_lan_rules: Whether the rules of LAN ports move to the bridge.
        fits_path_mtu: Whether the tunnel's MTU is adapted to the path.
        keepalive: Keepalive of the tunnel.
    """

    moves_lan_rules: bool | None = None
    fits_path_mtu: bool | None = None
    keepalive: Keepalive | None = None

    def applied_to(self, options: DeploymentOptions) -> DeploymentOptions:
        """Return options with these changes."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return replace(options, **given)


def chosen_again(
    earlier: Deployment, pair: PairSpec, changes: OptionChanges, *, confirm_within_s: float | None
) -> tuple[tuple[str, str], DeploymentOptions]:
    """Return solution and suite, and options, of an earlier deployment that is deployed again.

    Args:
        earlier: The earlier deployment.
        pair: Where.
        changes: Options that differ.
        confirm_within_s: Time to confirm, in seconds; None where no user confirms.

    Raises:
        InvalidOption: The earlier deployment is of another pair.
    """
    if earlier.slot != slot_of(pair) and earlier.pair.name != pair.name:
        raise InvalidOption(AGAIN_OF_OTHER_PAIR(deployment=earlier.id, of=earlier.pair.name, pair=pair.name))
    options = replace(changes.applied_to(earlier.options), confirm_within_s=confirm_within_s)
    if not changes.moves_lan_rules and not any(map(options.bridge, Side)):
        options = replace(options, moves_lan_rules=False)  # without a LAN port it meant nothing
    return (earlier.solution, earlier.suite), options
