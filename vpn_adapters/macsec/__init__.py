"""MACsec over L2TPv3: each frame encrypted by the kernel, with keys that MKA agrees on or with static ones.

The shared secret is made on one host and given to the other through memory, never through a file of this computer.
Replay protection is part of every plan. Must not offer a cipher that the kernel or wpa_supplicant of one host lacks.
"""

from __future__ import annotations

from vpn_adapters.macsec import discovery, identity, info, plan, suites
from vpn_adapters.shared.modular import ModularAdapter

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=suites.offered,
    plan=plan.make,
    census=suites.census,
    identity=lambda request, side: identity.recipe(request.link, side),
)
