"""Scripts that open a host's firewall for one kind of packets, close it again, and check the opening.

They need POSIX sh, or BusyBox, and awk. Source: nft(8) of nftables 0.9.8 and 1.0.6, iptables(8) 1.8.9,
firewalld.richlanguage(5), ufw(8).
"""

from __future__ import annotations

from app.domain.script_files import bare_script

TABLES_SCRIPT = bare_script("firewall/tables.sh")

FIREWALLD_SCRIPT = bare_script("firewall/firewalld.sh")

UFW_SCRIPT = bare_script("firewall/ufw.sh")
