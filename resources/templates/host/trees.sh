# children_of PID: prints the processes whose parent it is.
children_of() {
    for stat_file in /proc/[0-9]*/stat; do
        read -r stat_line 2> /dev/null < "$stat_file" || continue
        case ${stat_line##*") "} in
            ?" $1 "*)
                stat_file=${stat_file#/proc/}
                echo "${stat_file%/stat}"
                ;;
        esac
    done
}

# stop_tree PID: stops a process and all that come from it. Daemons do not, they have left their family. Not by end_processes:
# it stops each before it searches for its children, so that a script cannot start one that is missed, and gives none time.
stop_tree() {
    kill -s STOP "$1" 2> /dev/null || return 0
    for child in $(children_of "$1"); do
        stop_tree "$child"
    done
    kill -s KILL "$1" 2> /dev/null
}
