"""Defaults that a user sets."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.deployment import CONFIRM_WITHIN_S
from app.domain.profiles import ProfileName


@dataclass(frozen=True, slots=True)
class Preferences:
    """Defaults that the user has set; what is chosen on a page or the command line comes first.

    Attributes:
        profile: How thoroughly a comparison measures.
        confirm_within_s: Time to confirm a deployment, in seconds, where the user confirms.
        language: Code of the window's language; empty follows the system.
    """

    profile: ProfileName = ProfileName.ADAPTIVE
    confirm_within_s: float = CONFIRM_WITHIN_S
    language: str = ""
