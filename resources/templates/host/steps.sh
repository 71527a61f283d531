# Functions that build a tunnel: each change is written into the journal, with its undo, before it is made.
# Expects: state (the folder), tunnel (its id), daemons and search_at (both empty, or set by expect_daemons), hopeless
# (empty, or set by hopeless_at).

# member: the number of one of several tunnels that are built side by side, of_member: ends the names of its files.
member=
of_member=

# @include report.sh

# show NAME FILE: prints the beginning of a small file between two lines that only we can make.
show() {
    report "begin $1"
    print_file "$2" 200
    report "end $1"
}

# give_up REASON [DETAIL]: says why and ends.
give_up() {
    report "failed $*"
    exit 1
}

# stop_if_rolled_back: an undo that has begun must not find new changes.
stop_if_rolled_back() {
    if [ -e "$state/undo-begun" ] || [ -e "$state/undo-begun$of_member" ]; then give_up taken-back; fi
}

# write_down NUMBER LIMIT_S UNDO TITLE: makes an entry of the journal. Its last line says that it is whole.
write_down() {
    printf '# %s\nlimited %s %s\n# end\n' "$4" "$2" "$3" 2> /dev/null > "$state/journal/$1" || give_up journal "$1"
}

# step NUMBER TITLE LIMIT_S RETRY_S INPUT UNDO_LIMIT_S UNDO PROGRAM ARGUMENT...
step() {
    step_number=$1
    step_title=$2
    step_limit=$3
    step_retry=$4
    step_input=$5
    step_undo_limit=$6
    step_undo=$7
    shift 7
    stop_if_rolled_back
    if [ -n "$step_undo" ]; then write_down "$step_number" "$step_undo_limit" "$step_undo" "$step_title"; fi
    uptime_s
    step_until=$((uptime_now + step_retry))
    while :; do
        # Daemons keep what they inherit: were it our output, the connection would wait for them.
        limited "$step_limit" "$@" < "$step_input" > "$state/log/$step_number" 2>&1
        step_status=$?
        if [ "$step_status" -eq 0 ]; then break; fi
        stop_if_rolled_back
        uptime_s
        if [ "$uptime_now" -ge "$step_until" ]; then break; fi
        nap
    done
    report "step $step_number $step_status"
    if [ "$step_status" -ne 0 ]; then
        show output "$state/log/$step_number"
        give_up step "$step_number"
    fi
    print_warnings "$state/log/$step_number" "$tunnel warned "
}

# undo_step NUMBER LIMIT_S PROGRAM ARGUMENT...: runs a step's undo, so that the step can be done again. Its entry in the
# journal is kept: it undoes whatever there is then.
undo_step() {
    back_number=$1
    back_limit=$2
    shift 2
    stop_if_rolled_back
    limited "$back_limit" "$@" < /dev/null > "$state/log/$back_number.undo" 2>&1
    back_status=$?
    report "back $back_number $back_status"
    if [ "$back_status" -ne 0 ]; then
        show output "$state/log/$back_number.undo"
        give_up back "$back_number"
    fi
}

