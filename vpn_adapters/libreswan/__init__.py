"""IPsec by Libreswan around L2TPv3: Ethernet frames in packets that the kernel encrypts.

For comparison with strongSwan alone: never deployed. Runs a pluto of its own with its own configuration, key database
and control socket. Must not touch Libreswan's files below /etc and /var/lib, and must not start pluto where the
kernel has policies or states of IPsec that are not ours: it would delete them.
"""

from __future__ import annotations

from vpn_adapters.libreswan import discovery, identity, info, plan, suites
from vpn_adapters.shared.modular import ModularAdapter

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=suites.offered,
    plan=plan.make,
    census=suites.census,
    identity=identity.recipe,
    parse_identity=identity.parse,
)
