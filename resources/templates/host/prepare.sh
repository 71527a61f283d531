# Makes the folder and the key of one of several tunnels that are built side by side, and prints the key's public part.
#
# Arguments: STATE TUNNEL MEMBER RUN_DIR REMOVE_RUN_DIR NUMBER, the folder's in the journal.

# @include process.sh
# @include trees.sh
# @include uptime.sh
# @include steps.sh
# @include predecessors.sh

main() {
    begin_work "$1" "$2" "$3"
    name_processes
    # That of the first one has been there since the host was locked.
    if [ ! -d "$4" ]; then
        write_down "$6" 30 "$5" "Remove the tunnel's own folder"
        mkdir "$4" || give_up disk
        report "step $6 0"
    fi
    # @steps
    end_work
    report finished
}

main "$@"
