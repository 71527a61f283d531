"""The running lab that a benchmark works on."""

from __future__ import annotations

import argparse

from app.domain.paths import find_paths
from app.lab import Lab, LabManager


def lab_option(parser: argparse.ArgumentParser) -> None:
    """Have a command line name a lab."""
    parser.add_argument("lab", help="name of a running practice lab")


def running_lab(parser: argparse.ArgumentParser, name: str) -> Lab:
    """Return the lab of this name, or end the program where none is up."""
    paths = find_paths()
    manager = LabManager(cache_dir=paths.cache_dir, state_dir=paths.labs_dir)
    lab = manager.find(name)
    if lab is None:
        parser.error(f"there is no lab {name}")
    return lab
