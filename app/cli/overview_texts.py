"""Words of the overview of 2004 on the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from app.policy.overview import Carries, CipherChoice, State
from app.wording.language import mark

STATE_WORDS: Mapping[State, str] = {
    State.MAINTAINED: mark("maintained"),
    State.PACKAGED: mark("packaged, outdated"),
    State.NOT_PACKAGED: mark("not packaged"),
}

CHOICE_WORDS: Mapping[CipherChoice, str] = {
    CipherChoice.LIBRARY: mark("all of its library, for example {names}"),
    CipherChoice.LISTED: "{names}",
    CipherChoice.FIXED: mark("not selectable"),
    CipherChoice.NONE: mark("none"),
}

LEVEL_WORDS: Mapping[str, str] = {"low": mark("easy"), "medium": mark("in its source"), "high": mark("a rewrite")}
"""Effort of adding an algorithm."""

ROUTING_WORDS: Mapping[str, str] = {
    "manual": mark("by hand"),
    "config-file": mark("in its configuration file"),
    "shell-script": mark("by a script when it comes up"),
    "automatic": mark("found by itself"),
}

PROPERTY_WORDS = (
    mark("confidentiality"),
    mark("integrity"),
    mark("authentication"),
    mark("replay protection"),
)
"""In the order of Table 4."""

BY_CARRIED: Mapping[Carries, str] = {
    Carries.IP: mark(
        "It carries IP packets between two networks, Tunnelmark carries Ethernet frames. Either deploy without "
        "--bridge, and move the routes to the addresses inside the new tunnel; or join the LANs with --bridge, "
        "which makes one network of both: no address may then be in both of them."
    ),
    Carries.EITHER: mark(
        "Where it carries Ethernet frames, it and a new tunnel between the same LANs are a loop: deploy without "
        "--bridge first, take the old tunnel out of its bridge, then deploy again with --bridge. Where it carries "
        "IP packets, deploy without --bridge, and move the routes to the addresses inside the new tunnel."
    ),
    Carries.UNKNOWN: mark(
        "It is unknown whether it carries Ethernet frames. If it does, two tunnels between the same LANs are a "
        "loop: deploy without --bridge first, end the old tunnel, then deploy again with --bridge. Otherwise move "
        "the routes to the addresses inside the new tunnel."
    ),
}

ALWAYS = (
    (
        mark("keys"),
        mark(
            "Take over no key and no password: the hosts make new keys. Delete the old ones when the old tunnel has "
            "been removed."
        ),
    ),
    (
        mark("meanwhile"),
        mark(
            "Leave the old tunnel up until the new one is confirmed: a deployment has names, ports and addresses of "
            "its own, and both hosts roll back unless it is confirmed. Log in to both hosts, and choose underlay "
            "addresses, outside of the old tunnel."
        ),
    ),
)
"""True of every system: heading and text."""

OVERVIEW_NOTES = (
    mark(
        "Verdicts are those of Tunnelmark's policy on the versions of 2004, and on what is maintained or packaged "
        "today. Tunnelmark deploys none of them as they are."
    ),
    mark(
        "Tasks: configuration files, routes and keys when a site is added to a full mesh of N sites, times N, by the "
        "study's formulas. * The printed number does not follow from them."
    ),
    mark(
        "Mean rank: the study's heuristic for setup and tasks, of equal weight. Its other attributes are figures "
        "that it prints as a plot only, and security is not among them: do not choose by it."
    ),
)
