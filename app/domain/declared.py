"""Declarations of each VPN for parts of the program that are no VPN's: `declared.toml` in its adapter's folder.

These parts must not import adapters, and most of them need these values before any host is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources

from app.domain.structured import bundled

_FOLDER = resources.files("vpn_adapters")
FILE = "declared.toml"


@dataclass(frozen=True, slots=True)
class Style:
    """Style of a solution in plots.

    Attributes:
        colour: `#rrggbb`, with a contrast of at least 3 : 1 on white and on the window's dark ground.
        marker: Shape of its points, as `app.wording.colours.Marker` names it.
        dash: Lengths of dashes and gaps in line widths; empty where dashes distinguish suites.
    """

    colour: str
    marker: str
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Declared:
    """One folder's declarations.

    Attributes:
        kernel_modules: Modules of the kernel that a host is asked for.
        apparmor_words: Names of AppArmor profiles that concern its programs begin with these, or have them in a path.
        packages: Program or `kernel module NAME` → package manager → package; an empty name where none is known.
        styles: Solution → how it is drawn.
        formats: Kind of configuration file → solution whose guidelines hold for it.
        key_folders: Kind of configuration file → folders beside it, with a slash, where a key lies that it names
            without one; its own folder where nothing is declared.
        never_deployed: Algorithm or part of a design, as the policy names it → why it can be measured but never
            deployed, and what to deploy in its place.
        comparison_only: Solutions that are there to be compared alone: a host without them lacks nothing.
        over_tcp: Solutions whose packets travel in a TCP connection of their own.
        claims: Solution → what it has for itself on a pair's underlay, for example a fixed port or an IP protocol: of
            the solutions and suites with a claim in common, one tunnel at a time can be up.
        scripts: Names of files that a shell runs, besides those that end in `.sh`.
        programs: Name in the linter's rules → program on a host whose version they depend on.
    """

    kernel_modules: tuple[str, ...] = ()
    apparmor_words: tuple[str, ...] = ()
    packages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    styles: Mapping[str, Style] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    key_folders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    never_deployed: Mapping[str, str] = field(default_factory=dict)
    comparison_only: tuple[str, ...] = ()
    over_tcp: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    claims: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@lru_cache(maxsize=1)
def declared() -> Mapping[str, Declared]:
    """Return the declarations by folder, in the order of their names.

    Raises:
        Bug: A file is malformed.
    """
    files = {folder.name: folder / FILE for folder in _FOLDER.iterdir() if folder.is_dir()}
    return {name: bundled(file, Declared) for name, file in sorted(files.items()) if file.is_file()}


@lru_cache(maxsize=1)
def comparison_only() -> frozenset[str]:
    """Return the solutions that are there to be compared alone, of all folders."""
    return frozenset(name for one in declared().values() for name in one.comparison_only)


@lru_cache(maxsize=1)
def over_tcp() -> frozenset[str]:
    """Return the solutions whose packets travel in a TCP connection of their own, of all folders."""
    return frozenset(name for one in declared().values() for name in one.over_tcp)


def comparison_reason(solution: str) -> str:
    """Return why a solution can be compared but never deployed, and what to deploy; empty where it may be deployed."""
    own = (one for one in declared().values() if solution in one.comparison_only)
    return next((reason for one in own for reason in one.never_deployed.values()), "")
