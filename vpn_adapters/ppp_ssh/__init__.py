"""PPP over SSH between two hosts: pppd on both with one SSH connection between them, and L2TPv3 inside for frames.

For comparison alone: no suite of it is ever deployed. The sshd has keys, port and configuration of its own, and lets in
its peer's key for one pppd alone. Must not touch the host's own sshd, and must not read or write files of its PPP.
"""

from __future__ import annotations

from functools import partial

from vpn_adapters.ppp_ssh import info, plan
from vpn_adapters.shared import ppp
from vpn_adapters.shared.modular import ModularAdapter
from vpn_adapters.shared.openssh import discovery, identity, suites

adapter = ModularAdapter(
    info=info.INFO,
    # Programs of both roles, since either host may be A.
    commands={**discovery.QUERIES, **ppp.STREAM_QUERIES},
    # Source: what OpenSSH 9.2 and ppp 2.4.9 of Debian 12 print.
    parse_discovery=lambda outputs: discovery.parse(
        outputs, info.NAME, missing=ppp.missing_stream_parts(outputs, info.NAME), features=ppp.path_feature(outputs)
    ),
    suites=partial(suites.offered, info.NAME),
    plan=plan.make,
    identity=lambda request, side: identity.recipe(request.link, side),
    parse_identity=identity.parse,
)
