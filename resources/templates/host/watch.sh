#!/bin/sh
# Tunnelmark's timer on this host: as long as Tunnelmark is connected and working, it renews the lease. Once the lease
# is over, this puts the host back as it was before.
#
# Usage: sh watch.sh TUNNEL

# @include folder.sh
# @include process.sh
# @include uptime.sh
# @include release.sh

tell() {
    logger -t tunnelmark "$1" 2> /dev/null
}

# leave_session: a session that ends may take all its processes along (KillUserProcesses= of systemd-logind, an sshd that
# is started for each connection). It knows them by their control group; the root of these groups is nobody's session.
# Source: cgroups(7), logind.conf(5).
leave_session() {
    for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
        if [ -w "$root/cgroup.procs" ]; then (echo "$$" > "$root/cgroup.procs") 2> /dev/null; fi
    done
    while IFS= read -r line; do
        case $line in
            0::/ | *:name=systemd:/) ;;
            0::* | *:name=systemd:*) return 1 ;;
        esac
    done 2> /dev/null < /proc/self/cgroup
}

# is_ours: whether the folder still belongs to the tunnel that this timer was started for, and to no newer timer.
is_ours() {
    read -r found 2> /dev/null < "$state/id" && [ "$found" = "$tunnel" ] || return 1
    read -r found 2> /dev/null < "$state/watcher" && [ "${found%%:*}" = "$$" ]
}

main() {
    trap '' HUP PIPE
    unset TUNNELMARK_TUNNEL TUNNELMARK_RUN
    tunnel=$1
    own_folder || exit 1
    state=$folder
    cd /
    bond=bound
    if leave_session; then bond=free; fi
    start_of "$$"
    echo "$$:$start_time $bond" > "$state/watcher"
    attempts=0
    while is_ours; do
        read -r deadline < "$state/lease"
        uptime_s
        left=$((deadline - uptime_now))
        if [ "$left" -gt 0 ]; then
            # Not longer than 5 s, because a host that was suspended wakes up with less time left.
            if [ "$left" -gt 5 ]; then left=5; fi
            sleep "$left"
            continue
        fi
        attempts=$((attempts + 1))
        tell "Tunnelmark has not been heard of in time; putting this host back"
        if sh "$state/undo.sh" > /dev/null 2>&1; then
            is_ours && release "$tunnel"
            tell "this host is as it was before the tunnel"
            exit 0
        fi
        if [ "$attempts" -ge 10 ]; then
            tell "could not put this host back; on its console, run: sh $state/undo.sh"
            exit 1
        fi
        sleep 5
    done
}

main "$@"
