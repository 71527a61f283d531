# The DHCP client of an interface, and how it was started. Expects end-processes.sh, dhcp-clients.sh, lan-addresses.sh, bridge,
# port, inner and taken, the file.

# note_client PID PROGRAM: adds a client of $wanted to found, and sets found_kind, found_program, found_words, found_why,
# found_leases, found_goes_on and is_awaited (whether a program waits for it). A client for IPv6 is another thing. What is only
# reported sets strange instead: it does not count as a client, and does not keep one from being started.
note_client() {
    read_words "$2"
    case " $served " in *" $wanted "*) ;; *) return 0 ;; esac
    if [ -n "$distrust" ]; then
        if [ "$why" != ipv6 ]; then strange=$why; fi
        return 0
    fi
    judge "$1" "$2"
    case $why in
        ipv6) return 0 ;;
        parent) is_awaited=yes ;;
        waiting)
            # The second process of one client.
            found="$found $1:$born" is_waiting=yes
            return 0
            ;;
    esac
    if [ "$found_count" -eq 0 ]; then found_why=$why; else found_why=multiple; fi
    found_count=$((found_count + 1))
    found="$found $1:$born" found_kind=$2 found_program=$exe found_words=$words
    found_leases=$leases found_goes_on=$goes_on
}

# find_client INTERFACE: fails where it has none. A scan of the processes misses one that forks and ends meanwhile, as a client
# does that goes into the background: two scans have to agree before anything is started, ended or written down.
find_client() {
    scan_client "$1"
    for scans in 2 3 4 5 6; do
        scanned=$found/$found_why/$strange
        scan_client "$1"
        if [ "$found/$found_why/$strange" = "$scanned" ] || [ "$scans" -eq 6 ]; then break; fi
    done
    [ -n "$found" ]
}

# scan_client INTERFACE: as find_client, by one scan, for what asks again. What is there twice may be there for a moment only:
# a client that starts a program.
scan_client() {
    for again in 1 2 3 4; do
        wanted=$1 found='' found_why='' found_count=0 is_awaited='' is_waiting='' strange=''
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
    scan_client "$1" && case $found_why in waiting | parent) false ;; esac
}

# end_clients PID:START...: without a word to the server: a client must not release the address.
end_clients() {
    ending=
    for one in "$@"; do
        if is_running "$one"; then ending="$ending ${one%%:*}"; fi
    done
    # shellcheck disable=SC2086 # one number a word
    end_processes KILL 20 $ending
    return 0
}

# write_down: how the client that was found was started. Of its environment only what its scripts use.
write_down() {
    first=${found# }
    first=${first%% *}
    process=${first%%:*}
    # What was found out before is not found out again while the port is joined.
    read_down
    if [ -z "$found_why" ]; then find_lent; fi
    {
        echo "kind $found_kind"
        echo "program $found_program"
        echo "leases $found_leases"
        echo "goes_on $found_goes_on"
        sed -n 's/^Umask:[[:space:]]*/umask /p' "/proc/$process/status"
        tr '\0\n' '\n ' < "/proc/$process/environ" | sed -n 's/^PATH=/path /p; s/^IF_METRIC=/metric /p; s/^IFACE=/iface /p'
        for one in $kept_lent; do echo "lent $one"; done
        for one in $kept_learned; do echo "learned $one"; done
        printf '%s\n' "${found_words#*"$nl"}" | sed 's/^/word /'
    } > "$taken.new" && grep -q '^word .' "$taken.new" && is_running "$first" && mv -f "$taken.new" "$taken"
}

# find_lent: sets kept_lent to the addresses of the port that a server has lent, as far as it is known which.
find_lent() {
    lent=$(lent_to "$port" "$found_kind" "$found_leases" | tr '\n' ' ')
    if [ -n "$lent" ]; then kept_lent=" $lent"; fi
}

# lent_to INTERFACE KIND LEASES: prints those of its addresses that have an end, or what dhclient has the newest lease of.
lent_to() {
    shown=$(ip -o -4 addr show dev "$1")
    lent=$(printf '%s\n' "$shown" | sed -n 's/.* inet \([^ ]*\) .* dynamic .*/\1/p')
    if [ -z "$lent" ] && [ "$2" = dhclient ]; then
        lent=$(fixed_addresses "$1" "$3" | tail -n 1)
        lent=$(printf '%s\n' "$shown" | grep -F " inet ${lent:--}/" | sed -n 's/.* inet \([^ ]*\) .*/\1/p')
    fi
    if [ -n "$lent" ]; then printf '%s\n' "$lent"; fi
}

# read_down: sets kept_kind and what goes with it as they were written down; fails where no client was.
read_down() {
    kept_kind='' kept_program='' kept_leases='' kept_goes_on='' kept_mask='' kept_path='' kept_metric='' kept_iface=''
    kept_lent='' kept_learned=''
    while read -r name value; do
        case $name in
            kind) kept_kind=$value ;;
            program) kept_program=$value ;;
            leases) kept_leases=$value ;;
            goes_on) kept_goes_on=$value ;;
            umask) kept_mask=$value ;;
            path) kept_path=$value ;;
            metric) kept_metric=$value ;;
            iface) kept_iface=$value ;;
            lent) case $value in *[!0-9./]*) ;; *) kept_lent="${kept_lent:- }$value " ;; esac ;;
            learned) case $value in *[!0-9./]*) ;; *) kept_learned="${kept_learned:- }$value " ;; esac ;;
        esac
    done 2> /dev/null < "$taken"
    case $kept_mask in [0-7][0-7][0-7] | [0-7][0-7][0-7][0-7]) ;; *) kept_mask=022 ;; esac
    case $kept_metric in *[!0-9]*) kept_metric= ;; esac
    case $kept_iface in *[!A-Za-z0-9._:@-]*) kept_iface= ;; esac
    if ! is_roots_path "$kept_path"; then kept_path=/usr/sbin:/usr/bin:/sbin:/bin; fi
    [ -n "$kept_kind" ]
}
