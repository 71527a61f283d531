# Prints the rules of a host's firewall that may name a LAN port. Arguments: MARK (first word of headings) PORT.
# Nothing is changed, and no kernel module is loaded.
# Source: nft(8) of nftables 0.9.8 and 1.0.6, iptables-restore(8) 1.8.9, firewall-cmd(1).

# @include ../firewall/tools.sh
# @include ../firewall/heading.sh
mark=$1 port=$2
if has firewall-cmd && [ "$(firewall-cmd --state 2>&1)" = running ]; then
    heading firewalld
    if zone=$(firewall-cmd --get-zone-of-interface="$port" 2>/dev/null); then
        printf '%s\n' "$zone"
        firewall-cmd --zone="$zone" --list-all 2>/dev/null
        firewall-cmd --list-all-policies 2>/dev/null
    fi
fi
for family in ip ip6; do
    number=
    read -r number 2>/dev/null </proc/sys/net/bridge/bridge-nf-call-${family}tables
    heading "calls $family ${number:-0}"
    program=$family${old#ip}
    if { read -r _ </proc/net/${family}_tables_names; } 2>/dev/null; then
        if has "$program-save"; then heading "save legacy $program"; "$program-save" 2>/dev/null || heading failed
        else heading failed; fi
    fi
done
if has_nf_tables; then
    if has nft; then
        tables=$(nft list tables 2>/dev/null)
        for family in ip ip6; do
            program=$family${new#ip}
            has "$program-save" || continue
            heading "save nft $program"
            for table in raw mangle nat filter security; do
                printf '%s\n' "$tables" | grep -qx "table $family $table" && "$program-save" -t "$table" 2>/dev/null
            done
        done
        heading nft
        nft -s list ruleset 2>/dev/null || heading failed
    elif has "$new-save"; then
        for family in ip ip6; do
            program=$family${new#ip}
            heading "save nft $program"
            "$program-save" 2>/dev/null || heading failed
        done
    elif [ -d /sys/module/nf_tables ]; then
        heading failed
    fi
fi
heading end
exit 0
