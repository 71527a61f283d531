#!/bin/sh
# Tunnelmark's timer on this host: as long as Tunnelmark is connected and working, it renews the lease. Once the lease
# is over, this restores the host as it was before.
#
# Usage: sh watch.sh TUNNEL

# @include folder.sh
# @include process.sh
# @include uptime.sh
# @include release.sh

log_event() {
    logger -t tunnelmark "$1" 2> /dev/null
}

# leave_session: a session that ends may take all its processes along (KillUserProcesses= of systemd-logind, an sshd that
# is started for each connection). It knows them by their control group; the root of these groups is no user's session.
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

# is_ours: whether the folder still belongs to the tunnel that this timer was started for, and to no newer timer. What
# cannot be read for a moment (no memory, no file descriptor) is not gone: unreadable says so.
is_ours() {
    unreadable=no
    for name in id watcher; do
        found=
        if ! read -r found 2> /dev/null < "$state/$name" && [ -e "$state/$name" ]; then
            unreadable=yes
            return 0
        fi
        case $name.${found%%:*} in "id.$tunnel" | "watcher.$$") ;; *) return 1 ;; esac
    done
}

# read_lease: sets left to the seconds until the lease is over. Where it holds no number for a minute, it is over.
read_lease() {
    deadline=
    read -r deadline 2> /dev/null < "$state/lease"
    uptime_s
    case $deadline in
        '' | *[!0-9]*)
            blind=$((blind + 1))
            left=1
            if [ "$blind" -ge 60 ]; then left=0; fi
            ;;
        *)
            blind=0
            left=$((deadline - uptime_now))
            ;;
    esac
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
    blind=0
    while is_ours; do
        if [ "$unreadable" = yes ]; then
            sleep 1
            continue
        fi
        read_lease
        if [ "$left" -gt 0 ]; then
            # Not longer than 5 s, because a host that was suspended wakes up with less time left.
            if [ "$left" -gt 5 ]; then left=5; fi
            sleep "$left"
            continue
        fi
        attempts=$((attempts + 1))
        log_event "Tunnelmark has not renewed the lease in time; rolling this host back"
        if sh "$state/undo.sh" > /dev/null 2>&1; then
            while is_ours; do
                if [ "$unreadable" = no ]; then
                    release "$tunnel"
                    break
                fi
                sleep 1
            done
            log_event "this host is as it was before the tunnel"
            exit 0
        fi
        # Never the last time: what is in the way may be gone in an hour.
        if [ "$attempts" -lt 10 ]; then
            sleep 5
        else
            log_event "could not roll this host back; trying again. On its console, run: sh $state/undo.sh"
            sleep 60
        fi
    done
}

main "$@"
