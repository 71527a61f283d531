#!/bin/sh
# Makes a virtual gateway of the practice lab as closed as one in a plant: packets are dropped unless a rule allows them.
# SSH, answers and echo requests are allowed. It is run once, on a gateway that is up, and lasts over restarts.
# Argument: nftables or ufw, which then owns the firewall.
set -eu

close_with_nftables() {
    cat > /etc/nftables.conf << 'END'
#!/usr/sbin/nft -f

flush ruleset

table inet filter {
	chain input {
		type filter hook input priority filter; policy drop;
		iif "lo" accept
		ct state established,related accept
		ct state invalid drop
		tcp dport 22 accept
		icmp type echo-request accept
		meta l4proto ipv6-icmp accept
	}

	chain forward {
		type filter hook forward priority filter; policy drop;
	}

	chain output {
		type filter hook output priority filter; policy accept;
	}
}
END
    systemctl enable --quiet nftables.service
    systemctl restart nftables.service
}

close_with_ufw() {
    # It allows echo requests and answers by itself.
    ufw default deny incoming
    ufw default allow outgoing
    ufw allow 22/tcp
    ufw logging off
    ufw --force enable
    systemctl enable --quiet ufw.service
}

case $1 in
    nftables) close_with_nftables ;;
    ufw) close_with_ufw ;;
    *)
        echo "usage: harden.sh nftables|ufw" >&2
        exit 2
        ;;
esac
