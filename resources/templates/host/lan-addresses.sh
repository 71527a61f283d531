# The IPv4 addresses and routes of a LAN port: saved before they move to a bridge, and restored as they were.
# Expects: bridge, tunnel, port, inner (the tunnel's own address, on the bridge), saved (the file). Works wherever it was
# broken off before: no address is taken away from one interface before it is on the other one.
#
# Where the port's DHCP client moves, too (see lan-client.sh), addresses have no end until it has renewed them, and what is
# not lent any more does not come back.

has_client() {
    [ -e "/run/tunnelmark-$bridge.dhcp" ]
}

# is_port_of INTERFACE: whether it is a port of the bridge.
is_port_of() {
    [ -e "/sys/class/net/$bridge/brif/$1" ]
}

has_address() {
    ip -o -4 addr show dev "$1" 2> /dev/null | grep -qF " inet $2 "
}

# add_address DEVICE WORD...: words as `ip -o addr show` tells them after `inet`. Not every ip knows all of them.
add_address() {
    device=$1
    shift
    if has_address "$device" "$1"; then return 0; fi
    plain=$1
    more=
    shift
    while [ $# -gt 0 ]; do
        case $1 in
            peer | brd | scope)
                plain="$plain $1 $2"
                shift
                ;;
            metric)
                more="$more $1 $2"
                shift
                ;;
            noprefixroute) more="$more $1" ;;
            valid_lft | preferred_lft)
                # On the bridge it is not renewed: there it is kept.
                if [ "$device" = "$port" ] && ! has_client && [ "$2" != forever ]; then more="$more $1 ${2%sec}"; fi
                shift
                ;;
            "$device":*) plain="$plain label $1" ;;
        esac
        shift
    done
    # shellcheck disable=SC2086 # words
    ip addr add $plain $more dev "$device" 2> /dev/null || ip addr add $plain dev "$device"
}

# take_address DEVICE WORD...: it may have gone with another one of its subnet.
take_address() {
    device=$1
    whole=$2
    if [ "$3" = peer ]; then whole="$2 peer $4"; fi
    # shellcheck disable=SC2086 # words
    ip addr del $whole dev "$device" 2> /dev/null || ! has_address "$device" "$2"
}

# put_route DEVICE WORD...: words as `ip route show` tells them.
put_route() {
    device=$1
    route=
    shift
    while [ $# -gt 0 ]; do
        case $1 in
            dev) shift ;;
            linkdown | dead) ;;
            *) route="$route $1" ;;
        esac
        shift
    done
    # shellcheck disable=SC2086 # words
    [ -z "$route" ] || ip -4 route replace $route dev "$device"
}

# addresses_of DEVICE, routes_of DEVICE: as lines of the file. Source: iproute2 6.1, `ADDRESS … LABEL\ valid_lft …`.
addresses_of() {
    ip_lines=$(ip -o -4 addr show dev "$1") || return 1
    while read -r _ _ _ line; do
        # With -o, a backslash stands for the end of a line.
        [ -z "$line" ] || printf 'address %s %s\n' "${line%%\\*}" "${line#*\\}"
    done << END
$ip_lines
END
}

# The kernel makes some with the addresses.
routes_of() {
    ip_lines=$(ip -4 route show dev "$1") || return 1
    while read -r line; do
        case " $line " in
            "  " | *" proto kernel "*) ;;
            *) printf 'route %s\n' "$line" ;;
        esac
    done << END
$ip_lines
END
}

# write_port_down: from one moment to the next, and before the first change.
write_port_down() {
    read -r flags < "/sys/class/net/$port/flags" || return 1
    {
        addresses_of "$port" && routes_of "$port" &&
            if [ "$((flags & 1))" -eq 1 ]; then echo "state up"; else echo "state down"; fi
    } > "$saved.new" && mv -f "$saved.new" "$saved"
}

# for_each KIND FUNCTION DEVICE < LINES: counts failures.
for_each() {
    while read -r line_kind line_words; do
        # shellcheck disable=SC2086 # words
        if [ "$line_kind" = "$1" ] && ! "$2" "$3" $line_words; then failures=$((failures + 1)); fi
    done
}

# put_address DEVICE WORD...: but for the tunnel's own address.
put_address() {
    [ "$2" = "$inner" ] || add_address "$@"
}

# put_lent DEVICE WORD...: where its client has moved, what was lent before comes back only if it is still on one of both. What
# a client was only seen to set later may have been static. A bridge that has gone took its addresses with it.
put_lent() {
    if has_client && [ -e "/sys/class/net/$bridge" ] && is_known_lent "$2" &&
        ! has_address "$port" "$2" && ! has_address "$bridge" "$2"; then return 0; fi
    put_address "$@"
}

is_known_lent() {
    grep -qsxF "lent $1" "/run/tunnelmark-$bridge.dhcp"
}

# put_lent_route DEVICE WORD...: there is no way to a router of a lease that has ended.
put_lent_route() {
    put_route "$@" || has_client
}

# put_state DEVICE up|down
put_state() {
    ip link set dev "$1" "$2"
}

# restore_port: what was written down, then what was added to the bridge meanwhile.
restore_port() {
    failures=0
    set -f
    # Not with `:`, at whose failed redirection a shell ends. Source: POSIX.1-2017, XCU 2.8.1.
    true >> "$saved" || return 1
    added=
    if [ -e "/sys/class/net/$bridge" ]; then added=$(addresses_of "$bridge" && routes_of "$bridge"); fi
    if is_port_of "$port"; then ip link set dev "$port" nomaster || failures=1; fi
    if is_port_of "$tunnel"; then ip link set dev "$tunnel" nomaster || failures=1; fi
    if [ -e "/sys/class/net/$port" ]; then
        for_each address put_lent "$port" < "$saved"
        for_each address put_address "$port" << END
$added
END
    fi
    if [ -e "/sys/class/net/$bridge" ]; then ip link del dev "$bridge" || failures=$((failures + 1)); fi
    if [ -e "/sys/class/net/$port" ]; then
        for_each state put_state "$port" < "$saved"
        if ! grep -q '^state down' "$saved"; then
            for_each route put_lent_route "$port" < "$saved"
            for_each route put_lent_route "$port" << END
$added
END
        fi
    fi
    if [ "$failures" -eq 0 ]; then rm -f "$saved"; fi
    [ "$failures" -eq 0 ]
}
