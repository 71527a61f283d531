"""wpa_supplicant's configuration for MKA. Source: wpa_supplicant.conf(5) and wpa_supplicant 2.9, 2.10 and 2.11."""

from __future__ import annotations

import hashlib

from app.domain.adapters import PlanRequest
from app.domain.hosts import Side
from vpn_adapters.macsec.discovery import MKA_256
from vpn_adapters.macsec.info import NAME
from vpn_adapters.macsec.suites import CIPHER
from vpn_adapters.shared.rendering import run_file, setting, suite_file

_CIPHER_NUMBERS = {"gcm-aes-128": 0, "gcm-aes-256": 1}

config_path = run_file("wpa_supplicant.conf")
"""Path of the configuration without the secret."""
log_path = run_file("wpa_supplicant.log")
"""Path of wpa_supplicant's log."""


def key_name(request: PlanRequest) -> str:
    """Return the public name of the shared secret (CKN), 32 bytes in hexadecimal."""
    link = request.link
    return hashlib.sha256(f"tunnelmark {link.underlay_a} {link.underlay_b} {request.suite.name}".encode()).hexdigest()


def supplicant_config(request: PlanRequest, side: Side) -> bytes:
    """Return the configuration of one side; the host itself puts the secret into a copy of it.

    A is the key server: the lower priority wins.
    """
    lines = [
        "eapol_version=3",
        "ap_scan=0",
        "network={",
        "  key_mgmt=NONE",
        "  eapol_flags=0",
        "  macsec_policy=1",
        "  macsec_integ_only=0",
        "  macsec_replay_protect=1",
        "  macsec_replay_window=0",
        "  macsec_port=1",
        f"  mka_priority={16 if side is Side.A else 32}",
        f"  mka_ckn={key_name(request)}",
        "  mka_cak=(put in on the host)",
        *_choice(request),
        "}",
    ]
    return suite_file(request, lines)


def _choice(request: PlanRequest) -> list[str]:
    """Return the line that chooses the cipher, where both hosts' wpa_supplicant know it; else it is GCM-AES-128."""
    supports = request.facts_a.solutions.get(NAME), request.facts_b.solutions.get(NAME)
    if not all(support is not None and MKA_256 in support.features for support in supports):
        return []
    return [f"  macsec_csindex={_CIPHER_NUMBERS[setting(request, CIPHER)]}"]
