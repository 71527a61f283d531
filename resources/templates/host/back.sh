# Takes back what depends on the suite, newest first, so that it can be done again with another one.
#
# Arguments: STATE TUNNEL.

# @include process.sh
# @include trees.sh
# @include uptime.sh
# @include steps.sh
# @include predecessors.sh

main() {
    state=$1
    tunnel=$2
    umask 077
    found=
    read -r found 2> /dev/null < "$state/id"
    if [ "$found" != "$tunnel" ]; then give_up taken-back; fi
    stop_predecessor
    start_of "$$"
    echo "$$:$start_time" > "$state/runner" || give_up journal runner
    stop_if_taken_back
    stop_orphans
    export TUNNELMARK_TUNNEL="$tunnel"
    # @steps
    : > "$state/runner"
    say finished
}

main "$@"