# is_detached PID: whether a process has a parent that is no younger than this script, as a daemon has. sshd writes its
# title over its own environment, so that the short helpers that it starts for each login are all that shows the mark.
is_detached() {
    read -r detached_line 2> /dev/null < "/proc/$1/stat" || return 1
    # shellcheck disable=SC2086 # one word per field: state, parent
    set -- ${detached_line##*") "}
    if [ "$2" = 0 ]; then return 0; fi
    start_of "$2" || return 1
    detached_from=$start_time
    start_of $$ && [ "$detached_from" -le "$start_time" ]
}

# find_daemons: sets daemons to what the steps left running: it carries the tunnel's mark in its environment.
find_daemons() {
    daemons=
    daemons_mark=TUNNELMARK_TUNNEL=$tunnel
    if [ -n "$member" ]; then daemons_mark=TUNNELMARK_MEMBER=$tunnel$of_member; fi
    # The grep that found itself has ended when its number is read.
    for environ in $(grep -ls "$daemons_mark" /proc/[0-9]*/environ); do
        environ=${environ#/proc/}
        environ=${environ%/environ}
        # Any user can give a process of his own that mark.
        if is_roots "$environ" && is_detached "$environ" && start_of "$environ"; then
            daemons="$daemons $environ:$start_time"
        fi
    done
}

# expect_daemons: sets daemons. One that is still detaching is not found yet: stop_if_died searches again.
expect_daemons() {
    find_daemons
    polls=0
    search_at=1
}

# search_again: finds daemons after 1, 2, 4, 8, 16, 26, 36, ... polls: each search reads the environment of every
# process. One that lives for 10 polls, about a second, is not missed.
search_again() {
    polls=$((polls + 1))
    if [ "$polls" -lt "$search_at" ]; then return 0; fi
    if [ "$polls" -lt 10 ]; then search_at=$((2 * polls)); else search_at=$((polls + 10)); fi
    find_daemons
}

# stop_if_died: once all daemons have ended, there is nothing to wait for. Says what the kernel has to say of them.
stop_if_died() {
    if [ -z "$daemons" ] && [ -n "$search_at" ]; then search_again; fi
    if [ -z "$daemons" ]; then return 0; fi
    for daemon in $daemons; do
        if is_running "$daemon"; then return 0; fi
    done
    died=$daemons
    find_daemons
    if [ -n "$daemons" ]; then return 0; fi
    for daemon in $died; do
        dmesg 2> /dev/null | tail -n 50 | grep -F "[${daemon%%:*}]"
    done > "$state/log/died$of_member"
    report died
    show output "$state/log/died$of_member"
    give_up died
}

# hopeless_at PATTERN LOG...: what, in one of these logs, says that frames will never cross.
hopeless_at() {
    hopeless=$1
    shift
    hopeless_logs=$*
}

# stop_if_hopeless: no need to wait for what a daemon has reported as impossible.
stop_if_hopeless() {
    if [ -z "$hopeless" ]; then return 0; fi
    # shellcheck disable=SC2086 # paths of our own, without blanks
    if cat $hopeless_logs 2> /dev/null | grep -m 1 -E -e "$hopeless" > "$state/log/hopeless$of_member"; then
        show output "$state/log/hopeless$of_member"
        give_up hopeless
    fi
}

# print NUMBER LIMIT_S PROGRAM ARGUMENT...: runs a command that changes nothing and prints all that it says.
print() {
    print_number=$1
    print_limit=$2
    shift 2
    stop_if_rolled_back
    limited "$print_limit" "$@" < /dev/null > "$state/log/$print_number" 2> "$state/log/$print_number.err"
    report "print $print_number $?"
    show stdout "$state/log/$print_number"
    show stderr "$state/log/$print_number.err"
}

# check NUMBER UNTIL PATTERN PROGRAM ARGUMENT...: asks again and again until the program succeeds and, where there is a
# pattern, its output matches it; UNTIL is in seconds since the host was started.
check() {
    check_number=$1
    check_until=$2
    check_pattern=$3
    shift 3
    while :; do
        "$@" < /dev/null > "$state/log/$check_number" 2> "$state/log/$check_number.err"
        check_status=$?
        if [ "$check_status" -eq 0 ]; then
            if [ -z "$check_pattern" ]; then break; fi
            if grep -Eq -e "$check_pattern" "$state/log/$check_number"; then break; fi
        fi
        stop_if_rolled_back
        stop_if_died
        stop_if_hopeless
        uptime_s
        if [ "$uptime_now" -ge "$check_until" ]; then
            report "check $check_number $check_status"
            show stdout "$state/log/$check_number"
            show stderr "$state/log/$check_number.err"
            give_up check "$check_number"
        fi
        nap
    done
    report "check $check_number 0"
    show stdout "$state/log/$check_number"
}
