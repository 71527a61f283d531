# Moves the DHCP client of a LAN port to the bridge that the port is joined with, and back. The bridge has the port's MAC
# address: the server sees the same client.
#
# Arguments: ACTION BRIDGE PORT INNER (the tunnel's own address)
#     take   stops the port's client, before the port is joined
#     run    runs that client on the bridge
#     check  succeeds while it runs there, and none on the port
#     end    stops it there
#     give   has it run on the port again
#
# udhcpc is suspended on the port, and goes on there afterwards: started anew it would drop its address first. dhclient is
# ended, and started with the newest lease: it would drop its address once the lease that it knows of has ended.

# @include process.sh
# @include uptime.sh
# @include trees.sh
# @include dhcp-clients.sh
# @include lan-addresses.sh

# shellcheck disable=SC2034 # lan-addresses.sh
action=$1 bridge=$2 port=$3 inner=$4 tunnel='' saved=/run/tunnelmark-$2.lan
own=/run/tunnelmark-$bridge.dhcp
bridge_leases=/run/dhclient.$bridge.leases

# note_client PID KIND: sets found (PID:START KIND) to the client of $wanted that is not suspended; counts them.
note_client() {
    start_of "$1" || return 0
    case ${stat_line##*") "} in T*) return 0 ;; esac
    [ "$(readlink "/proc/$1/ns/net")" = "$here" ] || return 0
    client=$1:$start_time
    read_words "$2"
    case " $served " in *" $wanted "*) ;; *) return 0 ;; esac
    judge "$1" "$2"
    if [ "$why" = waiting ] || [ "$found_why" = waiting ]; then
        found_why=waiting
        if [ -z "$found" ]; then found="$client $2" found_leases=$leases; fi
    elif [ -n "$found" ]; then
        found_why=multiple
    else
        found="$client $2" found_why=$why found_leases=$leases
    fi
}

# find_client INTERFACE: fails where it has none. What is there twice may be there for a moment only: a client that starts
# a program.
find_client() {
    here=$(readlink /proc/self/ns/net)
    for again in yes no; do
        wanted=$1 found='' found_why='' found_leases=
        each_client note_client
        case $found_why in waiting | multiple) ;; *) break ;; esac
        if [ "$again" = yes ]; then nap; fi
    done
    [ -n "$found" ]
}

# has_to_wait: whether the client that was found still waits for a server, or somebody for it.
has_to_wait() {
    case $found_why in waiting | parent) ;; *) return 1 ;; esac
}

# halt PID KIND: suspends a client once what it has started is done; dhclient is ended.
halt() {
    kill -s STOP "$1" 2> /dev/null || return 0
    rounds=0
    while [ -n "$(children_of "$1" | busy)" ] && [ "$rounds" -lt 100 ]; do
        rounds=$((rounds + 1))
        nap
    done
    if [ "$2" = dhclient ]; then finish "$1"; fi
}

# busy: prints those of the processes that have not ended.
busy() {
    while read -r child; do
        if start_of "$child"; then echo "$child"; fi
    done
}

# finish PID: without a word to the server: it must not release the address.
finish() {
    kill -s KILL "$1" 2> /dev/null || return 0
    rounds=0
    while start_of "$1" && [ "$rounds" -lt 50 ]; do
        rounds=$((rounds + 1))
        nap
    done
}

# keep_words PID KIND PROCESS: writes down how the client was started, before it is stopped. A variable of more than one
# line is left out.
keep_words() {
    {
        echo "kind $2"
        echo "process $3"
        echo "leases $found_leases"
        sed -n 's/^Umask:[[:space:]]*/umask /p' "/proc/$1/status"
        tr '\0\n' '\n\001' < "/proc/$1/environ" | grep -v "$(printf '\001')" |
            sed -n '/^TUNNELMARK_/d; s/^[A-Za-z_][A-Za-z0-9_]*=/set &/p'
        tr '\0' '\n' < "/proc/$1/cmdline" | sed 's/^/word /'
    } > "$own/taken.new" && mv -f "$own/taken.new" "$own/taken"
}

