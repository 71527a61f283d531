"""Firewall table of our own that drops what would go out, or has come in, without protection.

L2TPv3 goes on in the clear when what protected it has gone: a stopped daemon, flushed policies, a removed interface,
another routing table. And the kernel takes a frame from any sender who knows the session's id, from any address, by any
interface, over IPv4 and IPv6. The table knows nothing of daemons and routes: it checks each packet of our own
session. It is there before the session, and goes after it.

Source: nft(8) of nftables 0.9.8 and 1.1.3 (raw payload `@nh`, `rt ipsec`, `meta ipsec`); RFC 3931 section 4.1.1 (the
session id comes first); l2tp_ip_recv() and l2tp_ip6_recv() in Linux 6.12 (they share one table of sessions).
"""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.adapters import PlanStep, shell_step_argv
from app.domain.commands import Command, CommandResult
from app.domain.hosts import MissingPart, Side
from app.domain.link import Link
from app.domain.messages import mark
from vpn_adapters.shared import discovering
from vpn_adapters.shared.commands import root_script
from vpn_adapters.shared.messages import BY_OWN_TABLE, ONLY_THROUGH

QUERIES: Mapping[str, Command] = {
    "nft": discovering.query("nft", "--version"),
    "sha256sum": discovering.query(*shell_step_argv("command -v sha256sum")),
}
"""Questions for the programs that guard a session: the table, and the cookies (l2tpv3.py)."""


def missing_parts(outputs: Mapping[str, CommandResult], needed_for: str) -> tuple[MissingPart, ...]:
    """Return what a host lacks for guarding a session, from the outputs of QUERIES."""
    marks = {"nftables": ("nft", "nftables v"), "sha256sum": ("sha256sum", "sha256sum")}
    has = {name: mark in discovering.text_of(outputs, question) for name, (question, mark) in marks.items()}
    return discovering.missing_programs(has, needed_for)


def ipsec_step(link: Link, side: Side) -> PlanStep:
    """Return the step that lets frames pass inside ESP only."""
    return _step(link, "guard-ipsec.sh", mark("Let frames pass inside IPsec only"), link.underlay(side.other))


def interface_step(link: Link, side: Side, name: str) -> PlanStep:
    """Return the step that lets frames pass through one interface only, from and to the peer's address behind it."""
    return _step(link, "guard-interface.sh", ONLY_THROUGH(interface=name), link.carrier(side.other), name)


def vxlan_step(link: Link, side: Side, name: str) -> PlanStep:
    """Return the step that lets VXLAN pass through one interface only, from and to the peer's address behind it."""
    words = (link.carrier(side.other), str(link.names.udp_port), name)
    return _table_step(link, "guard-vxlan.sh", ONLY_THROUGH(interface=name), words, _after_interface(link))


def gre_step(link: Link, side: Side) -> PlanStep:
    """Return the step that lets GRE with our key pass inside ESP only."""
    words = (link.underlay(side.other), str(link.names.l2tp_session_id))
    return _table_step(link, "guard-gre.sh", mark("Let frames pass inside IPsec only"), words, _after_interface(link))


def macsec_step(link: Link, side: Side) -> PlanStep:
    """Return the step that lets only MACsec's frames, and the key agreement's, pass. Source: IEEE 802.1AE, 802.1X."""
    return _step(link, "guard-macsec.sh", mark("Let only MACsec's frames pass"), link.underlay(side.other))


def _after_interface(link: Link) -> tuple[str, str]:
    return "remove-guard-interface.sh", link.names.ethernet_interface


def _step(link: Link, script: str, title: str, peer: str, *more: str) -> PlanStep:
    session_id = str(link.names.l2tp_session_id)
    return _table_step(link, script, title, (peer, session_id, *more), ("remove-guard.sh", session_id))


def _table_step(link: Link, script: str, title: str, words: tuple[str, ...], removal: tuple[str, str]) -> PlanStep:
    """Return the step for a script, its arguments from $2 on, and the script that removes the table with its $2."""
    table = link.names.guard_table
    remove, guarded = removal
    return PlanStep(
        title=BY_OWN_TABLE(title=title),
        command=root_script("shared", script, table, *words),
        undo=root_script("shared", remove, table, guarded),
        health_check=Command(("nft", "list", "table", "inet", table), timeout_s=5.0, is_root=True),
        is_repeatable=True,
    )
