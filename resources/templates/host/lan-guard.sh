# Makes the firewall table that guards LANs which a tunnel joins: against a loop, too many broadcasts, what must not cross.
# Arguments: TABLE TUNNEL BRIDGE PORT (LAN port, or the bridge itself) SELF PEER (addresses of both hosts in the tunnel)
# `NOBODY` (the address that probes ask for) LIMIT (broadcast frames per second, 0: none) FILTERS (words) [-c: check only].

# Own frames that come back show a loop. While the set holds its element, nothing crosses but what keeps the loop noticed
# (few probes per second: they could circulate) and what shows that the tunnel works (the hosts' own addresses). The key
# of the element is the interface type, which every frame has: nothing else is known beforehand. The bridge does not see
# what is dropped on arrival, so it does not learn wrong places from a loop.

set -e
table=$1 tunnel=$2 bridge=$3 port=$4 self=$5 peer=$6 absent=$7 limit=$8 filters=$9
shift 9
for name in "$tunnel" "$bridge" "$port"; do
    case $name in
        *[!A-Za-z0-9_.@-]*)
            echo "the name of the interface $name cannot be used in a firewall rule" >&2
            exit 1
            ;;
    esac
done
# None of these addresses comes in from the tunnel but by a loop. The tunnel may not be there yet, and a bridge may take
# another address (the lowest of its ports, unless one was set): lan-probe.sh adds it then.
read -r own < "/sys/class/net/$port/address"
for device in "$bridge" "$tunnel"; do
    if [ -e "/sys/class/net/$device" ]; then
        read -r hardware < "/sys/class/net/$device/address"
        case " $own " in *" $hardware "*) ;; *) own="$own $hardware" ;; esac
    fi
done

# chain NAME HOOK: what the tunnel has nothing to do with is accepted by its first rule.
chain() {
    echo "add chain bridge $table $1 { type filter hook $2 priority -250; policy accept; }"
}

# rule CHAIN WORD...
rule() {
    echo "add rule bridge $table $*"
}

# filter CHAIN: what hides behind extension headers in a later fragment cannot be seen (RFC 7113), and no host needs it.
filter() {
    case " $filters " in *" dhcp "*) rule "$1" "udp dport { 67, 68, 546, 547 } counter drop" ;; esac
    case " $filters " in *" ra "*) rule "$1" "meta protocol ip6 icmpv6 type { 134, 137 } counter drop" ;; esac
    case " $filters " in
        *" dhcp "* | *" ra "*) rule "$1" "meta protocol ip6 frag nexthdr { 0, 43, 60 } counter drop" ;;
    esac
}

# limited_broadcast CHAIN WAY: a second's worth may come at once.
limited_broadcast() {
    if [ "$limit" -gt 0 ]; then
        over="limit rate over $limit/second burst $limit packets counter drop"
        rule "$1" "ether daddr ff:ff:ff:ff:ff:ff $over comment \"broadcast $2 the tunnel\""
    fi
}

# One command a line: nft 0.9.8 crashes where a block follows a table.
rules() {
    # It may be there: the whole batch is one change, and so never a moment without the table.
    echo "add table bridge $table"
    echo "delete table bridge $table"
    echo "add table bridge $table"
    echo "add set bridge $table looped { type iface_type; flags dynamic,timeout; timeout 30s; }"
    echo "add chain bridge $table own"
    for hardware in $own; do
        rule own "ether saddr $hardware update @looped { meta iiftype timeout 30s } counter drop"
    done
    chain arriving prerouting
    rule arriving "iifname != \"$tunnel\" accept"
    rule arriving "jump own"
    filter arriving
    rule arriving "ether type arp arp saddr ip $peer limit rate 50/second accept"
    rule arriving "meta iiftype @looped ip saddr $peer ip daddr $self accept"
    rule arriving "meta iiftype @looped counter drop"
    limited_broadcast arriving from
    # Routers of the other plant do not configure this host, whose bridge may be the user's and take advertisements.
    chain local input
    rule local "iifname != \"$tunnel\" accept"
    rule local "meta protocol ip6 icmpv6 type { 134, 137 } counter drop"
    rule local "meta protocol ip6 frag nexthdr { 0, 43, 60 } counter drop"
    chain passing forward
    rule passing "iifname != \"$tunnel\" oifname != \"$tunnel\" accept"
    rule passing "jump own"
    # Of a bridge with two ports, only from the LAN to the tunnel: the other way round, switches of the LAN behind the
    # sender would learn it at the wrong port.
    way=
    if [ "$bridge" != "$port" ]; then way="oifname \"$tunnel\" "; fi
    request="ether type arp arp operation request arp saddr ip $peer arp daddr ip $absent"
    rule passing "$way$request limit rate 10/second accept"
    rule passing "meta iiftype @looped counter drop"
    rule passing "oifname != \"$tunnel\" accept"
    limited_broadcast passing to
    chain sent output
    rule sent "oifname != \"$tunnel\" accept"
    rule sent "meta oiftype @looped ether type arp arp daddr ip $peer accept"
    rule sent "meta oiftype @looped ip daddr $peer accept"
    # Probes also show the other host where this one is once the loop has gone: it may search for it in its LAN.
    rule sent "meta oiftype @looped ether type arp arp daddr ip $absent accept"
    rule sent "meta oiftype @looped counter drop"
    chain leaving postrouting
    rule leaving "oifname != \"$tunnel\" accept"
    # A server of the other plant must not answer this host's own client, which runs on the bridge.
    case " $filters " in
        *" own "*) for hardware in $own; do rule leaving "ether saddr $hardware udp dport 67 counter drop"; done ;;
    esac
    filter leaving
}

modprobe nf_tables 2> /dev/null || :
rules | nft "$@" -f -
