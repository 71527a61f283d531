# Lease files of ISC dhclient, which name the interface. Expects: kept_kind, bridge, port, used (the interface that a client is
# started on), kept_leases (the client's file), nl and report.
#
# dhclient tries the leases that it knows where no server answers within 60 s. Its script drops all addresses of the
# interface then, unless the router of the lease answers: so what it starts with names no router. The first answer of a
# server makes a lease with all options. Source: dhclient-script of ISC DHCP 4.4.3, TIMEOUT.

bridge_leases=/run/dhclient.$bridge.leases
port_leases=/run/dhclient.$port.leases

# ready_leases: what dhclient starts with; own_leases is a file of its own, where it has one. On the bridge that has the
# client's identifier, too: without it, the server would see another client. The host's file is shared by all ports.
ready_leases() {
    own_leases='' source=$bridge_leases known_as=$bridge
    [ "$kept_kind" = dhclient ] || return 0
    if [ ! -s "$source" ]; then source=$kept_leases known_as=$port; fi
    if [ "$used" = "$bridge" ]; then own_leases=$bridge_leases; fi
    [ -e "$source" ] || return 0
    if [ -n "$own_leases" ]; then
        write_leases rename_leases < "$source" || [ -s "$bridge_leases" ]
        return
    fi
    newest_lease "$known_as" < "$source"
    [ -n "$newest" ] || return 0
    if { printf '%s\n' "$newest" >> "$kept_leases"; } 2> /dev/null; then return 0; fi
    report "the newest lease of $port could not be written to $kept_leases"
    # It is in memory there.
    own_leases=$port_leases
    write_leases keep_newest < "$source" || own_leases=
    return 0
}

# write_leases FUNCTION < LEASES: what it prints becomes own_leases.
write_leases() {
    if "$1" > "$own_leases.new" && mv -f "$own_leases.new" "$own_leases"; then return 0; fi 2> /dev/null
    rm -f "$own_leases.new"
    report "the leases of $port could not be written to $own_leases"
    return 1
}

# rename_leases: those of the port become such of the bridge, without routers.
rename_leases() {
    sed "/^ *option routers /d; s/interface \"$port\";/interface \"$bridge\";/"
}

# keep_newest: the client's identifier, and the newest lease only.
keep_newest() {
    sed -n '/^default-duid /p' && printf '%s\n' "$newest"
}

# newest_lease INTERFACE: sets newest to its last one, as one of the port, without routers.
newest_lease() {
    newest='' block='' is_own=''
    while IFS= read -r line; do
        case $line in
            "lease {") block=$line is_own='' ;;
            *"interface \"$1\";"*) block="$block$nl  interface \"$port\";" is_own=yes ;;
            *"option routers "*) ;;
            "}") if [ -n "$is_own" ]; then newest=$block$nl$line is_own=''; fi ;;
            *) block=$block$nl$line ;;
        esac
    done
}
