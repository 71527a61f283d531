# Keeps the DHCP client of a LAN port where a server can hear it: on the bridge while the port is joined, else on the port.
# The bridge has the port's MAC address: the server sees the same client.
#
# Arguments: ACTION BRIDGE PORT INNER (the tunnel's own address)
#     take   before the port is joined: writes down how its client was started, refuses one that cannot be moved
#     sync   brings the client to where it can be heard
#     watch  the same, for the supervisor: every 10 s, and it never fails; where `status` asks, it changes nothing
#     give   sync, once the port is parted; then forgets the client. Where that cannot be started any more, the addresses
#            remain, which is reported: a rollback must come to an end
#
# sync is all there is: it finds where the port is, has a client run there, and ends what runs on the other interface only
# then. So it can be killed anywhere, and run again. Until the client has heard a server, its address has no end: starting a
# client must not cost the address. udhcpc begins with dropping all addresses: they are written down before.

# @include process.sh
# @include end-processes.sh
# @include uptime.sh
# @include roots-files.sh
# @include dhcp-clients.sh
# @include lan-addresses.sh

# shellcheck disable=SC2034 # lan-addresses.sh
action=$1 bridge=$2 port=$3 inner=$4 tunnel='' saved=/run/tunnelmark-$2.lan
taken=/run/tunnelmark-$bridge.dhcp

# @include lan-found.sh
# @include lan-kept.sh
# @include lan-leases.sh
# @include lan-launch.sh

# report MESSAGE: to what started this, or into the supervisor's log.
report() {
    echo "$1" >&2
    [ "$action" = watch ] || return 0
    log_on_host "$1"
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" 2> /dev/null >> "$TUNNELMARK_NOTES/log"
}

# warn MESSAGE: of what succeeds in spite of it; into the host's log, too, where it has one.
warn() {
    echo "tunnelmark: warning: $1" >&2
    log_on_host "$1"
}

# log_on_host MESSAGE: that must neither fail nor delay a rollback.
log_on_host() {
    limited 3 logger -t tunnelmark "$1" < /dev/null > /dev/null 2>&1 || :
}

# move_lines FROM TO: what a port was given after it had been joined, or what is on the bridge after it was parted by hand.
move_lines() {
    late=$(addresses_of "$1" && routes_of "$1")
    [ -n "$late" ] || return 0
    put_lines "$2" "$late"
    failures=0 moved_to=$2
    set -f
    for_each address take_lent "$1" << END
$late
END
    set +f
    if [ "$failures" -eq 0 ]; then return 0; fi
    report "addresses of $1 could not be moved to $2"
    return 1
}

# take_lent DEVICE WORD...: but for the tunnel's own address, and not before it is where it goes.
take_lent() {
    if [ "$2" = "$inner" ]; then return 0; fi
    has_address "$moved_to" "$2" && take_address "$@"
}

# wait_for_server: a deployment is kept only where a server is heard. The former client runs until then.
wait_for_server() {
    [ -z "$TUNNELMARK_NOTES" ] || return 0
    uptime_s
    until_s=$((uptime_now + 20))
    until has_lease "$bridge"; do
        uptime_s
        if [ "$uptime_now" -ge "$until_s" ]; then
            report "no DHCP server has answered on $bridge within 20 s"
            return 1
        fi
        nap
    done
    drop_others && has_same_lease
}

# drop_others: who reaches the host by the address that its port had must go on to do so. What was not lent was added by
# another program, and is kept.
drop_others() {
    other=
    for one in $(ip -o -4 addr show dev "$bridge" | sed -n 's/.* inet \([^ ]*\) .*/\1/p'); do
        if [ "$one" = "$inner" ] || grep -qF "address $one " "$saved"; then continue; fi
        has_lease_of "$one" || continue
        ip addr del "$one" dev "$bridge"
        other=$one
    done
    [ -n "$other" ] || return 0
    put_lines "$bridge" "$(cat "$saved")"
    report "the DHCP server lends $port another address on $bridge: $other"
    return 1
}

# has_lease_of ADDRESS: whether the client has one on the bridge.
has_lease_of() {
    case $kept_kind in
        udhcpc) leased_addresses=$(named_lease) ;;
        *) leased_addresses=$(fixed_addresses "$bridge" "$bridge_leases") ;;
    esac
    for leased in $leased_addresses; do
        if [ "$leased" = "${1%/*}" ]; then return 0; fi
    done
    return 1
}

# has_same_lease: whether what the server lends on the bridge is what it lent on the port, as far as that is known.
has_same_lease() {
    [ -n "$kept_lent" ] || return 0
    for one in $(lent_to "$bridge" "$kept_kind" "$bridge_leases"); do
        case $kept_lent in *" $one "*) continue ;; esac
        report "the DHCP server lends $port another address on $bridge: $one"
        return 1
    done
}

# sync_bridge: a client that is still waiting on the port may not be heard there: another one starts on the bridge. Where
# a program waits for the first one, as ifup does when the host starts, that is ended once it has settled.
sync_bridge() {
    stray='' is_alright=yes
    if find_client "$port"; then
        case $found_why$is_awaited in
            '' | waiting) write_down && stray=$found ;;
            parentyes | waitingyes) write_down ;;
            *) refuse ;;
        esac || is_alright=
    elif [ -n "$strange" ]; then
        refuse
        is_alright=
    fi
    if read_down; then
        run_on "$bridge" && wait_for_server || return 1
        # shellcheck disable=SC2086 # a process each
        if [ -n "$stray" ]; then end_clients $stray; fi
    fi
    keep_inner
    move_lines "$port" "$bridge" && [ -n "$is_alright" ]
}

