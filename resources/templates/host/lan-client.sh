# Keeps the DHCP client of a LAN port where a server can hear it: on the bridge while the port is joined, else on the port.
# The bridge has the port's MAC address: the server sees the same client.
#
# Arguments: ACTION BRIDGE PORT INNER (the tunnel's own address)
#     take   before the port is joined: writes down how its client was started, refuses one that cannot be moved
#     sync   brings the client to where it can be heard
#     watch  the same, for the supervisor: every 10 s, and it never fails; where `status` asks, it changes nothing
#     give   sync, once the port is parted; then forgets the client
#
# sync is all there is: it looks where the port is, has a client run there, and ends what runs on the other interface only
# then. So it can be killed anywhere, and run again. Until the client has heard a server, its address has no end: starting a
# client must not cost the address. udhcpc begins with dropping all addresses: they are written down before.

# @include process.sh
# @include uptime.sh
# @include dhcp-clients.sh
# @include lan-addresses.sh

# shellcheck disable=SC2034 # lan-addresses.sh
action=$1 bridge=$2 port=$3 inner=$4 tunnel='' saved=/run/tunnelmark-$2.lan
taken=/run/tunnelmark-$bridge.dhcp

# @include lan-kept.sh
# @include lan-leases.sh

# report MESSAGE: to who started this, or into the supervisor's log.
report() {
    echo "$1" >&2
    [ "$action" = watch ] || return 0
    logger -t tunnelmark "$1" 2> /dev/null
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" 2> /dev/null >> "$TUNNELMARK_NOTES/log"
}

# note_client PID PROGRAM: adds a client of $wanted to found, and sets found_kind, found_why, found_leases, found_goes_on
# and is_awaited (whether a program waits for it). A client for IPv6 is another thing, but cannot be moved.
note_client() {
    read_words "$2"
    case " $served " in *" $wanted "*) ;; *) return 0 ;; esac
    judge "$1" "$2"
    case $why in
        ipv6)
            found_ipv6=yes
            return 0
            ;;
        parent) is_awaited=yes ;;
        waiting)
            # The second process of one client.
            found="$found $1" is_waiting=yes
            return 0
            ;;
    esac
    if [ "$found_count" -eq 0 ]; then found_why=$why; else found_why=multiple; fi
    found_count=$((found_count + 1))
    found="$found $1" found_kind=$2 found_leases=$leases found_goes_on=$goes_on
}

# find_client INTERFACE: fails where it has none. What is there twice may be there for a moment only: a client that starts
# a program.
find_client() {
    for again in 1 2 3 4; do
        wanted=$1 found='' found_why='' found_count=0 found_ipv6='' is_awaited='' is_waiting=''
        each_client note_client
        if [ "$is_waiting" = yes ]; then
            case $found_why in '' | parent) found_why=waiting ;; esac
        fi
        case $found_why in multiple | waiting) [ "$again" -lt 4 ] || break ;; *) break ;; esac
        nap
    done
    [ -n "$found" ]
}

# has_lease INTERFACE: dhclient and udhcpc go into the background once a server has answered; what has a parent is waiting.
# udhcpc does so after 45 s, too.
has_lease() {
    find_client "$1" && case $found_why in waiting | parent) false ;; esac
}

# end_clients PID...: without a word to the server: a client must not release the address.
end_clients() {
    for one in "$@"; do kill -s KILL "$one" 2> /dev/null; done
    for one in "$@"; do
        rounds=0
        while start_of "$one" && [ "$rounds" -lt 20 ]; do
            rounds=$((rounds + 1))
            nap
        done
    done
}

# write_down: how the client that was found was started. Of its environment only what clients and their scripts use.
write_down() {
    first=${found# }
    first=${first%% *}
    {
        echo "kind $found_kind"
        echo "leases $found_leases"
        echo "goes_on $found_goes_on"
        sed -n 's/^Umask:[[:space:]]*/umask /p' "/proc/$first/status"
        tr '\0\n' '\n ' < "/proc/$first/environ" |
            sed -n '/^PATH=/s/^/set /p; /^IF_METRIC=/s/^/set /p; /^IFACE=/s/^/set /p; /^PATH_DHCLIENT_[A-Z]*=/s/^/set /p'
        tr '\0\n' '\n ' < "/proc/$first/cmdline" | sed 's/^/word /'
    } > "$taken.new" && grep -q '^word .' "$taken.new" && mv -f "$taken.new" "$taken"
}

# read_down: sets kind, kept_leases, kept_goes_on and mask as they were written down; fails where no client was.
read_down() {
    kind='' kept_leases='' kept_goes_on='' mask=022
    while read -r name value; do
        case $name in
            kind) kind=$value ;;
            leases) kept_leases=$value ;;
            goes_on) kept_goes_on=$value ;;
            umask) mask=$value ;;
        esac
    done 2> /dev/null < "$taken"
    [ -n "$kind" ]
}

