# Interfaces that a tunnel may be joined with, and deployments on the host. Changes nothing; run as the user that
# logged in, whose environment names the connection. Arguments: MARK UNDERLAY

# @include process.sh
# @include roots-files.sh
# @include dhcp-clients.sh

mark=$1
underlay=$2
# @include lan/carries.sh
# SSH_CONNECTION: client's address and port, server's address and port. Source: ssh(1).
# shellcheck disable=SC2086 # four words
set -- $SSH_CONNECTION
echo "$mark ssh $(carries "$3")"
if [ -n "$1" ]; then
    echo "$mark ssh $(ip route get "${1#::ffff:}" 2> /dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)"
fi
echo "$mark underlay $(carries "$underlay")"
for folder in /sys/class/net/*; do
    name=${folder##*/}
    kind=port
    if [ -d "$folder/bridge" ]; then kind=bridge; fi
    if [ -d "$folder/wireless" ] || [ -d "$folder/phy80211" ]; then kind=wireless; fi
    type=
    read -r type 2> /dev/null < "$folder/type"
    master=
    if [ -e "$folder/master" ]; then
        master=$(readlink "$folder/master")
        master=${master##*/}
    fi
    echo "$mark port $name $kind ${type:-0} ${master:--}"
    for lower in "$folder"/lower_*; do
        if [ -e "$lower" ]; then echo "$mark lower $name ${lower##*/lower_}"; fi
    done
done
# An address with an end, and a client that would renew it or add it again. Some clients set addresses without an end.
ip -o -4 addr show 2> /dev/null | sed -n 's/^[0-9]*: *\([^ ]*\) .* dynamic .*/\1/p' |
    while read -r name; do echo "$mark leased ${name%%@*}"; done
# `print_client` PID PROGRAM
print_client() {
    read_words "$2"
    judge "$1" "$2"
    set -f
    for name in $served; do
        # Words of a process may be anything.
        case $name in */*) continue ;; esac
        if [ -e "/sys/class/net/$name" ]; then printf '%s client %s %s %s\n' "$mark" "$name" "${2%%[!a-z0-9-]*}" "${why:--}"; fi
    done
    set +f
}
each_client print_client
# With the mount option hidepid, a user sees no processes of root: an address may be one that a client keeps.
if ! read -r _ 2> /dev/null < /proc/1/comm; then
    ip -o -4 addr show 2> /dev/null | sed -n 's/^[0-9]*: *\([^ ]*\) .*/\1/p' |
        while read -r name; do echo "$mark hidden ${name%%@*}"; done
fi
# The client of a joined port may have died a moment ago, or have lost its lease.
for taken in /run/tunnelmark-*.dhcp; do
    name=${taken#/run/tunnelmark-}
    if [ -s "$taken" ]; then echo "$mark leased ${name%.dhcp}"; fi
done
if command -v nmcli > /dev/null; then
    nmcli -t -f DEVICE,STATE device 2> /dev/null | while IFS=: read -r name state; do
        case $state in connected*) echo "$mark owner $name NetworkManager" ;; esac
    done
fi
if command -v networkctl > /dev/null && [ -d /run/systemd/netif/links ]; then
    for folder in /sys/class/net/*; do
        number=
        read -r number 2> /dev/null < "$folder/ifindex"
        if grep -qs '^NETWORK_FILE=' "/run/systemd/netif/links/$number"; then
            echo "$mark owner ${folder##*/} systemd-networkd"
        fi
    done
fi
if [ -e /etc/config/network ] && command -v uci > /dev/null; then
    uci -q show network 2> /dev/null | sed -n "s/.*\.\(device\|ifname\)='\(.*\)'/\2/p" | tr ' ' '\n' |
        while read -r name; do echo "$mark owner $name netifd"; done
fi
echo "$mark finished"
