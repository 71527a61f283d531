"""Kinds of configuration files: their readers, how each is recognised, and where it lies on a host."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.domain.adapters import Setting
from app.domain.linting import ConfigKind
from app.domain.messages import mark
from vpn_adapters.config_detection import Sniffer
from vpn_adapters.fastd import config_reader as fastd
from vpn_adapters.foreign import ppp
from vpn_adapters.freelan import config_reader as freelan
from vpn_adapters.ipsec import ipsec_conf_reader, swanctl_reader
from vpn_adapters.openvpn import config_reader as openvpn
from vpn_adapters.shared.config_parsing import more_words
from vpn_adapters.shared.config_parsing.page import ConfigReading
from vpn_adapters.ssh import config_reader as ssh
from vpn_adapters.stunnel import config_reader as stunnel
from vpn_adapters.tinc import config_reader as tinc
from vpn_adapters.vtun import config_reader as vtund
from vpn_adapters.wireguard import config_reader as wireguard
from vpn_adapters.xl2tpd import config_reader as xl2tpd


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of configuration file.

    Attributes:
        title: For people.
        read: Reads it: settings, lines for showing, notes.
        globs: Where such files lie on a host, as patterns of a POSIX shell.
        sniffer: Returns how much a text resembles it.
    """

    title: str
    read: Callable[[str], ConfigReading]
    globs: tuple[str, ...]
    sniffer: Sniffer

    def parse(self, text: str) -> tuple[Setting, ...]:
        """Return the settings of a file, secrets masked."""
        return self.read(text).settings


def _format(
    title: str,
    read: Callable[[str], ConfigReading],
    globs: tuple[str, ...],
    words: frozenset[str],
    path: str,
    strong: str,
    *,
    is_strong_needed: bool = False,
    more: frozenset[str] = frozenset(),
    shape: str = "",
) -> Format:
    names = frozenset(name for name in (glob.rpartition("/")[2] for glob in globs) if "*" not in name)
    sniffer = Sniffer(
        words,
        names,
        re.compile(path),
        re.compile(strong, re.MULTILINE),
        is_strong_needed=is_strong_needed,
        more=more,
        shape=re.compile(shape) if shape else None,
    )
    return Format(title, read, globs, sniffer)


_OPENVPN_STRONG = (
    r"^[ \t]*(?:<(?:ca|cert|key|tls-auth|tls-crypt|tls-crypt-v2|secret|dh|connection)>"
    r"|(?:--)?(?:tls-(?:auth|crypt|client|server|version-min|cipher)|dev[ \t]+(?:tun|tap)\d*|remote-cert-tls"
    r"|data-ciphers|persist-tun|resolv-retry|comp-lzo|auth-user-pass|ncp-ciphers)\b)"
)

_PPP_LOGIN = r"(?:[^\s\"]+|\"[^\"]*\")(?:[ \t]+(?:[^\s\"]+|\"[^\"]*\")){2,3}"
"""Client, server, secret and, often, an address. Source: pppd(8), "AUTHENTICATION"."""

