# Processes that a tunnel's steps have started. Expects start_of and is_roots from process.sh.

# processes_of TUNNEL: prints the processes that carry this tunnel's mark in their environment: all that its steps ever
# started. They are root's in every way: any user can give that mark to a process of his own, and to a set-uid program.
processes_of() {
    processes_with "TUNNELMARK_TUNNEL=$1"
}

# processes_with NAME=VALUE: prints root's processes that have this in their environment.
processes_with() {
    mark=$1
    # A grep that reads past the first NUL finds itself; that of BusyBox does not.
    found=$(TUNNELMARK_SEARCH=$mark grep -ls "$mark" /proc/[0-9]*/environ /proc/self/environ)
    if [ -z "$found" ]; then
        for environ in /proc/[0-9]*/environ; do
            if tr '\0' '\n' 2> /dev/null < "$environ" | grep -qx "$mark"; then found="$found $environ"; fi
        done
    fi
    for environ in $found; do
        environ=${environ#/proc/}
        environ=${environ%/environ}
        # The grep that found itself has ended by now.
        if [ "$environ" != self ] && is_roots "$environ" && start_of "$environ"; then echo "$environ"; fi
    done
}
