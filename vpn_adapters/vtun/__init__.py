"""VTun between two hosts: Ethernet frames in UDP datagrams, with a key made of one password.

For comparison alone: no suite of it is ever deployed. Must not put the password on a command line, and must not use a
configuration of the host's own.
"""

from __future__ import annotations

from functools import partial

from vpn_adapters.shared import discovering
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.vtund import discovery, identity, suites
from vpn_adapters.vtun import info, plan

adapter = ModularAdapter(
    info=info.INFO,
    commands={
        **discovery.QUERIES,
        "ip": discovering.query("ip", "-V"),
        "modules": discovering.modules_query("tun"),
    },
    parse_discovery=lambda outputs: discovery.parse(
        outputs, info.NAME, missing=discovering.missing_kernel_parts(outputs, ("tun",), info.NAME)
    ),
    suites=partial(suites.offered, info.NAME),
    plan=plan.make,
    census=partial(suites.census, info.NAME),
    identity=lambda request, side: identity.recipe(request.link, side),
)
