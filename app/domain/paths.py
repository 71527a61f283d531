"""Folders and files of Tunnelmark on this computer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_APP = "tunnelmark"


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders and files.

    Attributes:
        data_dir: The database, known hosts, reports without a path of their own.
        labs_dir: Running practice labs.
        cache_dir: Images of the practice lab.
    """

    data_dir: Path
    labs_dir: Path
    cache_dir: Path

    @property
    def database(self) -> Path:
        """The database."""
        return self.data_dir / "tunnelmark.db"

    @property
    def settings(self) -> Path:
        """The settings."""
        return self.data_dir / "settings.toml"

    @property
    def known_hosts(self) -> Path:
        """Host keys that were confirmed in Tunnelmark."""
        return self.data_dir / "known_hosts"

    @property
    def in_use_dir(self) -> Path:
        """Locks of the hosts in use."""
        return self.data_dir / "in-use"

    @property
    def studies_dir(self) -> Path:
        """Results of studies."""
        return self.data_dir / "studies"

    @property
    def reports_dir(self) -> Path:
        """Reports without a path of their own."""
        return self.data_dir / "reports"


def find_paths() -> Paths:
    """Return the folders: under TUNNELMARK_HOME where that is set, else where the platform wants them.

    The image cache remains in the platform's cache folder in either case, because it is large and can be made again.
    """
    cache_dir = platformdirs.user_cache_path(_APP)
    home = os.environ.get("TUNNELMARK_HOME")
    if home:
        data_dir = Path(home).expanduser().absolute()
        return Paths(data_dir=data_dir, labs_dir=data_dir / "labs", cache_dir=cache_dir)
    return Paths(
        data_dir=platformdirs.user_data_path(_APP),
        labs_dir=platformdirs.user_state_path(_APP) / "labs",
        cache_dir=cache_dir,
    )