KINDS: Mapping[ConfigKind, Format] = {
    ConfigKind.OPENVPN: _format(
        "OpenVPN",
        openvpn.read,
        openvpn.GLOBS,
        openvpn.WORDS,
        r"\.ovpn$|/openvpn/",
        _OPENVPN_STRONG,
        more=more_words.OPENVPN,
    ),
    ConfigKind.SWANCTL: _format(
        mark("swanctl.conf of strongSwan"),
        swanctl_reader.read,
        swanctl_reader.GLOBS,
        swanctl_reader.WORDS,
        r"swanctl",
        r"^[ \t]*(?:connections|secrets|pools|authorities)\s*\{",
        more=more_words.SWANCTL,
    ),
    ConfigKind.IPSEC_CONF: _format(
        "ipsec.conf",
        ipsec_conf_reader.read,
        ipsec_conf_reader.GLOBS,
        ipsec_conf_reader.WORDS,
        r"(?:^|/)ipsec[^/]*\.conf$|/ipsec\.d/",
        r"^(?:conn|config|ca)[ \t]+[^\s=]+[ \t]*(?:#.*)?$",
        more=more_words.IPSEC_CONF,
    ),
    ConfigKind.IPSEC_SECRETS: _format(
        "ipsec.secrets",
        ipsec_conf_reader.read_secrets,
        ipsec_conf_reader.SECRETS_GLOBS,
        frozenset(),
        r"\.secrets$",
        r"^[^#\n]{0,400}(?:^|[ \t])?:[ \t]*(?:PSK|RSA|ECDSA|EAP|XAUTH|P12|NTLM|PKCS8|PIN)\b",
    ),
    ConfigKind.TINC: _format(
        "tinc.conf",
        tinc.read,
        tinc.GLOBS,
        tinc.WORDS | tinc.HOST_WORDS,
        r"tinc\.conf$",
        r"(?i)^[ \t]*(?:connectto|mode|devicetype|autoconnect)[ \t]*[= \t]|^[ \t]*name[ \t]*=",
    ),
    ConfigKind.TINC_HOST: _format(
        mark("tinc host file"),
        tinc.read,
        tinc.HOST_GLOBS,
        tinc.HOST_WORDS,
        r"/tinc/[^/]+/hosts/|(?:^|/)hosts/[^/]+$",
        r"(?i)^-----BEGIN RSA PUBLIC KEY-----|^[ \t]*(?:subnet|ed25519publickey|maclength)[ \t]*=",
        is_strong_needed=True,
    ),
    ConfigKind.FREELAN: _format(
        "freelan.cfg",
        freelan.read,
        freelan.GLOBS,
        freelan.WORDS,
        r"freelan",
        r"^[ \t]*\[(?:fscp|tap_adapter|switch|router|security)\]",
        more=more_words.FREELAN,
    ),
    ConfigKind.FASTD: _format(
        "fastd.conf",
        fastd.read,
        fastd.GLOBS,
        fastd.WORDS,
        r"fastd",
        r"^[ \t]*(?:(?:method|secret)[ \t]+\"[^\"\n]{0,80}\"[ \t]*;|include[ \t]+peers[ \t]+from\b"
        r"|peer[ \t]+(?:group[ \t]+)?\"[^\"\n]{0,80}\"[ \t]*\{)",
    ),
    ConfigKind.SSHD: _format(
        "sshd_config",
        ssh.read,
        ssh.SSHD_GLOBS,
        ssh.SSHD_WORDS,
        r"sshd_config",
        r"(?i)^[ \t]*(?:permitrootlogin|authorizedkeysfile|subsystem|permittunnel|hostkey|listenaddress|usepam"
        r"|kbdinteractiveauthentication|permitemptypasswords)[ \t=]",
        more=more_words.SSH,
    ),
    ConfigKind.SSH: _format(
        "ssh_config",
        ssh.read,
        ssh.SSH_GLOBS,
        ssh.SSH_WORDS,
        r"(?:^|/)ssh_config|/\.ssh/config$",
        r"(?i)^[ \t]*(?:host|hostname|identityfile|stricthostkeychecking|proxyjump|userknownhostsfile)[ \t=]",
        more=more_words.SSH,
    ),
    ConfigKind.WIREGUARD: _format(
        "WireGuard",
        wireguard.read,
        wireguard.GLOBS,
        wireguard.WORDS,
        r"/wireguard/|(?:^|/)wg[^/]*\.conf$",
        r"(?i)^[ \t]*\[(?:interface|peer)\]",
        more=more_words.WIREGUARD,
    ),
    ConfigKind.STUNNEL: _format(
        "stunnel.conf",
        stunnel.read,
        stunnel.GLOBS,
        stunnel.WORDS,
        r"stunnel",
        r"(?i)^[ \t]*(?:accept|connect|sslversion|verifychain|verifypeer|cafile|sslversionmin)[ \t]*=",
        more=more_words.STUNNEL,
    ),
    ConfigKind.PPTPD: _format(
        "pptpd.conf",
        ppp.read_pptpd,
        ppp.PPTPD_GLOBS,
        ppp.PPTPD_WORDS,
        r"pptpd\.conf$",
        r"^[ \t]*(?:localip|remoteip)[ \t]",
    ),
    ConfigKind.PPP: _format(
        mark("options of pppd"),
        ppp.read_ppp,
        ppp.PPP_GLOBS,
        ppp.PPP_WORDS,
        r"/ppp/|pptpd-options|options\.pptp|(?:chap|pap)-secrets",
        r"^[ \t]*(?:(?:require|refuse)-(?:pap|chap|mschap|mschap-v2|eap|mppe|mppe-128|mppe-40)|noauth|ms-dns"
        r"|mppe|lcp-echo-failure|nobsdcomp)\b|^#[ \t]*client[ \t]+server[ \t]+secret",
        shape=_PPP_LOGIN,
    ),
    ConfigKind.VTUND: _format(
        "vtund.conf",
        vtund.read,
        vtund.GLOBS,
        vtund.WORDS,
        r"vtund",
        r"(?i)(?:^|[{;])[ \t]*(?:pass(?:w|wd|word)?[ \t]+[^;\n]{1,200};"
        r"|(?:encr\w{0,3}|persist|proto[ \t]+(?:tcp|udp)|type[ \t]+(?:tun|ether|pipe|tty|tap))\b[^;{}\n]{0,80};)",
    ),
    ConfigKind.XL2TPD: _format(
        "xl2tpd.conf",
        xl2tpd.read,
        xl2tpd.GLOBS,
        xl2tpd.WORDS,
        r"xl2tpd",
        r"(?i)^[ \t]*(?:\[(?:lns|lac)[ \t]+[^\]\n]{1,80}\]|pppoptfile[ \t]*=)",
    ),
}
"""Every kind, in the order in which a tie is decided."""

MIN_SCORE = 1.0
"""A text with less resembles no known kind."""


def sniff_kind(text: str, path: str = "") -> ConfigKind | None:
    """Return what kind of configuration file a text is, from its content, helped by its path; None if it is none."""
    scores = {kind: form.sniffer.score(text, path) for kind, form in KINDS.items()}
    best = max(scores, key=lambda kind: scores[kind])
    return best if scores[best] >= MIN_SCORE else None
