# carries ADDRESS: prints the interface with that address; an IPv4 address may be written as one of IPv6.
carries() {
    [ -n "$1" ] || return 0
    ip -o addr show 2> /dev/null | sed -n 's/^[0-9]*: *\([^ ]*\) .*inet6* \([^/ ]*\)[/ ].*/\1 \2/p' |
        while read -r name address; do
            if [ "$address" = "${1#::ffff:}" ]; then echo "${name%%@*}"; fi
        done
}
