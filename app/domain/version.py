"""Version of Tunnelmark."""

from __future__ import annotations


def tunnelmark_version() -> str:
    """Return the installed version, or `0+unknown` where the package was not installed."""
    from importlib.metadata import PackageNotFoundError, version  # brings the email package along, for no page's sake

    try:
        return version("tunnelmark")
    except PackageNotFoundError:
        return "0+unknown"
