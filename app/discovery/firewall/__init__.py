"""Firewalls of hosts: the rules, and the packets that they drop.

Reads nftables, iptables and firewalld, and evaluates a packet against them; a rule that is not understood leaves a
doubt, never an approval. Read-only. Must not open anything: `app.tunnel.openings` does, with consent.
"""

from app.discovery.firewall.read import Firewall, read_firewall, sections_of

__all__ = ["Firewall", "read_firewall", "sections_of"]
