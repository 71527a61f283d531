"""Scripts that open a host's firewall for one kind of packets, close it again, and check the opening.

They need POSIX sh, or BusyBox, and awk. Source: nft(8) of nftables 0.9.8 and 1.0.6, iptables(8) 1.8.9,
firewalld.richlanguage(5), ufw(8).
"""

from __future__ import annotations

from app.discovery.firewall.read import HAS_NF_TABLES

_HEAD = r"""
action=$1 comment=$2 protocol=$3 number=$4 port=$5 source=$6 interface=$7 places=$8
# Runs $program: $1 what is done with the rule, $2 the chain.
with_rule() {
    how=$1 chain=$2
    set -- -s "$source/32" -p "$number"
    [ -z "$interface" ] || set -- "$@" -i "$interface"
    [ "$port" = 0 ] || set -- "$@" -m "$protocol" --dport "$port"
    [ "$protocol" != icmp ] || set -- "$@" -m icmp --icmp-type 8
    "$program" -w 5 "$how" "$chain" "$@" -m comment --comment "$comment" -j ACCEPT
}
# Status 1 says that there is no such rule; others, that it is not known.
remove_from() {
    while :; do
        with_rule -C "$1" 2>/dev/null
        case $? in 0) with_rule -D "$1" || return 1 ;; 1) return 0 ;; *) return 1 ;; esac
    done
}
"""

# Arguments: those of _HEAD; `places` are the base chains of nftables that dropped the packet when the firewall was read
# (`family table chain`, with commas between). No other chain is opened, also none that is made later. Tables that
# iptables made are left to it: it refuses to work with rules that only nft knows.
TABLES_SCRIPT = (
    HAS_NF_TABLES
    + _HEAD
    + r"""
has_filter_of_new() {
    has_nf_tables && has "$new-save" || return 1
    if has nft; then nft list chain ip filter INPUT >/dev/null 2>&1 || return 1; fi
    "$new-save" 2>/dev/null | grep -qx '\*filter'
}
left_to_iptables=0
if has_filter_of_new; then left_to_iptables=1; fi
# $1 "closed": family, table and chain of each of the places that may drop and lacks the rule; "ours": the same of each
# chain that has it. Fails where the rules cannot be listed.
chains() {
    has_nf_tables && has nft || return 0
    listed=$(nft -a -t list ruleset 2>/dev/null) || return 1
    printf '%s\n' "$listed" |
        mark="comment \"$comment\" # handle " wanted=$1 left=$left_to_iptables places=",$places," awk '
        BEGIN {
            mark = ENVIRON["mark"]; wanted = ENVIRON["wanted"]; left = ENVIRON["left"] == 1; places = ENVIRON["places"]
        }
        # Tables of our own guard tunnels: they must not be opened.
        /^table / { family = $2; table = $3; chain = ""; is_guard = table ~ /^tunnelmark_/; next }
        /^\tchain / { chain = $2; is_base = can_drop = is_ours = 0; next }
        chain == "" { next }
        /^\t}/ {
            is_place = index(places, "," family " " table " " chain ",")
            if (wanted == "closed" && is_base && is_place && can_drop && !is_ours && !is_guard)
                print family, table, chain
            chain = ""
            next
        }
        /^\t\ttype filter hook (input|prerouting) / {
            can_drop = /policy drop/
            is_base = (family == "ip" || family == "inet") && (can_drop || / hook input /)
            if (left && family == "ip" && table ~ /^(filter|mangle|raw|security)$/ && chain ~ /^(INPUT|PREROUTING)$/)
                is_base = 0
            next
        }
        {
            if (place = index($0, mark)) {
                is_ours = 1
                if (wanted == "ours") print family, table, chain
            }
            if (/(drop|reject|queue|jump|goto)/) can_drop = 1
        }'
}
new_rules() {
    match="ip saddr $source"
    [ -z "$interface" ] || match="iifname \"$interface\" $match"
    if [ "$protocol" = icmp ]; then
        match="$match icmp type echo-request"
    elif [ "$port" = 0 ]; then
        match="$match ip protocol $number"
    else
        match="$match $protocol dport $port"
    fi
    closed=$(chains closed) || return 1
    [ -n "$closed" ] || return 0
    printf '%s\n' "$closed" | while read -r family table chain; do
        printf 'insert rule %s %s %s %s accept comment "%s"\n' "$family" "$table" "$chain" "$match" "$comment"
    done
}
# Runs $1 for each kind of iptables that has rules for input.
for_each_iptables() {
    if [ "$left_to_iptables" = 1 ] && has "$new"; then program=$new; "$1" || return 1; fi
    if { grep -qx filter /proc/net/ip_tables_names; } 2>/dev/null && has "$old"; then program=$old; "$1" || return 1; fi
}
is_open() {
    ! "$program" -w 5 -S INPUT 2>/dev/null | grep -qv -e '^-P INPUT ACCEPT$' -e ' -j ACCEPT$' ||
        with_rule -C INPUT 2>/dev/null
}
open_one() { is_open || with_rule -I INPUT; }
close_one() { remove_from INPUT; }
case $action in
    open)
        rules=$(new_rules) || exit 1
        if [ -n "$rules" ]; then printf '%s\n' "$rules" | nft -f - || exit 1; fi
        for_each_iptables open_one ;;
    close)
        found=$(chains ours) || exit 1
        printf '%s\n' "$found" | while read -r family table chain; do
            # Handles begin anew after a reload: asked for in the last moment.
            handle=$(nft -a list chain "$family" "$table" "$chain" | sed -n "s/.* comment \"$comment\" # handle //p")
            for one in $handle; do nft delete rule "$family" "$table" "$chain" handle "$one"; done
        done
        for_each_iptables close_one && found=$(chains ours) && [ -z "$found" ] ;;
    check)
        found=$(chains closed) && [ -z "$found" ] && for_each_iptables is_open ;;
esac
"""
)

