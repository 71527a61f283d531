# logged_in_by: prints the connections over which the user of this script is logged in: the client's address and port, the
# host's address and port. sudo and what is like it take away the variable that names them; the programs that this one
# was started by still have it. Source: ssh(1), proc_pid_environ(5).
logged_in_by() {
    echo "$SSH_CONNECTION"
    process=$$
    while [ "${process:-0}" -gt 1 ]; do
        tr '\000' '\n' 2> /dev/null < "/proc/$process/environ" | sed -n 's/^SSH_CONNECTION=//p'
        process=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$process/status" 2> /dev/null)
    done
}

# @include carries.sh

# ways: prints the interfaces that those connections run over. What goes by the host itself says nothing.
ways() {
    logged_in_by | while read -r client _ server _; do
        [ -n "$server" ] || continue
        client=${client#::ffff:}
        server=${server#::ffff:}
        case $client in *%*) echo "${client##*%}" ;; esac
        carries "${server%%%*}"
        ip route get "${client%%%*}" 2> /dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1
    done | grep -vx lo
}

# has_address NAME: but for the one that every interface has.
has_address() {
    ip -o addr show dev "$1" 2> /dev/null | grep -v ' inet6 fe80:' | grep -q ' inet'
}

# walk lower|upper NAME...: sets walked to these interfaces and all that they run over, or that runs over them.
walk() {
    walk_link=$1
    shift
    walked=" "
    while [ "$#" -gt 0 ]; do
        name=$1
        shift
        case $walked in *" $name "*) continue ;; esac
        walked="$walked$name "
        for found in "/sys/class/net/$name/$walk_link"_*; do
            if [ -e "$found" ]; then set -- "$@" "${found##*/"$walk_link"_}"; fi
        done
    done
}
