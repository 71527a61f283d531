# Undoes steps, newest first, so that they can be done again: those that depend on the suite, for another one, or all of a
# VPN, for its restart on both hosts.
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
