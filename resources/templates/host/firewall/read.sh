# Prints the rules of a host's firewall.
# $1 first word of headings. nft and iptables of its kind would load nf_tables, so they run only where the kernel has
# it; tables of the older kind are saved only where /proc lists some. Rules to quote from come last: they may be cut.

# @include tools.sh
# @include heading.sh
mark=$1
heading owners
has firewall-cmd && [ "$(firewall-cmd --state 2>&1)" = running ] && echo firewalld
grep -qi '^ENABLED=yes' /etc/ufw/ufw.conf 2>/dev/null && echo ufw
[ -f /etc/config/firewall ] && has fw4 && echo fw4
heading addresses
ip -4 -o addr show 2>/dev/null
if { read -r _ </proc/net/ip_tables_names; } 2>/dev/null; then
    if has $old-save; then heading "legacy $old"; $old-save 2>/dev/null || heading failed; else heading missing; fi
fi
if has_nf_tables; then
    if has nft; then
        if has $new-save; then
            heading iptables
            for table in raw mangle nat filter security; do
                nft list tables 2>/dev/null | grep -qx "table ip $table" && $new-save -t "$table" 2>/dev/null
            done
        fi
        heading nft
        nft -j list ruleset 2>/dev/null
    elif has $new-save; then
        heading iptables
        $new-save 2>/dev/null
    elif [ -d /sys/module/nf_tables ]; then
        heading unlisted
    fi
fi
heading end
has_nf_tables && has nft && nft -a list ruleset 2>/dev/null
exit 0