# $1 what to do, $2 the rich rule, $3 the interface whose zone it is added to, $4 source. The zone may be another one
# when it is removed, so that all zones are searched for it.
FIREWALLD_SCRIPT = r"""
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C
export PATH LC_ALL
action=$1 rule=$2 interface=$3 source=$4
zones() {
    all=$(firewall-cmd --list-all-zones 2>/dev/null) || return 1
    printf '%s\n' "$all" | rule=$rule awk '
        BEGIN { rule = ENVIRON["rule"] }
        /^[^ \t]/ { zone = $1 }
        index($0, rule) { print zone }'
}
# Without firewalld its rules are gone, and nothing of it has to be opened.
if [ "$(firewall-cmd --state 2>&1)" != running ]; then exit 0; fi
case $action in
    open)
        found=$(zones) || exit 1
        [ -z "$found" ] || exit 0
        zone=$(firewall-cmd --get-zone-of-source="$source" 2>/dev/null) ||
            zone=$(firewall-cmd --get-zone-of-interface="$interface" 2>/dev/null) ||
            zone=$(firewall-cmd --get-default-zone) || exit 1
        firewall-cmd -q --zone="$zone" --add-rich-rule="$rule" ;;
    close)
        found=$(zones) || exit 1
        for zone in $found; do firewall-cmd -q --zone="$zone" --remove-rich-rule="$rule"; done
        found=$(zones) && [ -z "$found" ] ;;
esac
"""

# Arguments: those of _HEAD. iptables adds the rule to ufw's first chain: ufw itself takes seconds for each on a slow
# gateway, and does not know every protocol. It is gone after `ufw reload`, as `check` then reports.
UFW_SCRIPT = (
    r"""
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C
export PATH LC_ALL
"""
    + _HEAD
    + r"""
program=iptables first=ufw-before-input
# Without ufw's chain, after `ufw disable`, nothing of it has to be opened.
if [ "$action" != close ] && ! iptables -w 5 -S "$first" >/dev/null 2>&1; then exit 0; fi
case $action in
    open) with_rule -C "$first" 2>/dev/null || with_rule -I "$first" ;;
    close) ! command -v iptables >/dev/null 2>&1 || remove_from "$first" ;;
    check) with_rule -C "$first" 2>/dev/null ;;
esac
"""
)
