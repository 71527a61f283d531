"""The linter's corpora: configuration files as they should be, and as they should not."""

from __future__ import annotations

from pathlib import Path

from app.domain.linting import ConfigKind

FOLDER = Path(__file__).parents[1] / "unit" / "recorded" / "lint"

KIND_OF: dict[str, ConfigKind] = {
    "good/openvpn-client.ovpn": ConfigKind.OPENVPN,
    "good/openvpn-pinned.conf": ConfigKind.OPENVPN,
    "good/swanctl.conf": ConfigKind.SWANCTL,
    "good/ipsec.conf": ConfigKind.IPSEC_CONF,
    "good/ipsec.secrets": ConfigKind.IPSEC_SECRETS,
    "good/tinc.conf": ConfigKind.TINC,
    "good/hosts/gw2": ConfigKind.TINC_HOST,
    "good/freelan.cfg": ConfigKind.FREELAN,
    "good/fastd.conf": ConfigKind.FASTD,
    "good/sshd_config": ConfigKind.SSHD,
    "good/ssh_config": ConfigKind.SSH,
    "good/wireguard.conf": ConfigKind.WIREGUARD,
    "good/stunnel.conf": ConfigKind.STUNNEL,
    "good/ppp-options": ConfigKind.PPP,
    "bad/openvpn-old-client.ovpn": ConfigKind.OPENVPN,
    "bad/openvpn-static.conf": ConfigKind.OPENVPN,
    "bad/openvpn-unclosed.conf": ConfigKind.OPENVPN,
    "bad/swanctl.conf": ConfigKind.SWANCTL,
    "bad/ipsec.conf": ConfigKind.IPSEC_CONF,
    "bad/ipsec.secrets": ConfigKind.IPSEC_SECRETS,
    "bad/tinc.conf": ConfigKind.TINC,
    "bad/hosts/gw1": ConfigKind.TINC_HOST,
    "bad/hosts/gw2": ConfigKind.TINC_HOST,
    "bad/freelan.cfg": ConfigKind.FREELAN,
    "bad/fastd.conf": ConfigKind.FASTD,
    "bad/sshd_config": ConfigKind.SSHD,
    "bad/ssh_config": ConfigKind.SSH,
    "bad/wireguard.conf": ConfigKind.WIREGUARD,
    "bad/stunnel.conf": ConfigKind.STUNNEL,
    "bad/pptpd.conf": ConfigKind.PPTPD,
    "bad/ppp-options": ConfigKind.PPP,
    "bad/chap-secrets": ConfigKind.PPP,
    "bad/vtund.conf": ConfigKind.VTUND,
    "bad/xl2tpd.conf": ConfigKind.XL2TPD,
}
"""Kind of each file. There is no good file of PPTP, VTun and L2TPv2: they have no good setting."""

GOOD = tuple(name for name in KIND_OF if name.startswith("good/"))
BAD = tuple(name for name in KIND_OF if name.startswith("bad/"))


def text_of(name: str) -> str:
    """Return the content of a file of the corpora."""
    return (FOLDER / name).read_text(encoding="utf-8")
