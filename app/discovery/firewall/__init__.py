"""Firewalls of hosts: the rules, and the packets that they drop."""

from app.discovery.firewall.evaluate import fate
from app.discovery.firewall.read import Firewall, read_firewall, sections_of

__all__ = ["Firewall", "fate", "read_firewall", "sections_of"]
