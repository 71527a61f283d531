"""OpenSSH with a tap device on both hosts: Ethernet frames in one SSH connection from ssh to an sshd of our own.

The sshd has keys, port and configuration of its own, and lets in its peer's key for the tap device alone. Algorithms
are those that both programs list. Must not touch the host's own sshd, its keys or its configuration.
"""

from __future__ import annotations

from functools import partial

from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.openssh import identity, suites
from vpn_adapters.ssh import census, discovery, info, plan

adapter = ModularAdapter(
    info=info.INFO,
    commands=discovery.COMMANDS,
    parse_discovery=discovery.parse,
    suites=partial(suites.offered, info.NAME),
    plan=plan.make,
    census=census.options,
    identity=lambda request, side: identity.recipe(request.link, side),
    parse_identity=identity.parse,
)
