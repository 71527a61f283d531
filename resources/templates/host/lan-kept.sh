# Addresses and routes of an interface (used) that its DHCP client drops when it starts: they are written down before, and
# restored until the client has been through its start. Expects lan-addresses.sh, uptime.sh, find_client, has_lease and
# kept_lent (addresses that were lent before the move) and kept_learned (what a client has set since).
#
# What is static comes back in any case. A lent address does so unless a server has answered with another one: what else is
# new may have been added by another program. It comes first: `ifconfig`, which clients' scripts use, replaces the first address that has the interface's name as its label.
#
# Which address udhcpc was lent is only in its output. Where there are several, none is restored until its server has
# answered, for 3 s at most.

kept_lines=/run/tunnelmark-$bridge.dhcp.lines kept_now=
client_output=/run/tunnelmark-$bridge.dhcp.output
learn_s=3 settle_s=5 longest_s=15

# keep_lines: those of $used, in kept_now and in the file; with those of a start that was broken off.
keep_lines() {
    uptime_s
    kept_now=$(addresses_of "$used" && routes_of "$used")
    while IFS= read -r kept_line; do
        case $kept_line in
            "address "* | "route "*) ;;
            *) continue ;;
        esac
        kept_words=${kept_line#* }
        # An address is there once, whatever its time is; a route is its words.
        case $kept_line in address*) kept_words="${kept_words%% *} " ;; *) kept_words=$kept_words$nl ;; esac
        case $nl$kept_now$nl in *"$nl${kept_line%% *} $kept_words"*) ;; *) kept_now=$kept_now$nl$kept_line ;; esac
    done << END
$(cat "$kept_lines" 2> /dev/null)
END
    kept_now="since $uptime_now$nl$kept_now"
    { printf '%s\n' "$kept_now" > "$kept_lines.new" && mv -f "$kept_lines.new" "$kept_lines"; } 2> /dev/null
}

# settle: restores what the client drops, until it has been through its start: then it has a lease or waits for one. Fails
# where no client runs.
settle() {
    if [ -z "$kept_now" ]; then kept_now=$(cat "$kept_lines"); fi
    since=${kept_now%%"$nl"*}
    since=${since#since }
    case $since in "" | *[!0-9]*) since=0 ;; esac
    missing=0
    while :; do
        is_heard=
        if has_lease "$used" && [ "$found_why" != multiple ]; then is_heard=$is_launched; fi
        uptime_s
        elapsed_s=$((uptime_now - since))
        is_started=
        if has_started; then is_started=yes; fi
        # Not before: a script that drops addresses and then routes would drop the routes of what came back between them.
        if [ -n "$is_started" ]; then
            if may_restore; then restore; else keep_inner; fi
        fi
        if [ -n "$found" ] || is_running "$launched"; then missing=0; else missing=$((missing + 1)); fi
        if [ "$missing" -ge 10 ] || [ "$elapsed_s" -ge "$longest_s" ] || is_late; then break; fi
        if [ -n "$is_started" ] && { [ -n "$is_heard" ] || [ "$elapsed_s" -ge "$settle_s" ]; }; then break; fi
        nap
    done
    restore
    if [ -n "$is_heard" ] || [ "$elapsed_s" -ge 30 ]; then rm -f "$kept_lines"; fi
    [ -n "$found" ] || find_client "$used"
}

# is_late: the supervisor takes for gone what it has no answer about within 10 s.
is_late() {
    [ "$action" = watch ] && [ "$((uptime_now - begun_s))" -ge 7 ]
}

# has_started: whether the client that was found has dropped what it drops. udhcpc waits for the end of its script before it
# opens a socket for frames, and goes into the background with a lease. What an earlier run has started appears to be
# there, because what had started it has ended.
has_started() {
    [ -n "$found" ] || return 1
    if [ -n "$is_heard" ]; then return 0; fi
    for one in $found; do
        if has_packet_socket "${one%%:*}"; then return 0; fi
    done
    [ -z "$is_launched" ] && [ "$elapsed_s" -ge "$settle_s" ]
}

# has_packet_socket PID. Source: packet(7); the last column of /proc/PID/net/packet is the number of a socket.
has_packet_socket() {
    packet_sockets=" $(sed -n 's/.* \([0-9][0-9]*\) *$/\1/p' "/proc/$1/net/packet" 2> /dev/null | tr '\n' ' ')"
    for socket in $(ls -l "/proc/$1/fd" 2> /dev/null | sed -n 's/.*socket:\[\([0-9]*\)\]$/\1/p'); do
        case $packet_sockets in *" $socket "*) return 0 ;; esac
    done
    return 1
}

