"""Packages of programs and kernel modules, per package manager. Known once, for every part that names one.

What one VPN alone needs is declared in its folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.domain.declared import declared
from app.domain.hosts import PackageManager

_APT, _DNF, _OPKG, _PACMAN = PackageManager.APT, PackageManager.DNF, PackageManager.OPKG, PackageManager.PACMAN


def _names(apt: str, dnf: str, opkg: str, pacman: str) -> Mapping[PackageManager, str]:
    return MappingProxyType({_APT: apt, _DNF: dnf, _OPKG: opkg, _PACMAN: pacman})


def _declared() -> dict[str, Mapping[PackageManager, str]]:
    rows = ((what, row) for one in declared().values() for what, row in one.packages.items())
    return {what: MappingProxyType({PackageManager(name): text for name, text in row.items()}) for what, row in rows}


PACKAGE_NAMES: Mapping[str, Mapping[PackageManager, str]] = MappingProxyType(
    {
        "ping": _names("iputils-ping", "iputils", "iputils-ping", "iputils"),
        "iperf3": _names("iperf3", "iperf3", "iperf3", "iperf3"),
        "tcpdump": _names("tcpdump", "tcpdump", "tcpdump", "tcpdump"),
        "ethtool": _names("ethtool", "ethtool", "ethtool", "ethtool"),
        "iproute2": _names("iproute2", "iproute", "ip-full", "iproute2"),
        "openssl": _names("openssl", "openssl", "openssl-util", "openssl"),
        "nftables": _names("nftables", "nftables", "nftables", "nftables"),
        "python3": _names("python3", "python3", "python3", "python"),
        "perl": _names("perl", "perl", "perl", "perl"),
        "sysctl": _names("procps", "procps-ng", "procps-ng-sysctl", "procps-ng"),
        # Debian's and Arch's kernels have these modules; where they lack them, no package of a fixed name helps.
        "kernel module tun": _names("", "kernel-modules-core", "kmod-tun", ""),
        "sha256sum": _names("coreutils", "coreutils", "coreutils-sha256sum", "coreutils"),
        **_declared(),
    }
)
"""Need → manager → package; an empty name where none is known.

Source: Debian 13's package index; OpenWrt's feeds and its package/kernel/linux/modules/netsupport.mk; Fedora's and
Arch's package search pages.
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
