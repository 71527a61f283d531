"""Features that one host has, or both, by the facts that were found on them."""

from __future__ import annotations

from app.domain.hosts import SolutionSupport
from vpn_adapters.openvpn.discovery import GROUP_PREFIX, LEGACY_PREFIX

Supports = tuple[SolutionSupport, SolutionSupport]


def have_all(supports: Supports, feature: str) -> bool:
    """Whether both hosts have a feature."""
    return all(feature in support.features for support in supports)


def common_group(supports: Supports, preferred: tuple[str, ...]) -> str:
    """Return the best key-exchange group that can be enforced on both hosts; empty if there is none."""
    return next((group for group in preferred if have_all(supports, f"{GROUP_PREFIX}{group}")), "")


def spelling(listed: tuple[str, ...], name: str) -> str:
    """Return a name as a host's own list spells it."""
    return next((one for one in listed if one.upper() == name.upper()), name)


def needs_legacy_provider(support: SolutionSupport | None, *names: str) -> bool:
    """Whether a host's OpenVPN knows one of these names only with OpenSSL's legacy provider."""
    features = {feature.upper() for feature in support.features} if support else set()
    return any(f"{LEGACY_PREFIX}{name}".upper() in features for name in names)
