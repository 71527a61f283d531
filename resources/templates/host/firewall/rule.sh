# Rules for one kind of packets. Arguments: ACTION (open, close, check) COMMENT PROTOCOL NUMBER PORT SOURCE INTERFACE
# PLACES

# shellcheck disable=SC2034 # tables.sh uses places
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
