# Supervision of the LANs that the tunnel joins. Expects log_event, uptime_s, limited and own (the folder), and about.sh's
# guard_table (empty: nothing guards them), interface (the bridge) and `nobody` (an unused address). In 12 s it starts
# three programs.

guard_at=0
guard_round=0

# watch_lans: to be called every few seconds. Turns are of two seconds, however late it is called: the table would forget a
# loop that is not probed for.
watch_lans() {
    [ -n "$guard_table" ] || return 0
    uptime_s
    if [ "$((uptime_now - guard_at))" -gt 12 ]; then guard_at=$uptime_now; fi
    must_probe=
    must_note=
    while [ "$guard_at" -le "$uptime_now" ]; do
        guard_at=$((guard_at + 2))
        guard_round=$(((guard_round + 1) % 6))
        case $guard_round in
            1 | 4) must_probe=yes ;;
            2) must_note=yes ;;
        esac
    done
    if [ -n "$must_probe" ]; then send_probe; fi
    if [ -n "$must_note" ]; then note_loop; fi
}

# send_probe: makes the kernel ask for the address three times, in broadcasts from the bridge's own address. Where one of
# them comes back, the table parts the LANs.
send_probe() {
    ping -c 1 -W 1 -I "$interface" "$nobody" < /dev/null > /dev/null 2>&1 &
}

# note_loop: writes down when a loop begins and ends. The bridge may get another address with a port that is added or
# taken away; the table is then made again.
note_loop() {
    guard_rules=$(limited 5 nft list table bridge "$guard_table" 2> /dev/null) || return 0
    case $guard_rules in
        *"elements = {"*)
            if [ ! -e "$own/looped" ]; then
                date +%s > "$own/looped"
                log_event "own frames come back: a second connection between the LANs, a loop in one of them, or a device that sends this host's frames or address back. The LANs are parted here until that has ended"
            fi
            ;;
        *)
            if [ -e "$own/looped" ]; then
                rm -f "$own/looped"
                log_event "own frames do not come back any more: the LANs are joined again"
            fi
            ;;
    esac
    hardware=
    read -r hardware 2> /dev/null < "/sys/class/net/$interface/address" || return 0
    case $guard_rules in
        *"ether saddr $hardware "*) ;;
        *) limited 5 nft delete table bridge "$guard_table" 2> /dev/null ;;
    esac
}
