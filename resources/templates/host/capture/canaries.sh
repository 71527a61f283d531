# Sends canary frames of every kind through the tunnel, with separators between them.
# Some of the frames are not answered: not every ping then waits for less than a second (-W, iputils 20190515).

# @include ../probes/guard-head.sh
underlay=$1 destination=$2 source=$3 tunnel=$4 vlan=$5
control=$6 inside=$7 separators=$8 pause=$9
shift 9
controls=$1 echoes=$2 size_echoes=$3 payload=$4 vlan_id=$5 vlan_address=$6 vlan_peer=$7 group=$8
shift 8
echo_() { label=$1 answer_s=$2; shift 2; run "$label" ping -n -q -A -w "$answer_s" "$@"; }
part() {
    [ "$pause" = 0 ] || sleep "$pause" 2>/dev/null || sleep 1
    digits=3$(($1 / 100))3$(($1 / 10 % 10))3$(($1 % 10))
    ping -n -q -c 1 -w 1 -s "$payload" -p "$separators${digits}73" "$underlay" >/dev/null 2>&1
}
briefly() { "$@" >/dev/null 2>&1 & brief="$brief $!"; child="$brief"; }
brief=
linger=1
ping -n -q -c 1 -W 0.3 127.0.0.1 >/dev/null 2>&1 && linger=0.3
echo "#linger $linger"
# Over a satellite an answer takes half a second to one, and these requests wait for each other's. Ping ends as soon as all are
# answered, so that long times cost nothing where the tunnel carries frames.
reaches() { ping -n -q -A "$@" -s "$payload" -p "$control" "$underlay" >/dev/null 2>&1; }
# A slow tunnel still has to carry what a measurement has left in its queues.
tries=0
until [ "$tries" -ge 8 ] || ping -n -q -c 1 -w 1 -I "$source" -s "$payload" "$destination" >/dev/null 2>&1; do
    tries=$((tries + 1))
done
few_s=2 many_s=2
if ! reaches -c 10 -w 1 && reaches -c 1 -w 3; then few_s=5 many_s=14; fi
echo_ control "$many_s" -c "$controls" -s "$payload" -p "$control" "$underlay"
part 0
echo_ leak "$many_s" -c "$echoes" -I "$source" -s "$payload" -p "$inside" "$destination"
part 1
number=1
for size in "$@"; do
    echo_ "size-$size" "$few_s" -c "$size_echoes" -M 'do' -I "$source" -s "$size" -p "$inside" "$destination"
    number=$((number + 1))
    part "$number"
done
if [ -n "$tunnel" ]; then
    ip neigh del "$destination" dev "$tunnel" 2>/dev/null
    echo_ non-ip "$few_s" -c 1 -I "$source" -s "$payload" -p "$inside" "$destination"
    neighbour=$(ip neigh show "$destination" dev "$tunnel" 2>/dev/null)
    echo "#neighbour $neighbour"
    vlan_mac=${neighbour##*lladdr }
    vlan_mac=${vlan_mac%% *}
    modprobe 8021q 2>/dev/null
    if [ -e "/sys/class/net/$vlan" ]; then
        echo "#vlan there is an interface $vlan already"
    elif output=$(ip link add link "$tunnel" name "$vlan" type vlan id "$vlan_id" 2>&1); then
        trap 'ip link del dev "$vlan" 2>/dev/null' EXIT
        off=/proc/sys/net/ipv6/conf/$vlan/disable_ipv6
        [ ! -e "$off" ] || echo 1 >"$off"
        ip addr add "$vlan_address" dev "$vlan"
        ip link set dev "$vlan" mtu 1500 2>/dev/null # Linux does not allow it on every device
        ip link set dev "$vlan" up
        ip neigh replace "$vlan_peer" lladdr "${vlan_mac:-02:00:00:00:00:01}" dev "$vlan"
        briefly ping -n -q -c 1 -W "$linger" -s "$payload" -p "$inside" "$vlan_peer"
        briefly ping -n -q -c 1 -W "$linger" -M 'do' -s 1472 -p "$inside" "$vlan_peer"
        echo "#vlan sent"
    else
        echo "#vlan $output"
    fi
    briefly ping -n -q -c 2 -i 0.05 -W "$linger" -I "$tunnel" -s "$payload" -p "$inside" "$group"
    wait $brief
    child=
    ip link del dev "$vlan" 2>/dev/null
fi
# @include ../probes/guard-tail.sh
