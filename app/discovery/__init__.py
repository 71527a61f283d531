"""Discovery of hosts: what they are and can do, what they lack, and the link that tunnels are built on.

Reads facts by one batch of commands per host, and lists what firewalls block. Changes a host only to install packages
that the user asked for. Must not build tunnels, decide what is measured, or store anything.
"""

from app.discovery.find_link import find_link
from app.discovery.host import discover_host, discover_pair
from app.discovery.install import install, plan_install

__all__ = [
    "discover_host",
    "discover_pair",
    "find_link",
    "install",
    "plan_install",
]
