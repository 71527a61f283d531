"""Which Tunnelmark this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def tunnelmark_version() -> str:
    """Return the installed version, or `0+unknown` where the package was not installed."""
    try:
        return version("tunnelmark")
    except PackageNotFoundError:
        return "0+unknown"
