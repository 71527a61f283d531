"""PPP over VTun between two hosts: pppd on both, started by vtund, and L2TPv3 inside for Ethernet frames.

For comparison alone: no suite of it is ever deployed. Must not put the password on a command line, and must not read or
write files of the host's PPP or of its own vtund.
"""

from __future__ import annotations

from functools import partial

from vpn_adapters.shared import ppp
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.vtund import discovery, identity, suites
from vpn_adapters.vtun_ppp import info, plan

adapter = ModularAdapter(
    info=info.INFO,
    commands={**discovery.QUERIES, **ppp.STREAM_QUERIES},
    # Source: what VTun 3.0.4 and ppp 2.4.9 of Debian 12 print.
    parse_discovery=lambda outputs: discovery.parse(
        outputs, info.NAME, missing=ppp.missing_stream_parts(outputs, info.NAME), features=ppp.path_feature(outputs)
    ),
    suites=partial(suites.offered, info.NAME),
    plan=plan.make,
    identity=lambda request, side: identity.recipe(request.link, side),
)
