# Processes, mostly without starting any: on a small host, starting a program is what takes the time.

# start_of PID: sets start_time to when a process was started, in clock ticks since the host was; fails if there is none,
# or if it has ended and its parent has not asked how. Source: proc_pid_stat(5), fields 3 and 22. The name in field 2 may hold
# blanks and parentheses itself.
start_of() {
    start_time=
    read -r stat_line 2> /dev/null < "/proc/$1/stat" || return 1
    # shellcheck disable=SC2086 # one word per field is what is wanted
    set -- ${stat_line##*") "}
    case $1 in [ZXx]) return 1 ;; esac
    start_time=${20}
}

# is_running PID:START: whether that very process still runs, and not another one that got its number.
is_running() {
    start_of "${1%%:*}" && [ "$1" = "${1%%:*}:$start_time" ]
}

# is_roots PID: whether a process runs as root in every way, and not as a set-uid program of another user.
is_roots() {
    while read -r uid_word uid_words; do
        if [ "$uid_word" = Uid: ]; then
            # Real, effective, saved, and that for files.
            # shellcheck disable=SC2086 # four words
            set -- $uid_words
            [ "$1.$2.$3.$4" = 0.0.0.0 ]
            return
        fi
    done 2> /dev/null < "/proc/$1/status"
    return 1
}

# detach: files are root's alone, a connection that is cut ends nothing, and what is started is no tunnel's own.
detach() {
    umask 077
    trap '' HUP PIPE
    unset TUNNELMARK_RUN
}

# nap: a short wait. BusyBox may know whole seconds only.
nap() {
    sleep 0.1 2> /dev/null || sleep 1
}

# limited SECONDS PROGRAM ARGUMENT...: runs a program, not longer than that where the host has a `timeout` of today.
limited() {
    limit_s=$1
    shift
    if ! command -v timeout > /dev/null; then
        "$@"
        return
    fi
    timeout "$limit_s" "$@"
    limited_status=$?
    # BusyBox before 1.30 takes `-t SECONDS` and searches for a program that is called like the number.
    if [ "$limited_status" -eq 127 ] && ! timeout 2 true 2> /dev/null; then
        "$@"
        return
    fi
    return "$limited_status"
}

# print_file FILE LINES: prints the first lines of a small file, and a line feed at its end.
print_file() {
    lines_left=$2
    while [ "$lines_left" -gt 0 ] && { IFS= read -r line || [ -n "$line" ]; }; do
        printf '%s\n' "$line"
        lines_left=$((lines_left - 1))
    done 2> /dev/null < "$1"
}

# print_warnings FILE PREFIX: prints those of the first lines of a file that begin with `tunnelmark: warning: `, with another
# prefix: what one of our scripts reported though it succeeded.
print_warnings() {
    lines_left=50
    while [ "$lines_left" -gt 0 ] && { IFS= read -r line || [ -n "$line" ]; }; do
        case $line in "tunnelmark: warning: "*) printf '%s%.400s\n' "$2" "${line#tunnelmark: warning: }" ;; esac
        lines_left=$((lines_left - 1))
    done 2> /dev/null < "$1"
}

# is_retiring SLOT: whether a deployment is being rolled back on this host alone, see retire.sh. The file of a killed one
# does not count.
is_retiring() {
    retiring=
    read -r retiring 2> /dev/null < "/run/tunnelmark-retiring-$1"
    [ -n "$retiring" ] && is_running "$retiring"
}
