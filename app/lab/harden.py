"""Gateways of a practice lab as closed as those of a plant: firewalls that drop what they do not know."""

from __future__ import annotations

from importlib import resources

from app.domain.cancel import CancelToken
from app.domain.concurrency import run_both
from app.domain.errors import LabFault
from app.domain.hosts import Side
from app.lab.guarded import run_bounded
from app.lab.guest import HOST_NAMES
from app.lab.messages import CLOSING_FIREWALLS, NOT_HARDENED, NOT_HARDENED_IN_TIME
from app.lab.running import Lab
from app.lab.spec import LabProgress, OnProgress

FIREWALLS = {Side.A: "nftables", Side.B: "ufw"}
"""By what each gateway's firewall is owned: two, so that both are tried."""

_TIMEOUT_S = 180.0
"""ufw is a Python program, which takes some 20 s on an emulated CPU."""


def harden(lab: Lab, *, token: CancelToken, on_progress: OnProgress) -> None:
    """Close the firewalls of both gateways.

    Args:
        lab: The lab; both gateways can be logged in to.
        on_progress: Gets what is being done.

    Raises:
        LabFault: A gateway's firewall could not be closed.
        Cancelled: The token was cancelled.
    """
    on_progress(LabProgress("login", CLOSING_FIREWALLS(), None))
    script = (resources.files("resources") / "hardening" / "harden.sh").read_bytes()
    run_both(lambda: _harden_one(lab, Side.A, script, token), lambda: _harden_one(lab, Side.B, script, token))


def _harden_one(lab: Lab, side: Side, script: bytes, token: CancelToken) -> None:
    argv = [*lab.ssh_argv(side), "sh", "-s", FIREWALLS[side]]
    found = run_bounded(argv, script, timeout_s=_TIMEOUT_S, token=token)
    token.raise_if_cancelled()
    if found is None:
        raise LabFault(NOT_HARDENED_IN_TIME(host=HOST_NAMES[side], seconds=_TIMEOUT_S))
    if found.exit_status != 0:
        raise LabFault(NOT_HARDENED(host=HOST_NAMES[side], output=found.output[-300:]))
