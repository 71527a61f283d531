# Makes the firewall table that clamps the MSS of TCP connections through the tunnel, in both directions.
# Arguments: FAMILY (bridge or inet) TABLE TUNNEL MSS_IPV4 MSS_IPV6 [-c: check only]. Expects is_clamped.

# Without the table the tunnel works as well, with fragments: whether a host can have it is asked before a deployment
# (clamp-check.sh), and a later start, with another kernel or without nft, only warns.

# Only what opens a connection is changed (SYN and SYN-ACK), and only downwards: frames of any size still cross.

set -e
family=$1 table=$2 tunnel=$3 mss4=$4 mss6=$5
shift 5
case $tunnel in
    *[!A-Za-z0-9_.@-]*)
        echo "the name of the interface $tunnel cannot be used in a firewall rule" >&2
        exit 1
        ;;
esac

# clamp CHAIN WAY PROTOCOL MSS
clamp() {
    echo "add rule $family $table $1 $2 \"$tunnel\" meta protocol $3 tcp flags & (syn|rst) == syn" \
        "tcp option maxseg size > $4 tcp option maxseg size set $4"
}

# One command a line: nft 0.9.8 crashes where a block follows a table.
rules() {
    # It may be there: the whole batch is one change, and so never a moment without the table.
    echo "add table $family $table"
    echo "delete table $family $table"
    echo "add table $family $table"
    echo "add chain $family $table arriving { type filter hook prerouting priority -200; policy accept; }"
    echo "add chain $family $table leaving { type filter hook postrouting priority -200; policy accept; }"
    clamp arriving iifname ip "$mss4"
    clamp arriving iifname ip6 "$mss6"
    clamp leaving oifname ip "$mss4"
    clamp leaving oifname ip6 "$mss6"
}

# note_unread NOTES: leaves a note where this nft does not list what it was given, for is_clamped.
note_unread() {
    rm -f "$1/clamp-unread"
    if ! is_clamped "" "$family" "$table" "$tunnel" "$mss4" "$mss6"; then true > "$1/clamp-unread"; fi
}

modprobe nf_tables 2> /dev/null || :
if [ "$#" -gt 0 ]; then
    rules | nft "$@" -f -
elif ! rules | nft -f -; then
    echo "tunnelmark: warning: TCP is not fitted to the path: nft does not make the firewall table $table" >&2
elif [ -n "$TUNNELMARK_NOTES" ]; then
    note_unread "$TUNNELMARK_NOTES" || :
fi
