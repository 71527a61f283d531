# Starting the DHCP client that was written down (see lan-found.sh). Expects lan-kept.sh, lan-leases.sh, port, bridge and
# report.

# can_start: whether the program is there and only root can change it, nor the files that it is started with.
can_start() {
    case $kept_kind.${kept_program##*/} in dhclient.dhclient | udhcpc.udhcpc | udhcpc.busybox*) ;; *) return 1 ;; esac
    is_roots_file "$kept_program" - && [ -x "$kept_program" ] || return 1
    words=$kept_kind$nl$(sed -n 's/^word //p' "$taken")
    read_words "$kept_kind"
    has_roots_files
}

# start_client INTERFACE: as it was started on the port, but for the interface and files of its own on the bridge. It goes on
# where no server answers. Needs 0.1 s to 15 s.
start_client() {
    used=$1 previous='' launched='' is_startable=
    can_start || return 1
    is_startable=yes
    keep_lines || report "the addresses of $used could not be written down"
    ready_leases || return 1
    set --
    # BusyBox.
    if [ "${kept_program##*/}" != "$kept_kind" ]; then set -- "$kept_kind"; fi
    while IFS= read -r line; do
        case $line in "word "*) word=${line#word } ;; *) continue ;; esac
        if [ "$kept_kind" = dhclient ]; then
            case $previous in
                -lf | -cf | -pf | -df | -sf | -e | -C | -H | -F | -V | -R | -timeout)
                    # It does not start beside the number of a process that runs.
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
    if [ "$kept_kind$used" = "dhclient$bridge" ]; then
        rm -f "/run/dhclient.$bridge.pid"
        set -- "$@" -pf "/run/dhclient.$bridge.pid"
    elif [ "$kept_kind$used" = "udhcpc$bridge" ]; then
        # It gives up after more than the 15 s of settle and the 20 s of wait_for_server, into the background.
        set -- "$@" -i "$bridge" -p "/run/udhcpc.$bridge.pid" -b -t 15 -T 3
    elif [ "$kept_kind$kept_goes_on" = udhcpc ]; then
        set -- "$@" -b
    fi
    is_launched=yes
    launch "$@"
    settle
}

# launch WORD...: in the background, outside of this session and of the supervisor's service, and with nothing of this
# script's environment: it is no daemon of the tunnel. udhcpc names the lease in its output, until it goes into the
# background.
# shellcheck disable=SC2016 # a script
launch() {
    setsid=$(command -v setsid) output=/dev/null
    if [ "$kept_kind" = udhcpc ] && { true > "$client_output"; } 2> /dev/null; then output=$client_output; fi
    (
        trap '' HUP INT
        exec < /dev/null > "$output" 2>&1
        for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
            if [ -w "$root/cgroup.procs" ]; then sh -c 'echo "$PPID" > "$1"' sh "$root/cgroup.procs"; fi
        done
        umask "$kept_mask"
        set -- "$kept_program" "$@"
        if [ -n "$setsid" ]; then set -- "$setsid" "$@"; fi
        if [ -n "$kept_metric" ]; then set -- "IF_METRIC=$kept_metric" "$@"; fi
        if [ -n "$kept_iface" ]; then set -- "IFACE=$kept_iface" "$@"; fi
        cd / && exec env -i "PATH=$kept_path" "$@"
    ) &
    launched=$!
    if start_of "$launched"; then launched=$launched:$start_time; fi
}