# load: sets taken, process, kept_leases and mask as they were taken; fails where nothing was.
load() {
    [ -e "$own/taken" ] || return 1
    taken='' process='' kept_leases='' mask=022
    while read -r name value; do
        case $name in
            kind) taken=$value ;;
            process) process=$value ;;
            leases) kept_leases=$value ;;
            umask) mask=$value ;;
        esac
    done < "$own/taken"
}

# explain WHY
explain() {
    case $1 in
        multiple) echo "$port has more than one DHCP client" ;;
        waiting) echo "no DHCP server has answered the client of $port yet" ;;
        *) echo "the DHCP client of $port cannot be moved ($1)" ;;
    esac >&2
}

take_found() {
    pid=${found%%:*} known=${found%% *}
    if load && [ "$process" != "$known" ] && [ "$taken" = udhcpc ] && is_running "$process"; then
        # Another one has taken its place on the port.
        finish "${process%%:*}"
    fi
    keep_words "$pid" "${found##* }" "$known" && halt "$pid" "${found##* }"
}

# wait_for_client: after a start of the host, it may come later than this; and what has just been started goes into the
# background once a server has answered.
wait_for_client() {
    uptime_s
    until_s=$((uptime_now + 10)) is_early=no
    if [ -n "$TUNNELMARK_NOTES" ] && [ "$uptime_now" -lt 600 ]; then until_s=$((uptime_now + 30)) is_early=yes; fi
    while [ "$uptime_now" -lt "$until_s" ]; do
        if find_client "$port"; then has_to_wait || return 0; elif [ "$is_early" = no ]; then return 0; fi
        sleep 1
        uptime_s
    done
    find_client "$port"
}

# is_movable: whether the client that was found can be moved. The supervisor looks again later at what still waits.
is_movable() {
    [ -n "$found_why" ] || return 0
    if [ -z "$TUNNELMARK_NOTES" ] || ! has_to_wait; then explain "$found_why"; fi
    return 1
}

take() {
    mkdir -p "$own" || return 1
    wait_for_client
    [ -n "$found" ] || return 0
    if ! is_movable; then
        has_to_wait && [ -n "$TUNNELMARK_NOTES" ]
        return
    fi
    take_found
}

# launch FOLDER WORD...: in the background, outside of this session, with the environment that it had: nothing of it
# carries the tunnel's mark. Waits until it runs.
launch() {
    start_in=$1
    shift
    if [ "$taken" = dhclient ]; then set -- sh -c "$wait_for_lease" launch "$used" "$used_leases" "$own" "$@"; fi
    while IFS= read -r line; do
        case $line in "set "*) set -- "${line#set }" "$@" ;; esac
    done < "$own/taken"
    set -- env -i "PATH=$PATH" "$@"
    if command -v setsid > /dev/null; then set -- setsid "$@"; fi
    (
        trap '' HUP INT
        exec < /dev/null > /dev/null 2>&1
        for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
            if [ -w "$root/cgroup.procs" ]; then sh -c 'echo "$PPID" > "$1"' sh "$root/cgroup.procs"; fi
        done
        umask "$mask"
        cd "$start_in" && exec "$@"
    ) &
    rounds=0
    until find_client "$used"; do
        if [ "$rounds" -ge 50 ]; then return 1; fi
        rounds=$((rounds + 1))
        nap
    done
}

# dhclient ends once it has a lease, and goes on in the background. It adds the address of a lease that it knows already, but
# not its new end where the address is there.
# shellcheck disable=SC2016 # a script
wait_for_lease='
used=$1 leases=$2 own=$3
shift 3
"$@" || exit
ip=$(sed -n "s/^ *fixed-address \([0-9.]*\);.*/\1/p" "$leases" | tail -n 1)
seconds=$(sed -n "s/^ *option dhcp-lease-time \([0-9]*\);.*/\1/p" "$leases" | tail -n 1)
if [ -n "$ip" ] && [ -n "$seconds" ] && [ "$seconds" != 4294967295 ]; then
    whole=$(ip -o -4 addr show dev "$used" | sed -n "s/.* inet \($ip\/[0-9]*\) .*/\1/p" | head -n 1)
    [ -z "$whole" ] || ip addr change "$whole" valid_lft "$seconds" preferred_lft "$seconds" dev "$used"
