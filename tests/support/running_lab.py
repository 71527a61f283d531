"""The running lab that a benchmark works on."""

from __future__ import annotations

import argparse

from platformdirs import user_cache_path, user_state_path

from app.lab import Lab, LabManager


def lab_option(parser: argparse.ArgumentParser) -> None:
    """Have a command line name a lab."""
    parser.add_argument("lab", help="name of a running practice lab")


def running_lab(parser: argparse.ArgumentParser, name: str) -> Lab:
    """Return the lab of this name, or end the program where none is up."""
    manager = LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=user_state_path("tunnelmark") / "labs")
    lab = manager.find(name)
    if lab is None:
        parser.error(f"there is no lab {name}")
    return lab
