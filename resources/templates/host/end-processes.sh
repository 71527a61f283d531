# end_processes SIGNAL WAITS PID...: ends processes. It sends them the signal, waits until they are gone, kills those that are
# not after so many twentieths of a second, and fails if one is still there after as many again. What has ended and its
# parent has not asked how is gone, and so is a process whose number another one has got meanwhile. The numbers are those of
# now: where they were kept, the caller finds out whose they are.
end_processes() {
    end_signal=$1 end_waits=$2 end_waited=0 end_found=
    shift 2
    for end_pid in "$@"; do
        end_start "$end_pid" || continue
        end_found="$end_found $end_pid:$end_time"
        kill -s "$end_signal" "$end_pid" 2> /dev/null || :
    done
    while :; do
        end_left=
        for end_one in $end_found; do
            if end_start "${end_one%%:*}" && [ "$end_one" = "${end_one%%:*}:$end_time" ]; then
                end_left="$end_left ${end_one%%:*}"
            fi
        done
        [ -n "$end_left" ] || return 0
        [ "$end_waited" -lt "$((2 * end_waits))" ] || return 1
        if [ "$end_waited" -ge "$end_waits" ]; then
            for end_pid in $end_left; do kill -s KILL "$end_pid" 2> /dev/null || :; done
        fi
        # BusyBox may know whole seconds only.
        sleep 0.05 2> /dev/null || { sleep 1 && end_waited=$((end_waited + 19)); }
        end_waited=$((end_waited + 1))
    done
}

# end_start PID: sets end_time to when a process was started; fails if it has ended. Source: proc_pid_stat(5), fields 3 and 22.
end_start() {
    end_time=
    { read -r end_stat < "/proc/$1/stat"; } 2> /dev/null || return 1
    # shellcheck disable=SC2086 # one word per field is what is wanted
    set -- ${end_stat##*") "}
    case $1 in [ZXx]) return 1 ;; esac
    end_time=${20}
}