fi
case $leases in "/run/dhclient.$used.leases") : > "$own/answered" ;; esac
'

# start_on INTERFACE: as it was started on the port, but for the interface and its own files.
start_on() {
    used=$1 used_leases=$kept_leases start_in=/ value_of='' has_files=
    set --
    while IFS= read -r line; do
        case $line in "word "*) word=${line#word } ;; *) continue ;; esac
        if [ "$taken" = dhclient ]; then
            case $value_of$word in
                -nw) continue ;;
                -lf*) if [ -n "$value_of" ] && [ "$used" = "$bridge" ]; then word=$bridge_leases; fi ;;
                -pf*) if [ -n "$value_of" ] && [ "$used" = "$bridge" ]; then word=/run/dhclient.$bridge.pid; fi ;;
                "$port") word=$used ;;
            esac
            case $word.$value_of in
                -lf. | -pf.) value_of=$word has_files="$has_files$word" ;;
                -cf. | -df. | -sf. | -e. | -C. | -H. | -F. | -V. | -R. | -timeout.) value_of=-other ;;
                *) value_of= ;;
            esac
        fi
        set -- "$@" "$word"
    done < "$own/taken"
    rm -f "$own/answered"
    if [ "$used" = "$bridge" ]; then
        case $taken in
            dhclient)
                used_leases=$bridge_leases
                case $has_files in *-lf*) ;; *) set -- "$@" -lf "$bridge_leases" ;; esac
                case $has_files in *-pf*) ;; *) set -- "$@" -pf "/run/dhclient.$bridge.pid" ;; esac
                if [ ! -e "$bridge_leases" ]; then
                    sed "s/interface \"$port\";/interface \"$bridge\";/" "$kept_leases" > "$bridge_leases" 2> /dev/null
                fi
                ;;
            udhcpc)
                start_in=$own
                prepare_events "$@"
                set -- "$@" -f -i "$bridge" -p "/run/udhcpc.$bridge.pid" -s /bin/sh
                ;;
        esac
    fi
    launch "$start_in" "$@"
}

# prepare_events WORD...: udhcpc runs its script with the name of an event, and begins with dropping all addresses of the
# interface. Here it runs a shell, in a folder with a script for each event: what lies in /run cannot be run by itself
# everywhere. The address that was moved stays until another one is lent, or for as long as it was lent; where that is not
# known, for ten minutes.
prepare_events() {
    words=$(printf '%s\n' "$@")
    case $words in busybox"$nl"* | */busybox"$nl"*) words=${words#*"$nl"} ;; esac
    read_words udhcpc
    printf '%s\n' "$script" > "$own/script"
    printf '%s\n' "$inner $bridge" > "$own/inner"
    uptime_s
    if [ ! -e "$own/until" ]; then echo "$((uptime_now + 600))" > "$own/until"; fi
    : > "$own/starting"
    cat > "$own/event" << 'END'
event=$1 folder=$2
read -r script < "$folder/script"
read -r inner bridge < "$folder/inner"
read -r now _ < /proc/uptime
now=${now%.*}
until=0
read -r until < "$folder/until"
case $event in
    deconfig) if [ -e "$folder/starting" ] && [ "$now" -lt "$until" ]; then exit 0; fi ;;
    leasefail) if [ -e "$folder/starting" ] && [ "$now" -ge "$until" ]; then "$script" deconfig; fi ;;
esac
"$script" "$event"
status=$?
ip addr add "$inner" dev "$bridge" label "$bridge:tm" 2> /dev/null
case $event in
    bound | renew)
        rm -f "$folder/starting"
        echo "$((now + ${lease:-600}))" > "$folder/until"
        : > "$folder/answered"
        ;;
