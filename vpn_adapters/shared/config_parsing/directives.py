"""Settings that a program does not have, for the kinds of files whose settings are all known.

A kind that is not here is not judged: what Tunnelmark does not know there may well be a setting.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from app.domain.adapters import Setting
from app.domain.linting import ConfigKind
from app.domain.messages import mark
from vpn_adapters.openvpn import config_reader as openvpn
from vpn_adapters.shared.config_parsing import more_words
from vpn_adapters.shared.config_parsing.page import ConfigReading
from vpn_adapters.shared.config_parsing.word_sets import word_set
from vpn_adapters.wireguard import config_reader as wireguard

_OPENVPN_RARE = word_set(
    """
    allow-deprecated-insecure-static-crypto allow-nonadmin auth-gen-token-secret auth-token auth-token-user
    client-crresponse comp-noadapt compat-names config connect-freq-initial connection dhcp-internal
    dhcp-pre-release disable dns-updown enable-small force-tls-key-material-export genkey gremlin help
    http-proxy-fallback http-proxy-override http-proxy-timeout ifconfig-pool-linear ifconfig-push-constraint
    ip-remote-hint key-derivation management-client-auth management-client-group management-client-pf
    management-client-user management-external-cert management-external-key management-forget-disconnect
    management-log-cache management-query-proxy management-query-remote management-signal management-up-down
    memstats msg-channel override-username parameter pause-exit peer-id pkcs11-id-type pkcs11-sign-mode pkcs11-slot
    pkcs11-slot-type preresolve push-continuation rdns-internal rmtun route-table service show-adapters
    show-ciphers show-curves show-digests show-engines show-gateway show-groups show-net show-pkcs11-ids
    show-pkcs11-objects show-pkcs11-slots show-proxy-settings show-tls show-valid-subnets
    tls-crypt-v2-max-age tls-export-peer-cert tun-max-mtu version
    """
)
"""Options beside those of `openvpn.WORDS` and `more_words.OPENVPN`.

Source: options that openvpn 2.6.14 of Debian does not refuse; openvpn(8) of 2.3 to 2.7, Windows' options included.
"""

_WIREGUARD_RARE = word_set("excludedapplications includedapplications")
"""Settings of `[Interface]` for WireGuard's app, which wg-quick does not have.

Source: com.wireguard.config.Interface of WireGuard for Android, which reads and writes files in the format of wg-quick.
"""

_WIREGUARD_SPELLING = {
    name.lower(): name
    for name in word_set(
        """
        [Interface] [Peer] Address AllowedIPs DNS Endpoint FwMark ListenPort MTU PersistentKeepalive PostDown PostUp
        PreDown PreUp PresharedKey PrivateKey PublicKey SaveConfig Table
        """
    )
}
"""Settings as manuals write them, by their lower case. Source: wg(8), wg-quick(8)."""

_OPTIONAL = re.compile(r"\s*(?:--)?setenv\s+opt\s")


@dataclass(frozen=True, slots=True)
class _Directives:
    """All settings of one kind of file.

    Attributes:
        names: The settings; in lower case where case does not matter.
        has_case: Whether case matters.
        program: The program that reads them, with its versions.
        spelling: Names as its manual writes them, where that is not how `names` has them.
    """

    names: frozenset[str]
    has_case: bool
    program: str
    spelling: Mapping[str, str] = field(default_factory=dict)


_KNOWN: Mapping[ConfigKind, _Directives] = {
    ConfigKind.OPENVPN: _Directives(
        openvpn.WORDS | more_words.OPENVPN | _OPENVPN_RARE, has_case=True, program=mark("OpenVPN (2.3 to 2.7)")
    ),
    ConfigKind.WIREGUARD: _Directives(
        wireguard.WORDS | more_words.WIREGUARD | _WIREGUARD_RARE,
        has_case=False,
        program=mark("WireGuard (wg and wg-quick)"),
        spelling=_WIREGUARD_SPELLING,
    ),
}
"""Source: openvpn(8); wg(8) and wg-quick(8), which pass over the case of names."""


@dataclass(frozen=True, slots=True)
class UnknownSetting:
    """A setting that the program refuses.

    Attributes:
        setting: As written in the file.
        program: The program that has no such setting, with its versions.
        resembles: The setting that was probably meant; empty where none resembles it.
    """

    setting: Setting
    program: str
    resembles: str


def unknown_settings(kind: ConfigKind, reading: ConfigReading) -> Iterator[UnknownSetting]:
    """Yield the settings of a file that its program does not have; none where not all its settings are known."""
    known = _KNOWN.get(kind)
    if known is None:
        return
    accepted = known.names | _accepted(reading)
    for setting in reading.settings:
        name = setting.name if known.has_case else setting.name.lower()
        # What a server pushes is no setting of this file: a client passes over what it does not know.
        if name in accepted or name.startswith("push.") or _is_optional(reading, setting):
            continue
        near = difflib.get_close_matches(name.lower().partition(" (")[0], known.names, n=1, cutoff=0.8)
        yield UnknownSetting(setting, known.program, known.spelling.get(near[0], near[0]) if near else "")


def _accepted(reading: ConfigReading) -> frozenset[str]:
    """Return the options that OpenVPN is to ignore. Source: openvpn(8), --ignore-unknown-option."""
    named = (one.value.split() for one in reading.settings if one.name == "ignore-unknown-option")
    return frozenset(name for names in named for name in names)


def _is_optional(reading: ConfigReading, setting: Setting) -> bool:
    """Whether OpenVPN passes over a setting that it does not know. Source: openvpn(8), --setenv opt."""
    return _OPTIONAL.match(reading.lines[setting.line - 1]) is not None
