"""MACsec capabilities of a host: ciphers as iproute2 lists them, and whether wpa_supplicant speaks MKA."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import SolutionSupport
from app.domain.messages import mark
from app.domain.script_files import adapter_script
from vpn_adapters.macsec.info import NAME
from vpn_adapters.shared import discovering, guards, l2tpv3

KERNEL_MODULES = ("macsec", *l2tpv3.KERNEL_MODULES)

MKA_OLD, MKA, MKA_256 = "mka-2.9", "mka", "mka-gcm-aes-256"
"""MKA as wpa_supplicant speaks it up to 2.9, from 2.10 on, and with a choice of ciphers.

Both must speak it in the same way. From 2.10 on, a key that has taken over is announced as the old one, and none as
the latest (IEEE 802.1X-2010 figure 12-2, RETIRE). 2.9 searches for the latest one, finds none, drops the message and
takes a new member identifier, so that its peer loses it. No setting of either changes that.
Source: src/pae/ieee802_1x_cp.c (RETIRE) and ieee802_1x_kay.c (ieee802_1x_mka_decode_sak_use_body) of 2.9 and 2.10.
"""

COMMANDS: Mapping[str, Command] = {
    "ip": discovering.query("ip", "-V"),
    "help": discovering.query("ip", "link", "help", "macsec"),
    **guards.QUERIES,
    "supplicant": discovering.query("wpa_supplicant", "-h"),
    "choice": discovering.query(*shell_step_argv(adapter_script("macsec", "choice.sh"))),
    "modules": discovering.modules_query(*KERNEL_MODULES),
}

_CIPHERS = re.compile(r"cipher \{([^}]*)\}")
_CIPHER = re.compile(r"\bgcm-aes-(?:xpn-)?(?:128|256)\b")
_SUPPLICANT = re.compile(r"^wpa_supplicant v(\d+)\.(\d+)", re.MULTILINE)
_FIRST_NEWER = 2, 10


def parse(outputs: Mapping[str, CommandResult]) -> SolutionSupport:
    """Translate the answers.

    Source: `ip link help macsec` of iproute2 5.9 and 6.15; `wpa_supplicant -h` 2.9 and 2.10 (list of drivers).
    """
    match = _CIPHERS.search(discovering.text_of(outputs, "help"))
    ciphers = tuple(dict.fromkeys(_CIPHER.findall(match[1]))) if match else ()
    missing = guards.missing_parts(outputs, NAME)
    missing += discovering.missing_modules(outputs.get("modules"), ("macsec",), NAME)
    missing += discovering.missing_kernel_parts(outputs, l2tpv3.KERNEL_MODULES, NAME)
    note = "" if missing or ciphers else mark("Its `ip` does not know MACsec's ciphers.")
    return SolutionSupport(
        solution=NAME,
        is_available=not missing and not note,
        version=discovering.iproute2_version(outputs),
        features=_features(outputs),
        ciphers=ciphers,
        missing=missing,
        note=note,
    )


def _features(outputs: Mapping[str, CommandResult]) -> tuple[str, ...]:
    text = discovering.text_of(outputs, "supplicant")
    version = _SUPPLICANT.search(text)
    if version is None or "macsec_linux" not in text:
        return ()
    if (int(version[1]), int(version[2])) < _FIRST_NEWER:
        return (MKA_OLD,)
    choice = outputs.get("choice")
    return (MKA, MKA_256) if choice is not None and choice.stdout.strip() == "macsec_csindex" else (MKA,)
