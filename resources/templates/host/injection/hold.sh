# Holds back what the peer's tunnel sends, by a firewall table of its own.
# $1 limit, $2 folder, $3 peer's underlay address, $4 table, $5 seconds, $6 code point of what is let pass, $7 what is
# withheld: a protocol, a port of UDP, or a session of L2TPv3, $8 its number, $9 bytes of the session's cookie.
# In L2TPv3, EAPOL (EtherType 888e) passes, and with it MKA: MACsec gives up a peer that it has not heard for 6 s, and its
# keys, without which the copies are worth nothing.
# Before connection tracking joins fragments (priority -400). A set with a time limit: what is forgotten does no harm.

# @include ../probes/guard-head.sh
folder=$1 peer=$2 table=$3 seconds=$4 dscp=$5 kind=$6 number=$7 cookie=$8
trap 'nft delete table ip "$table" 2>/dev/null' EXIT
nft delete table ip "$table" 2>/dev/null
which="ip saddr @held ip dscp != $dscp"
case $kind in
    udp) held="$which udp sport $number counter drop; $which udp dport $number counter drop" ;;
    l2tp)
        # In front of the EtherType: IP, session id, cookie, sublayer, two hardware addresses.
        type="@nh,$(((20 + 4 + cookie + 4 + 12) * 8)),16"
        held="$which ip protocol 115 @nh,160,32 $number $type != 0x888e counter drop"
        ;;
    *) held="$which ip protocol $number counter drop" ;;
esac
: >"$folder/hold"
nft -f - <<END || leave 1
table ip $table {
    set held { type ipv4_addr; flags timeout; elements = { $peer timeout ${seconds}s } }
    chain arriving {
        type filter hook prerouting priority -450; policy accept;
        $held
    }
}
END
echo "#held"
passed=0
while [ -e "$folder/hold" ] && [ "$passed" -lt 1200 ]; do
    passed=$((passed + 1))
    sleep 0.05 2>/dev/null || sleep 1
done
# @include ../probes/guard-tail.sh
