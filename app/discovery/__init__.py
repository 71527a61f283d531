"""What a host is and can do; installing what it lacks; which addresses join two hosts."""

from app.discovery.host import discover_host, discover_pair

__all__ = ["discover_host", "discover_pair"]