esac
exit "$status"
END
    for event in deconfig bound renew nak leasefail; do
        printf 'exec sh %s/event %s %s\n' "$own" "$event" "$own" > "$own/$event"
    done
}

# move_late: what the port was given after it had been joined.
move_late() {
    [ -e "/sys/class/net/$bridge/brif/$port" ] || return 0
    late=$(addresses_of "$port" && routes_of "$port")
    if [ -z "$late" ]; then return 0; fi
    failures=0
    set -f
    for_each address add_address "$bridge" << END
$late
END
    for_each address take_address "$port" << END
$late
END
    for_each route put_route "$bridge" << END
$late
END
    set +f
    [ "$failures" -eq 0 ]
}

run_client() {
    if find_client "$port"; then
        if ! is_movable; then
            [ -n "$TUNNELMARK_NOTES" ]
            return
        fi
        take_found || return 1
    fi
    load || return 0
    move_late || [ -n "$TUNNELMARK_NOTES" ] || return 1
    if find_client "$bridge"; then return 0; fi
    start_on "$bridge" || echo "the DHCP client of $port does not start on $bridge" >&2
    if [ -n "$TUNNELMARK_NOTES" ]; then return 0; fi
    rounds=0
    until [ -e "$own/answered" ]; do
        if [ "$rounds" -ge 200 ]; then
            echo "no DHCP server has answered on $bridge within 20 s" >&2
            return 1
        fi
        rounds=$((rounds + 1))
        nap
    done
}

# check: looks once in 20 s, and says the same for so long.
check() {
    [ -n "$TUNNELMARK_NOTES" ] || return 0
    uptime_s
    seen=
    if read -r seen 2> /dev/null < "$TUNNELMARK_NOTES/client-seen" && [ "$((uptime_now - seen))" -lt 20 ]; then return 0; fi
    if [ -z "$TUNNELMARK_ASKS" ]; then echo "$uptime_now" > "$TUNNELMARK_NOTES/client-seen"; fi
    if find_client "$port" && [ -z "$found_why" ]; then return 1; fi
    [ ! -e "$own/taken" ] || find_client "$bridge"
}

# end_client: what it was lent is what the port's client asks for again.
end_client() {
    while find_client "$bridge"; do
        # What waits for a server has started itself.
        if [ "$found_why" != waiting ]; then halt "${found%%:*}" "${found##* }"; fi
        finish "${found%%:*}"
    done
    if [ -e "$bridge_leases" ] && load && [ "$taken" = dhclient ]; then
        if [ ! -e "$kept_leases" ]; then : > "$kept_leases"; fi
        cp -p "$kept_leases" "$kept_leases.tunnelmark" &&
            sed "s/interface \"$bridge\";/interface \"$port\";/" "$bridge_leases" > "$kept_leases.tunnelmark" &&
            mv -f "$kept_leases.tunnelmark" "$kept_leases" || return 1
    fi
    rm -f "$bridge_leases" "/run/dhclient.$bridge.pid" "/run/udhcpc.$bridge.pid"
    if command -v resolvconf > /dev/null; then
        for name in dhclient udhcpc; do resolvconf -d "$bridge.$name" 2> /dev/null; done
    fi
    return 0
}

give() {
    end_client || return 1
    if ! load; then
        :
    elif is_running "$process"; then
        kill -s CONT "${process%%:*}"
    elif [ -e "/sys/class/net/$port" ] && ! find_client "$port"; then
        if ! start_on "$port"; then
            echo "the DHCP client of $port does not start again" >&2
            return 1
        fi
    fi
    rm -rf "$own"
}

main() {
    umask 077
    unset TUNNELMARK_TUNNEL
    case $action in
        take) take ;;
        run) run_client ;;
        check) check ;;
        end) end_client ;;
        give) give ;;
    esac
}

main
