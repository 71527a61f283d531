#!/bin/sh
# Tunnelmark: keeps this end of a layer-2 tunnel up. It lies beside the files that it needs; none of them names a secret.
#
#     sh lasting.sh run      start the tunnel where it is not up, then supervise it; does not return
#     sh lasting.sh up       start it from the keys and files in kept/
#     sh lasting.sh down     take it down
#     sh lasting.sh restart  take it down and start it
#     sh lasting.sh stop     what a service manager runs to take it down
#     sh lasting.sh halt     take it down as far as it can be, and succeed
#     sh lasting.sh standing succeeds while everything that the steps made is there
#
# The steps are those with which it was deployed and measured; what drops unprotected frames comes first of them,
# and is the last to go.

# @include process.sh
# @include end-processes.sh
# @include trees.sh
# @include tunnel-processes.sh
# @include uptime.sh
# @include files.sh
# @include folder.sh
# @include lan-watch.sh
# @include mend.sh
# @include silence.sh

log_event() {
    logger -t tunnelmark "$slot: $1" 2> /dev/null
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" 2> /dev/null >> "$own/log"
}

# prepare: the folder that daemons write to. Everything in it goes with a restart of the host.
prepare() {
    if [ ! -d "$own" ]; then mkdir -p "$own" || return 1; fi
    rm -f "$own/down"
    for left in "$run_dir"/* "$run_dir"/.[!.]*; do
        case $left in "$own" | "$run_dir/*" | "$run_dir/.[!.]*") ;; *) rm -rf "$left" ;; esac
    done
    cp -pR "$home/kept/." "$run_dir/"
}

# up_step NUMBER TITLE LIMIT_S RETRY_S INPUT PROGRAM ARGUMENT...
up_step() {
    step_number=$1
    step_title=$2
    step_limit=$3
    step_retry=$4
    step_input=$5
    shift 5
    uptime_s
    step_until=$((uptime_now + step_retry))
    while :; do
        # Daemons keep what they inherit, and carry the mark by which they are found.
        TUNNELMARK_TUNNEL=$mark TUNNELMARK_NOTES=$own limited "$step_limit" "$@" < "$step_input" > "$own/step-$step_number" 2>&1
        step_status=$?
        if [ "$step_status" -eq 0 ]; then return 0; fi
        uptime_s
        if [ "$uptime_now" -ge "$step_until" ]; then break; fi
        nap
    done
    log_event "failed with $step_status: $step_title: $(tail -n 1 "$own/step-$step_number" | cut -c 1-200)"
    return 1
}

# down_step NUMBER TITLE LIMIT_S PROGRAM ARGUMENT...: goes on whatever happens.
down_step() {
    down_number=$1
    down_title=$2
    down_limit=$3
    shift 3
    if ! limited "$down_limit" "$@" < /dev/null > "$own/down-$down_number" 2>&1; then
        down_failures=$((down_failures + 1))
        log_event "could not be undone: $down_title: $(tail -n 1 "$own/down-$down_number" | cut -c 1-200)"
    fi
    print_warnings "$own/down-$down_number" "tunnelmark: warning: "
}

# undo_steps: with steps.sh damaged, its function may be missing or cut; its last line says that all of it has run.
undo_steps() {
    down_failures=0
    down_complete=
    down_steps
    if [ -z "$down_complete" ]; then
        down_failures=1
        log_event "could not be taken down: $home/steps.sh is damaged"
        echo "Tunnelmark: $home/steps.sh is damaged; not all of the tunnel was taken down." \
            "Restore that file, or restart this host." >&2
    fi
}

# own_processes: what carries the mark, but for what started this script.
own_processes() {
    for process in $(processes_of "$mark"); do
        if [ "$process" != "$PPID" ]; then echo "$process"; fi
    done
}

# take_down: also ends what the steps left running.
take_down() {
    [ -d "$own" ] || mkdir -p "$own" || return 1
    # It has been done, and nothing was started since. Its warnings went to a service manager, or nowhere.
    if [ -e "$own/down" ] && [ ! -e "$own/up" ]; then
        for down_output in "$own"/down-*; do print_warnings "$down_output" "tunnelmark: warning: "; done
        return 0
    fi
    rm -f "$own/up"
    undo_steps
    left=$(own_processes)
    if [ -n "$left" ]; then
        # shellcheck disable=SC2086 # one number a word
        end_processes KILL 20 $left
        undo_steps
    fi
    [ "$down_failures" -eq 0 ] && true > "$own/down"
}

# bring_up: all steps in order; what a failed attempt left is undone.
bring_up() {
    uptime_s
    begun=$uptime_now
    prepare || return 1
    if up_steps; then
        find_roots
        uptime_s
        echo "$uptime_now" > "$own/up"
        echo "$((uptime_now - begun))" > "$own/start"
        return 0
    fi
    take_down
    return 1
}

# find_roots: sets roots to the daemons: processes with the mark whose parents do not carry it. What they start
# themselves comes and goes.
find_roots() {
    roots=
    found_processes=" $(own_processes | tr '\n' ' ') "
    for process in $found_processes; do
        start_of "$process" || continue
        process_start=$start_time
        # shellcheck disable=SC2086 # one word per field is what is wanted
        set -- ${stat_line##*") "}
        case $found_processes in *" $2 "*) ;; *) roots="$roots $process:$process_start" ;; esac
    done
}

# has_died: whether a daemon has ended.
has_died() {
    for process in $roots; do
        is_running "$process" || return 0
    done
    return 1
}

# `stands` PROGRAM ARGUMENT...: what the list of things that must be there is made of.
stands() {
    TUNNELMARK_NOTES=$own limited 10 "$@" < /dev/null > /dev/null 2>&1
}

is_up() {
    has_interfaces && standing_steps
}

has_interfaces() {
    [ -e "$own/up" ] || return 1
    for name in $interfaces; do
        [ -e "/sys/class/net/$name" ] || return 1
    done
}

# answers: whether the peer answers through the tunnel.
answers() {
    eval "limited 5 $ping" < /dev/null > /dev/null 2>&1
}

# restart REASON
restart() {
    log_event "$1; starting the tunnel again"
    uptime_s
    doubt_peer "$uptime_now"
    end_idle
    restarts=$((restarts + 1))
    echo "$restarts" > "$own/restarts"
    take_down
    until check_watch_lock && bring_up; do
        # Not longer, because the peer may be the one that was missing.
        sleep 5
    done
    count_anew
    log_event "started again"
}

# shorten: logs must not fill the memory of a host that runs for years.
shorten() {
    for log in $logs; do
        if [ -f "$log" ] && [ "$(wc -c < "$log")" -gt 1048576 ]; then true > "$log"; fi
    done
    if [ -f "$own/log" ] && [ "$(wc -c < "$own/log")" -gt 262144 ]; then
        tail -n 500 "$own/log" > "$own/log.new" && mv "$own/log.new" "$own/log"
    fi
}

watch() {
    begin_silence
    rules_logged=
    rounds=0
    while :; do
        if is_waiting; then sleep 1; else sleep 2; fi
        check_watch_lock
        rounds=$((rounds + 1))
        watch_lans
        log_rules
        if has_died; then
            restart "a daemon has ended"
        elif ! is_up && ! mend; then
            restart "something of the tunnel has gone"
        elif is_due && ! note_answer && is_silent_too_long; then
            fruitless=$((fruitless + 1))
            restart "the other end has been silent for $((uptime_now - answered)) s though it can be reached"
        fi
        if [ "$((rounds % 30))" -eq 0 ]; then shorten; fi
    done
}

# acquire_watch_lock: there is one watcher only. It outlives the process that started it.
acquire_watch_lock() {
    trap '' HUP PIPE
    watcher=
    read -r watcher 2> /dev/null < "$own/watcher"
    if [ -n "$watcher" ] && is_running "$watcher"; then exit 0; fi
    start_of "$$"
    lock_entry=$$:$start_time
    echo "$lock_entry" > "$own/watcher"
}

# check_watch_lock: ends here where another one has the lock: both may have been started at the same moment. Where none has
# it any more, the tunnel was taken down, or its folder was.
check_watch_lock() {
    watcher=
    read -r watcher 2> /dev/null < "$own/watcher"
    if [ "$watcher" = "$lock_entry" ]; then return 0; fi
    if [ -n "$watcher" ] && is_running "$watcher"; then exit 0; fi
    exit_if_superseded
    mkdir -p "$own" && echo "$lock_entry" > "$own/watcher"
}

# exit_if_superseded: ends here where the tunnel was taken down between the start of this script and its lock: that one
# did not find it.
exit_if_superseded() {
    counts=
    read -r counts 2> /dev/null < "${home%/*}/current"
    if [ "$counts" = "${home##*/}" ] && [ ! -e "/run/tunnelmark/aside-$slot" ] && ! is_retiring "$slot"; then return 0; fi
    rm -f "$own/watcher"
    if [ "$is_boot" = yes ]; then rm -rf "$run_dir"; fi
    exit 0
}

