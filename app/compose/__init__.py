"""The one place where the parts are put together, for the window and the command line.

The names below are imported when they are first used: `rank` must not wait for SSH, the lab and everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.compose.paths import Paths, find_paths
from app.compose.version import tunnelmark_version

if TYPE_CHECKING:
    from app.compose.archive import Archive, open_archive
    from app.compose.services import Services, open_services
    from app.compose.settings import Settings, read_settings, write_settings

__all__ = [
    "Archive",
    "Paths",
    "Services",
    "Settings",
    "find_paths",
    "open_archive",
    "open_services",
    "read_settings",
    "tunnelmark_version",
    "write_settings",
]


def __getattr__(name: str) -> object:
    if name in {"Archive", "open_archive"}:
        from app.compose import archive

        return getattr(archive, name)
    if name in {"Services", "open_services"}:
        from app.compose import services

        return getattr(services, name)
    if name in {"Settings", "read_settings", "write_settings"}:
        from app.compose import settings

        return getattr(settings, name)
    raise AttributeError(name)