# run_on INTERFACE: has the client that was written down run there.
run_on() {
    used=$1 is_launched='' launched='' kept_now=''
    if find_client "$1"; then
        if [ -e "$kept_lines" ]; then settle; fi
        return 0
    fi
    if start_client "$1"; then
        if [ "$action" != give ]; then report "the DHCP client of $port was started on $1"; fi
        return 0
    fi
    [ "$action" = give ] || report "the DHCP client of $port does not start on $1: $(why_not)"
    return 1
}

# why_not: prints why the client has not started.
why_not() {
    if [ -n "$is_startable" ]; then
        echo "$kept_program has ended"
    elif [ -e "$kept_program" ]; then
        echo "others than root can change $kept_program or its files"
    else
        echo "$kept_program is missing"
    fi
}

# sync_port: on the bridge, or where that was, nothing is heard any more.
sync_port() {
    status=0 deaf=
    if find_client "$bridge"; then deaf=$found; fi
    if [ -e "/sys/class/net/$port" ] && read_down; then
        if [ -e "/sys/class/net/$bridge" ]; then move_lines "$bridge" "$port" || status=1; fi
        run_on "$port" || run_again || status=1
    fi
    # shellcheck disable=SC2086 # a process each
    if [ -n "$deaf" ]; then end_clients $deaf; fi
    return "$status"
}

# run_again: what keeps a client from starting may be there for a moment only; but a rollback does not wait for what was
# removed.
run_again() {
    [ "$action" = give ] || return 1
    if [ -n "$is_startable" ]; then
        nap
        if run_on "$port"; then return 0; fi
    fi
    settle_without_client
    warn "$port has no DHCP client any more: $(why_not). Its addresses stay, and nothing renews the lease. Start a client \
for $port, or make its address static."
}

# settle_without_client: what a client has dropped before it ended comes back.
settle_without_client() {
    used=$port is_heard=
    if [ -z "$kept_now" ]; then kept_now=$(cat "$kept_lines" 2> /dev/null); fi
    if [ -n "$kept_now" ]; then restore; fi
}

sync() {
    if [ -e "/sys/class/net/$bridge/brif/$port" ]; then sync_bridge; else sync_port; fi
}

# take: the supervisor joins the port whatever is there: the tunnel must come up with its host. Else a strange process is a
# client that cannot be moved.
take() {
    true >> "$taken" || return 1
    sync || return 1
    is_alright=yes
    if ! find_client "$port" || [ -n "$found_why" ]; then is_alright=; fi
    if [ -n "$strange" ] && [ -z "$TUNNELMARK_NOTES" ]; then is_alright=; fi
    if [ -n "$is_alright" ]; then
        write_down && return 0
        report "the DHCP client of $port could not be written down"
        return 1
    fi
    [ -n "$TUNNELMARK_NOTES" ] || refuse
}

# refuse: reports why the client of the requested port is not moved.
refuse() {
    case ${found_why:-$strange} in
        '') report "$port has no DHCP client any more" ;;
        multiple) report "$port has more than one DHCP client" ;;
        waiting) report "no DHCP server has answered the client of $port yet" ;;
        *) report "the DHCP client of $port cannot be moved (${found_why:-$strange})" ;;
    esac
    return 1
}

give() {
    sync || return 1
    if [ -e "/sys/class/net/$bridge/brif/$port" ]; then
        report "$port is still joined: its DHCP client remains on $bridge"
        return 1
    fi
    rm -f "$bridge_leases" "$bridge_leases"~ "$bridge_leases.new" "/run/dhclient.$bridge.pid" "/run/udhcpc.$bridge.pid"
    rm -f "$taken" "$taken.new" "$kept_lines" "$kept_lines.new" "$client_output"
    forget_name_servers
}

# forget_name_servers: that must neither fail nor delay a rollback.
forget_name_servers() {
    command -v resolvconf > /dev/null || return 0
    for name in dhclient udhcpc; do limited 3 resolvconf -d "$bridge.$name" < /dev/null > /dev/null 2>&1; done
    return 0
}

# is_settled: for `status`.
is_settled() {
    if find_client "$port"; then
        case $found_why in parent | waiting) ;; *) return 1 ;; esac
    fi
    ! read_down || find_client "$bridge"
}

# watch: the supervisor asks every 2 s. What did not succeed is tried again after a minute, as is what hung.
watch() {
    [ -n "$TUNNELMARK_NOTES" ] || return 0
    if [ -n "$TUNNELMARK_ASKS" ]; then
        is_settled
        return
    fi
    uptime_s
    next=0
    read -r next 2> /dev/null < "$TUNNELMARK_NOTES/client"
    if [ "$uptime_now" -lt "$next" ]; then return 0; fi
    begun_s=$uptime_now
    echo "$((uptime_now + 60))" > "$TUNNELMARK_NOTES/client"
    if sync; then echo "$((uptime_now + 10))" > "$TUNNELMARK_NOTES/client"; fi
    return 0
}

main() {
    umask 077
    unset TUNNELMARK_TUNNEL
    case $action in
        take) take || [ -n "$TUNNELMARK_NOTES" ] ;;
        sync) sync || [ -n "$TUNNELMARK_NOTES" ] ;;
        watch) watch ;;
        give) give ;;
    esac
}

main