# move_into_group: a service that is stopped must find its daemons; those of the first start belong to none.
move_into_group() {
    group=
    while IFS= read -r line; do
        case $line in
            0::/?*) group=/sys/fs/cgroup${line#0::} ;;
            *:name=systemd:/?*) group=/sys/fs/cgroup/systemd${line#*:name=systemd:} ;;
        esac
    done 2> /dev/null < /proc/self/cgroup
    case $group in *tunnelmark*) ;; *) return 0 ;; esac
    for process in $(processes_of "$mark"); do
        (echo "$process" > "$group/cgroup.procs") 2> /dev/null
    done
}

run() {
    begun=
    is_boot=no
    is_new=no
    if [ ! -d "$own" ]; then
        # What lies below /run has gone: the host has been started.
        is_boot=yes
        is_new=yes
        mkdir -p "$own" || exit 1
    fi
    acquire_watch_lock
    exit_if_superseded
    restarts=0
    read -r restarts 2> /dev/null < "$own/restarts"
    if is_up; then
        find_roots
        move_into_group
    else
        take_down
        until check_watch_lock && bring_up; do sleep 2; done
        log_event "started"
    fi
    watch
}

# end_watcher: before another script changes the tunnel. Not by end_processes: stopped first, it starts nothing new meanwhile,
# and what it has just started ends with it.
end_watcher() {
    watcher=
    read -r watcher 2> /dev/null < "$own/watcher"
    if [ -n "$watcher" ] && [ "${watcher%%:*}" != "$$" ] && is_running "$watcher"; then
        watcher=${watcher%%:*}
        kill -s STOP "$watcher"
        for child in $(children_of "$watcher"); do stop_tree "$child"; done
        # An orderly end: a service manager must not take it for a failure.
        kill -s TERM "$watcher"
        kill -s CONT "$watcher"
    fi
    rm -f "$own/watcher"
}

main() {
    umask 077
    unset TUNNELMARK_RUN
    if [ -n "$TUNNELMARK_TUNNEL" ]; then
        # What takes the tunnel down must not find itself among what carries the mark.
        unset TUNNELMARK_TUNNEL
        exec sh "$0" "$@"
    fi
    own_folder || exit 1
    home=$folder
    read_files "$1"
    case $1 in
        run) run ;;
        up) bring_up ;;
        down)
            end_watcher
            take_down && rm -rf "$run_dir"
            ;;
        restart)
            end_watcher
            take_down
            bring_up
            ;;
        stop)
            # Run by systemd too when the watcher ended by itself; then the tunnel goes on.
            if [ -z "$EXIT_CODE" ]; then
                end_watcher
                take_down
            fi
            ;;
        halt)
            end_watcher
            take_down
            :
            ;;
        standing)
            TUNNELMARK_ASKS=yes
            export TUNNELMARK_ASKS
            is_up
            ;;
        *)
            echo "usage: sh lasting.sh run|up|down|restart|stop|halt|standing" >&2
            exit 2
            ;;
    esac
}

main "$@"
