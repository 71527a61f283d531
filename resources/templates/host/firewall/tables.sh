# Opens, closes or checks a firewall of nftables or iptables.
# Arguments: those of rule.sh; `places` are the base chains of nftables that dropped the packet when the firewall was read
# (`family table chain`, with commas between). No other chain is opened, also none that is made later. Tables that
# iptables made are left to it: it refuses to work with rules that only nft knows.

# @include tools.sh
# @include rule.sh
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
