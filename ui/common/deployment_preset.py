"""Choice of a deployment that one page hands to another."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.deployment import DeploymentOptions
from app.domain.hosts import PairSpec

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Preset values of the deploy page.

    Attributes:
        pair: The pair.
        key: Solution and suite.
        title: Both for people.
        options: Other settings; None leaves them as they are.
    """

    pair: PairSpec
    key: Key
    title: str
    options: DeploymentOptions | None = None
