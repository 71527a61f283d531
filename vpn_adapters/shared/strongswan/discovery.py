"""Capabilities of a host's strongSwan, by the plugins on its disk; its daemon is neither needed nor asked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.domain.adapters import shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, SolutionSupport
from app.domain.messages import mark
from app.domain.script_files import adapter_script
from vpn_adapters.shared import discovering, guards, key_encapsulation
from vpn_adapters.shared.strongswan.payload import Payload

ED25519, ECDSA = "auth:ed25519", "auth:ecdsa"
X25519, ECP384, ML_KEM = "ke:x25519", "ke:ecp384", "ke:mlkem768"
PPK = "ppk:mlkem768"
GCM, CHACHA, CBC = "ike:aes256gcm16", "ike:chacha20poly1305", "ike:aes256"

_PLUGINS_SCRIPT = adapter_script("shared/strongswan", "plugins.sh")
_VERSION_SCRIPT = adapter_script("shared/strongswan", "version.sh")


def commands(payload: Payload) -> Mapping[str, Command]:
    """Return questions for strongSwan's programs and plugins, for what guards the frames, and the kernel's modules."""
    return {
        "swanctl": discovering.query(*shell_step_argv(_VERSION_SCRIPT)),
        "charon": discovering.query(*shell_step_argv("command -v charon-systemd")),
        "plugins": discovering.query(*shell_step_argv(_PLUGINS_SCRIPT)),
        "openssl": discovering.query("openssl", "version"),
        **key_encapsulation.QUERIES,
        **guards.QUERIES,
        "ip": discovering.query("ip", "-V"),
        "modules": discovering.modules_query(*payload.all_modules),
    }


_VERSION = re.compile(r"^strongSwan (\d+)\.(\d+)\.(\d+)\S* swanctl", re.MULTILINE)
_PLUGIN = re.compile(r"libstrongswan-([a-z0-9-]+)\.so")
_OPENSSL = re.compile(r"^OpenSSL (\d+)\.(\d+)", re.MULTILINE)
_REQUIRED_PLUGINS = ("nonce", "pem", "pubkey", "vici", "kernel-netlink", "socket-default")
_LIBRARIES = {"openssl", "botan", "wolfssl"}


def parse(outputs: Mapping[str, CommandResult], payload: Payload) -> SolutionSupport:
    """Translate the answers.

    Source: what strongSwan 5.9.1 and 6.0.1 print, and their plugin lists (docs.strongswan.org, plugins).
    """
    match = _VERSION.search(discovering.text_of(outputs, "swanctl"))
    plugins = frozenset(_PLUGIN.findall(discovering.text_of(outputs, "plugins")))
    missing = _missing(outputs, payload, plugins, has_swanctl=match is not None)
    version = (int(match[1]), int(match[2]), int(match[3])) if match else (0, 0, 0)
    features = _features(plugins, version, _openssl(outputs), can_derive=key_encapsulation.is_able(outputs))
    note = (
        ""
        if missing or _is_enough(features)
        else mark("Its plugins know no key exchange, signature or cipher of today.")
    )
    return SolutionSupport(
        solution=payload.solution,
        is_available=not missing and not note,
        version=".".join(map(str, version)) if match else "",
        features=features,
        missing=missing,
        note=note,
    )


def _openssl(outputs: Mapping[str, CommandResult]) -> tuple[int, int]:
    match = _OPENSSL.search(discovering.text_of(outputs, "openssl"))
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _missing(
    outputs: Mapping[str, CommandResult], payload: Payload, plugins: frozenset[str], *, has_swanctl: bool
) -> tuple[MissingPart, ...]:
    name = payload.solution
    programs = {
        "swanctl": has_swanctl,
        "charon-systemd": bool(discovering.stdout_of(outputs, "charon").strip()),
        "openssl": "OpenSSL" in discovering.text_of(outputs, "openssl"),
        mark("strongswan plugins"): not plugins or plugins.issuperset(_REQUIRED_PLUGINS),
    }
    modules = discovering.missing_modules(outputs.get("modules"), ("esp4", "xfrm_user"), name)
    parts = discovering.missing_programs(programs, name) + guards.missing_parts(outputs, name)
    return (*parts, *modules, *discovering.missing_kernel_parts(outputs, payload.kernel_modules, name))


def _features(
    plugins: frozenset[str], version: tuple[int, int, int], openssl: tuple[int, int], *, can_derive: bool
) -> tuple[str, ...]:
    has_library = bool(plugins & _LIBRARIES)
    has_curve = "curve25519" in plugins or has_library
    # ML-KEM came with strongSwan 6.0 in a plugin of its own, and by OpenSSL 3.5 with 6.0.2. An older daemon takes the
    # word into its configuration and fails when it is to be used.
    has_ml_kem = "ml" in plugins or ("openssl" in plugins and version >= (6, 0, 2) and openssl >= (3, 5))
    has = {
        ED25519: has_curve,
        ECDSA: has_library,
        X25519: has_curve,
        ECP384: has_library,
        ML_KEM: has_ml_kem and version >= (6, 0, 0),
        PPK: can_derive and version >= (5, 7, 0),  # Source: strongSwan's NEWS, 5.7.0
        GCM: has_library or {"gcm", "aes"} <= plugins,
        CHACHA: "chapoly" in plugins or has_library,
        CBC: bool(plugins & {*_LIBRARIES, "aes", "gcrypt"}),
    }
    return tuple(name for name, is_there in has.items() if is_there)


def _is_enough(features: tuple[str, ...]) -> bool:
    groups = ({ED25519, ECDSA}, {X25519, ECP384}, {GCM, CHACHA, CBC})
    return all(group & set(features) for group in groups)