# start_client INTERFACE: as it was started on the port, but for the interface and files of its own on the bridge. It goes on
# where no server answers. Needs 0.1 s to 5 s.
start_client() {
    used=$1 previous=''
    keep_lines || report "the addresses of $used could not be written down"
    ready_leases || return 1
    set --
    while IFS= read -r line; do
        case $line in "word "*) word=${line#word } ;; *) continue ;; esac
        if [ "$kind" = dhclient ]; then
            case $previous in
                -lf | -cf | -pf | -df | -sf | -e | -C | -H | -F | -V | -R | -timeout)
                    if [ "$previous$used" = "-pf$port" ]; then rm -f "$word"; fi
                    previous=
                    ;;
                *)
                    previous=$word
                    case $word in
                        -1 | -nw) continue ;;
                        "$port") word=$used ;;
                    esac
                    ;;
            esac
        fi
        set -- "$@" "$word"
    done < "$taken"
    if [ -n "$own_leases" ]; then set -- "$@" -lf "$own_leases"; fi
    if [ "$kind$used" = "dhclient$bridge" ]; then
        rm -f "/run/dhclient.$bridge.pid"
        set -- "$@" -pf "/run/dhclient.$bridge.pid"
    elif [ "$kind$used" = "udhcpc$bridge" ]; then
        # It gives up after more than the 5 s of settle and the 20 s of wait_for_server, into the background.
        set -- "$@" -i "$bridge" -p "/run/udhcpc.$bridge.pid" -b -t 15 -T 3
    elif [ "$kind$kept_goes_on" = udhcpc ]; then
        set -- "$@" -b
    fi 2> /dev/null
    is_launched=yes
    launch "$@"
    settle
    [ -n "$found" ]
}

# launch WORD...: in the background, outside of this session and of the supervisor's service, and with nothing of this
# script's environment: it is no daemon of the tunnel.
# shellcheck disable=SC2016 # a script
launch() {
    (
        trap '' HUP INT
        exec < /dev/null > /dev/null 2>&1
        for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
            if [ -w "$root/cgroup.procs" ]; then sh -c 'echo "$PPID" > "$1"' sh "$root/cgroup.procs"; fi
        done
        umask "$mask"
        cd / && exec env -i "PATH=$PATH" sh -c '
            while IFS= read -r line; do
                case $line in "set "*) export "${line#set }" ;; esac
            done < "$1"
            shift
            if command -v setsid > /dev/null; then exec setsid "$@"; fi
            exec "$@"
        ' launch "$taken" "$@"
    ) &
}

# move_lines FROM TO: what a port was given after it had been joined, or what is on the bridge after somebody has parted it.
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

# wait_for_server: what is rolled out only stays where a server is heard. The former client runs until then.
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
    drop_others
}

# drop_others: who reaches the host by the address that its port had must go on to do so.
drop_others() {
    other=
    for one in $(ip -o -4 addr show dev "$bridge" | sed -n 's/.* inet \([^ ]*\) .*/\1/p'); do
        if [ "$one" = "$inner" ] || grep -qF "address $one " "$saved"; then continue; fi
        ip addr del "$one" dev "$bridge"
        other=$one
    done
    [ -n "$other" ] || return 0
    put_lines "$bridge" "$(cat "$saved")"
    report "the DHCP server lends $port another address on $bridge: $other"
    return 1
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
    used=$1 is_launched=
    if find_client "$1"; then
        if [ -e "$kept_lines" ]; then settle; fi
        return 0
    fi
    if start_client "$1"; then
        if [ "$action" != give ]; then report "the DHCP client of $port was started on $1"; fi
        return 0
    fi
    report "the DHCP client of $port does not start on $1"
    return 1
}

# sync_port: on the bridge, or where that was, nothing is heard any more.
sync_port() {
    status=0 deaf=
    if find_client "$bridge"; then deaf=$found; fi
    if [ -e "/sys/class/net/$bridge" ] && [ -e "/sys/class/net/$port" ] && read_down; then
        move_lines "$bridge" "$port" || status=1
    fi
    if read_down && [ -e "/sys/class/net/$port" ]; then run_on "$port" || status=1; fi
    # shellcheck disable=SC2086 # a process each
    if [ -n "$deaf" ]; then end_clients $deaf; fi
    return "$status"
}

sync() {
    if [ -e "/sys/class/net/$bridge/brif/$port" ]; then sync_bridge; else sync_port; fi
}

# take: the supervisor joins the port whatever is there: the tunnel must come up with its host.
take() {
    : >> "$taken" || return 1
    sync || return 1
    if find_client "$port" && [ -z "$found_why$found_ipv6" ]; then
        write_down && return 0
        report "the DHCP client of $port could not be written down"
        return 1
    fi
    [ -n "$TUNNELMARK_NOTES" ] || refuse
}

# refuse: reports why the client of the port that was looked for is not moved.
refuse() {
    case ${found_why:-${found_ipv6:+ipv6}} in
        '') report "$port has no DHCP client any more" ;;
        multiple) report "$port has more than one DHCP client" ;;
        waiting) report "no DHCP server has answered the client of $port yet" ;;
        *) report "the DHCP client of $port cannot be moved (${found_why:-ipv6})" ;;
    esac
    return 1
}

give() {
    sync || return 1
    if [ -e "/sys/class/net/$bridge/brif/$port" ]; then
        report "$port is still joined: its DHCP client stays on $bridge"
        return 1
    fi
    if command -v resolvconf > /dev/null; then
        for name in dhclient udhcpc; do resolvconf -d "$bridge.$name" 2> /dev/null; done
    fi
    rm -f "$bridge_leases" "$bridge_leases"~ "$bridge_leases.new" "/run/dhclient.$bridge.pid" "/run/udhcpc.$bridge.pid"
    rm -f "$taken" "$taken.new" "$kept_lines" "$kept_lines.new"
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