# may_restore: whether it is known what is lent, or need not be, or cannot be found out.
may_restore() {
    if [ -z "$kept_lent$kept_learned" ] && [ -n "$is_heard" ]; then learn_lent; fi
    if [ -n "$kept_lent$kept_learned$is_heard" ] || [ -z "$is_launched" ] || [ "$elapsed_s" -ge "$learn_s" ]; then return 0; fi
    case $nl${kept_now#*"${nl}address "} in *"${nl}address "*) return 1 ;; esac
}

# named_lease: prints the address in the output of the udhcpc that was started last. Source: networking/udhcp/dhcpc.c of
# BusyBox 1.22 to 1.36.
named_lease() {
    sed -n 's/.*[Ll]ease of \([0-9.]*\) obtained.*/\1/p' "$client_output" 2> /dev/null | tail -n 1
}

# learn_lent: the address that the client names. Where it names none: what is on $used, and was not before its client started,
# was set by that; so was the only address there is. It may have been static before: a server may lend what the port has
# already.
learn_lent() {
    learned='' others='' named=$(named_lease)
    while read -r _ one _; do
        if [ -z "$one" ] || [ "$one" = "$inner" ]; then continue; fi
        if [ -n "$named" ]; then
            if [ "${one%/*}" = "$named" ]; then learned=" $one"; fi
            continue
        fi
        case $nl$kept_now in *"${nl}address $one "*) others="$others $one" ;; *) learned="$learned $one" ;; esac
    done << END
$(addresses_of "$used")
END
    if [ -z "$named" ]; then learned=${learned:-$others}; fi
    case ${learned# } in '' | *" "*) return 0 ;; esac
    kept_learned="$learned "
    { echo "learned ${learned# }" >> "$taken"; } 2> /dev/null
}

# restore: what was written down and is missing.
restore() {
    keep_inner
    present=$nl$(addresses_of "$used")$nl
    failures=0
    set -f
    if ! has_lent; then restore_lines address restore_lent; fi
    restore_lines address restore_static
    present=$nl$(routes_of "$used")$nl
    restore_lines route restore_route
    set +f
}

restore_lines() {
    for_each "$1" "$2" "$used" << END
$kept_now
END
} 2> /dev/null

# is_lent ADDRESS
is_lent() {
    case "$kept_lent $kept_learned" in *" $1 "*) return 0 ;; esac
    return 1
}

# has_lent: whether an address is there that is lent, or, once a server has answered, one that is none of those that are kept.
has_lent() {
    while read -r _ one _; do
        if [ -z "$one" ] || [ "$one" = "$inner" ]; then continue; fi
        if is_lent "$one"; then return 0; fi
        if [ -z "$is_heard" ]; then continue; fi
        case $nl$kept_now in *"${nl}address $one "*) ;; *) return 0 ;; esac
    done << END
$present
END
    return 1
}

restore_lent() {
    if is_lent "$2"; then restore_static "$@"; fi
}

# restore_static DEVICE WORD...: also called for what is lent, which is there by now or is left out.
restore_static() {
    case $present in *"${nl}address $2 "*) return 0 ;; esac
    if is_lent "$2" && has_lent; then return 0; fi
    put_address "$@"
}

# restore_route DEVICE WORD...: the client has its own way to where nothing else leads.
restore_route() {
    route_line=$*
    route_line=${route_line#"$1 "}
    case $present in *"${nl}route $route_line"*) return 0 ;; esac
    case $route_line$present in default\ *"${nl}route default "*) return 0 ;; esac
    put_route "$@"
}

# keep_inner: the tunnel's own address goes with others when a client's script drops them.
keep_inner() {
    if [ ! -e "/sys/class/net/$bridge/brif/$port" ] || has_address "$bridge" "$inner"; then return 0; fi
    ip addr add "$inner" dev "$bridge" label "$bridge:tm"
}

# put_lines DEVICE LINES: addresses but for the tunnel's own one, and routes after them.
put_lines() {
    set -f
    for_each address put_address "$1" << END
$2
END
    for_each route put_route "$1" << END
$2
END
    set +f
} 2> /dev/null
