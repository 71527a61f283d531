"""Which package brings a program or kernel module, per package manager. Known once, for every part that names one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.domain.hosts import PackageManager

_APT, _DNF, _OPKG, _PACMAN = PackageManager.APT, PackageManager.DNF, PackageManager.OPKG, PackageManager.PACMAN


def _names(apt: str, dnf: str, opkg: str, pacman: str) -> Mapping[PackageManager, str]:
    return MappingProxyType({_APT: apt, _DNF: dnf, _OPKG: opkg, _PACMAN: pacman})


PACKAGE_NAMES: Mapping[str, Mapping[PackageManager, str]] = MappingProxyType(
    {
        "ping": _names("iputils-ping", "iputils", "iputils-ping", "iputils"),
        "iperf3": _names("iperf3", "iperf3", "iperf3", "iperf3"),
        "tcpdump": _names("tcpdump", "tcpdump", "tcpdump", "tcpdump"),
        "ethtool": _names("ethtool", "ethtool", "ethtool", "ethtool"),
        "iproute2": _names("iproute2", "iproute", "ip-full", "iproute2"),
        "openssl": _names("openssl", "openssl", "openssl-util", "openssl"),
        "openvpn": _names("openvpn", "openvpn", "openvpn-openssl", "openvpn"),
        "tinc": _names("tinc", "tinc", "tinc", "tinc"),
        "ssh": _names("openssh-client", "openssh-clients", "openssh-client", "openssh"),
        "sshd": _names("openssh-server", "openssh-server", "openssh-server", "openssh"),
        "wireguard-tools": _names("wireguard-tools", "wireguard-tools", "wireguard-tools", "wireguard-tools"),
        "swanctl": _names("strongswan-swanctl", "strongswan", "strongswan-swanctl", "strongswan"),
        "charon-systemd": _names("charon-systemd", "strongswan", "", "strongswan"),
        "strongswan plugins": _names("libstrongswan-extra-plugins", "strongswan", "strongswan-full", "strongswan"),
        "nftables": _names("nftables", "nftables", "nftables", "nftables"),
        # Debian's and Arch's kernels have these modules; where they lack them, no package of a fixed name helps.
        "kernel module tun": _names("", "kernel-modules-core", "kmod-tun", ""),
        "kernel module wireguard": _names("", "kernel-modules", "kmod-wireguard", ""),
        "kernel module macsec": _names("", "kernel-modules-core", "kmod-macsec", ""),
        "sha256sum": _names("coreutils", "coreutils", "coreutils-sha256sum", "coreutils"),
        "kernel module esp4": _names("", "kernel-modules-core", "kmod-ipsec4", ""),
        "kernel module xfrm_user": _names("", "kernel-modules-core", "kmod-ipsec", ""),
        "kernel module l2tp_ip": _names("", "kernel-modules-extra", "kmod-l2tp-ip", ""),
        "kernel module l2tp_eth": _names("", "kernel-modules-extra", "kmod-l2tp-eth", ""),
    }
)
"""What → manager → package; an empty name where none is known.

Source: Debian 13's package index; OpenWrt's package/kernel/linux/modules/netsupport.mk; Fedora's and Arch's package
search pages.
"""


def package_for(what: str, manager: PackageManager) -> str:
    """Return the package that brings something.

    Args:
        what: A key of PACKAGE_NAMES, for example `openvpn` or `kernel module l2tp_eth`.
        manager: The host's package manager.

    Returns:
        The package's name; empty if none is known.
    """
    return PACKAGE_NAMES.get(what, {}).get(manager, "")
