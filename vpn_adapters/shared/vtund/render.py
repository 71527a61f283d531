"""vtund's configuration file, and OpenSSL's for ciphers that it has retired.

vtund knows no way to include a file: the password is put in on the host, when the daemon is started. Its grammar wants
one setting a line. Source: vtund.conf(5) of VTun 3.0.4.
"""

from __future__ import annotations

from app.domain.adapters import PlanRequest
from app.domain.commands import FileToWrite
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared.rendering import render_file, run_file, setting, suite_file
from vpn_adapters.shared.vtund.ciphers import CIPHERS, Cipher

config_path = run_file("vtund.conf")
"""Path of the configuration without the password on each host."""
live_config_path = run_file("vtund-live.conf")
"""Path of the configuration that vtund reads."""
openssl_path = run_file("vtund-openssl.cnf")
"""Path of OpenSSL's configuration for vtund."""


def session_name(link: Link) -> str:
    """Return the session's name, which is in its processes' titles."""
    return f"tunnelmark-{link.names.ethernet_interface}"


def cipher_of(request: PlanRequest) -> Cipher:
    """Return the suite's cipher."""
    return CIPHERS[setting(request, "encrypt")]


def files(
    request: PlanRequest, side: Side, carried: tuple[str, ...], *, options: tuple[str, ...] = ()
) -> tuple[FileToWrite, ...]:
    """Return the configuration of one side without the password, and what OpenSSL needs for the suite.

    Args:
        carried: Lines that say what the session carries.
        options: Further lines of its options.
    """
    link = request.link
    content = suite_file(request, _config(request, side, carried, options))
    own = FileToWrite(config_path(link), content, mode=0o600)
    if not needs_legacy(request):
        return (own,)
    return own, FileToWrite(openssl_path(link), _openssl_config(request), mode=0o600)


def needs_legacy(request: PlanRequest) -> bool:
    """Return whether vtund needs an OpenSSL configuration of ours."""
    return setting(request, "legacy") == "yes"


def _config(request: PlanRequest, side: Side, carried: tuple[str, ...], options: tuple[str, ...]) -> list[str]:
    link = request.link
    interval_s = request.keepalive.pick(wired=10, metered=60)
    # A listens, at its own address and at no other.
    bind = ["  bindaddr {", f"    addr {link.underlay(side)};", "  };"] if side is Side.A else []
    return [
        "options {",
        f"  port {link.names.tcp_port};",
        "  timeout 20;",
        *options,
        "  syslog daemon;",
        *bind,
        "}",
        f"{session_name(link)} {{",
        "  # password",  # the line behind which live-config.sh puts it
        f"  type {carried[0]};",
        "  proto udp;",
        "  compress no;",
        f"  encrypt {setting(request, 'encrypt')};",
        f"  keepalive {interval_s}:3;",
        "  persist yes;",
        *carried[1:],
        "  down {",
        "  };",
        "}",
    ]


def _openssl_config(request: PlanRequest) -> bytes:
    """Return OpenSSL's configuration with its legacy provider: without it vtund ends at its first Blowfish key.

    Source: config(5ssl), OSSL_PROVIDER-legacy(7ssl).
    """
    lines = [
        "openssl_conf = init",
        "[init]",
        "providers = both",
        "[both]",
        "default = on",
        "legacy = on",
        "[on]",
        "activate = 1",
    ]
    return render_file(request.header, lines)
