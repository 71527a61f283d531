# Undoes what depends on the suite, newest first, so that it can be done again with another one.
#
# Arguments: STATE TUNNEL [MEMBER].

# @include process.sh
# @include trees.sh
# @include uptime.sh
# @include steps.sh
# @include predecessors.sh

main() {
    begin_work "$@"
    stop_orphans
    name_processes
    # @steps
    end_work
    report finished
}

main "$@"
