"""What a host is and can do; installing what it lacks; what a tunnel between two hosts is built on."""

from app.discovery.find_link import find_link
from app.discovery.host import discover_host, discover_pair
from app.discovery.install import InstallOutcome, InstallPlan, install, plan_install

__all__ = [
    "InstallOutcome",
    "InstallPlan",
    "discover_host",
    "discover_pair",
    "find_link",
    "install",
    "plan_install",
]
