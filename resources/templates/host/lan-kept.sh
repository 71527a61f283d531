# Addresses and routes of an interface (used) that its DHCP client drops when it starts: they are written down before, and
# put back until the client has been through its start. Expects lan-addresses.sh, uptime.sh and has_lease.

kept_lines=/run/tunnelmark-$bridge.dhcp.lines kept_now=

# keep_lines: those of $used, in kept_now and in the file. Where it has none, those of a start that was broken off count.
keep_lines() {
    uptime_s
    if has_lent; then
        kept_now=$(addresses_of "$used" && routes_of "$used")
    else
        kept_now=$(grep -v '^since ' "$kept_lines" 2> /dev/null)
    fi
    kept_now="since $uptime_now$nl$kept_now"
    { printf '%s\n' "$kept_now" > "$kept_lines.new" && mv -f "$kept_lines.new" "$kept_lines"; } 2> /dev/null
}

# settle: puts back what the client drops, until it has been through its start: then it has a lease or waits for one. A
# client that an earlier run has started looks as if it had one: what had started it has ended.
settle() {
    if [ -z "$kept_now" ]; then kept_now=$(cat "$kept_lines"); fi
    since=${kept_now%%"$nl"*}
    since=${since#since }
    case $since in "" | *[!0-9]*) since=0 ;; esac
    while :; do
        put_back
        is_heard=
        if has_lease "$used"; then is_heard=$is_launched; fi
        uptime_s
        if [ -n "$is_heard" ] || [ "$((uptime_now - since))" -ge 5 ]; then break; fi
        nap
    done
    put_back
    if [ -n "$is_heard" ] || [ "$((uptime_now - since))" -ge 30 ]; then rm -f "$kept_lines"; fi
}

# has_lent: whether $used has an address but for the tunnel's own one.
has_lent() {
    ip -o -4 addr show dev "$used" | grep -vqF " inet $inner "
}

# put_back: what was written down, where no lent address is left, or no route.
put_back() {
    keep_inner
    if ! has_lent; then
        put_lines "$used" "$kept_now"
    elif [ -z "$(routes_of "$used")" ]; then
        put_lines "$used" "$(printf '%s\n' "$kept_now" | grep '^route ')"
    fi
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
