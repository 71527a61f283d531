# Tests for a loop as soon as the LANs are joined. Arguments: TABLE TUNNEL BRIDGE `NOBODY` (the address that probes ask for)
# SOURCE (this host's address in the tunnel where its network does not hold `NOBODY`: a route of its own leads there)

table=$1 tunnel=$2 bridge=$3 absent=$4 source=$5
# Where the table has gone meanwhile, the supervisor makes it again, with these addresses.
for device in "$bridge" "$tunnel"; do
    read -r own < "/sys/class/net/$device/address" || exit 1
    case $(nft list table bridge "$table" 2> /dev/null) in
        *"ether saddr $own "*) ;;
        *) nft add rule bridge "$table" own ether saddr "$own" update @looped '{ meta iiftype timeout 30s }' counter drop ;;
    esac
done
# Without it, a default route over the bridge would make a request for the router of every probe.
if [ -n "$source" ]; then
    ip -4 route replace "$absent/32" dev "$bridge" src "$source" scope link || exit 1
fi
ping -c 1 -W 1 -I "$bridge" "$absent" < /dev/null > /dev/null 2>&1
exit 0
