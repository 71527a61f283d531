"""The systems that a virtual gateway can run, as a table."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.errors import InvalidOption
from app.lab.messages import LEGACY_PLATFORM, PLATFORM_UNKNOWN, PLATFORM_WITH_VPN

_STRONGSWAN_PACKAGES = (
    "strongswan-swanctl",
    "charon-systemd",
    "libcharon-extra-plugins",
    "libstrongswan-extra-plugins",
)
"""They conflict with libreswan, so that a system has one or the other."""
_COMMON_PACKAGES = (
    "systemd-sysv",
    "udev",
    "kmod",
    "dbus",
    "initramfs-tools",
    "openssh-server",
    "sudo",
    "iproute2",
    "iputils-ping",
    "iperf3",
    "tcpdump",
    "procps",
    "nftables",
    "ufw",
    "ethtool",
    "netbase",
    "openssl",
    "openvpn",
    "wireguard-tools",
    "xz-utils",
    *_STRONGSWAN_PACKAGES,
    "tinc",
    "wpasupplicant",
    "fastd",
)
_KERNEL_PACKAGE = "linux-image-cloud-amd64"
"""It has WireGuard, L2TPv3, MACsec, ESP and tun as modules, and boots faster than the general one."""
_GENERAL_KERNEL_PACKAGE = "linux-image-amd64"
"""It has PPP and MPPE as well."""

_KEYRINGS = ("debian-archive-keyring.gpg", "debian-archive-keyring.pgp")
_SSHD_9_8_LINES = ("PerSourcePenalties no",)
"""Without this a few wrong passwords lock every login out, because all connections to a guest seem to come from the
same address. Source: sshd_config(5) of OpenSSH 9.8.
"""
_LEGACY_PACKAGES = ("vtun", "ppp", "pptpd", "pptp-linux", "xl2tpd", "stunnel4", "netcat-openbsd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """Recipe for the image of one system.

    Attributes:
        name: The platform's name, for example `debian-13`.
        title: The same for people.
        suite: Debian's name of the release.
        components: Parts of the archive that packages come from.
        keyrings: Key files under /usr/share/keyrings of this computer that may sign the release; the first that
            exists is taken.
        packages: Packages beyond Debian's minimum.
        kernel_package: The kernel, with the modules that the VPNs need.
        sshd_lines: Lines that only this release's sshd understands.
        disk: Size of the file system, as mke2fs writes sizes.
        recipe: Raised when anything in the recipe changes, so that images made before are made anew.
    """

    name: str
    title: str
    suite: str
    components: tuple[str, ...] = ("main",)
    keyrings: tuple[str, ...] = _KEYRINGS
    packages: tuple[str, ...]
    kernel_package: str = _KERNEL_PACKAGE
    sshd_lines: tuple[str, ...] = ()
    disk: str = "2G"
    recipe: int = 1


PLATFORMS: dict[str, Platform] = {
    entry.name: entry
    for entry in (
        Platform(
            name="debian-13",
            title="Debian 13 (trixie)",
            suite="trixie",
            packages=(*_COMMON_PACKAGES, "opendoas"),
            sshd_lines=_SSHD_9_8_LINES,
            recipe=2,
        ),
        Platform(
            name="debian-11",
            title="Debian 11 (bullseye)",
            suite="bullseye",
            # Of this release, `main` alone: the files that its security archive lists are gone.
            # `doas` is the same program that later releases call opendoas. The last release with freelan is this one.
            packages=(*_COMMON_PACKAGES, "doas", "freelan"),
        ),
        # Made when it is asked for: no test of the ordinary suite needs it. The last release with vtun.
        Platform(
            name="debian-12-legacy",
            title=LEGACY_PLATFORM(release="Debian 12 (bookworm)"),
            suite="bookworm",
            packages=(*_COMMON_PACKAGES, "opendoas", *_LEGACY_PACKAGES),
            kernel_package=_GENERAL_KERNEL_PACKAGE,
        ),
        # Made when it is asked for, too.
        Platform(
            name="debian-13-libreswan",
            title=PLATFORM_WITH_VPN(release="Debian 13 (trixie)", vpn="Libreswan"),
            suite="trixie",
            packages=(
                *(name for name in _COMMON_PACKAGES if name not in _STRONGSWAN_PACKAGES),
                "opendoas",
                "libreswan",
            ),
            sshd_lines=_SSHD_9_8_LINES,
        ),
    )
}


def platform(name: str) -> Platform:
    """Return a platform by its name.

    Args:
        name: For example `debian-13`.

    Returns:
        Its row in the table.

    Raises:
        InvalidOption: There is no such platform.
    """
    try:
        return PLATFORMS[name]
    except KeyError:
        raise InvalidOption(PLATFORM_UNKNOWN(platform=name, known=sorted(PLATFORMS))) from None
