#!/bin/sh
# Tunnelmark: restores this host as it was before the tunnel was built.
#
# You may run it from the console, as root, at any time and more than once:
#
#     sh /run/tunnelmark/undo.sh
#
# It stops what is still building the tunnel, undoes every change that is written down in journal/, the newest
# first, and says so. After a command that fails it goes on with the rest and ends with exit status 1. Its output is
# kept in undo.log beside it. The folder itself goes when Tunnelmark comes back, or when its timer runs out.

# @include folder.sh
# @include process.sh
# @include end-processes.sh
# @include trees.sh
# @include tunnel-processes.sh
# @include rollback.sh

main() {
    # Neither a cut connection nor a closed terminal may stop this half-way.
    trap '' HUP PIPE
    umask 077
    unset TUNNELMARK_TUNNEL TUNNELMARK_MEMBER
    if ! own_folder; then
        # The rollback that restored the host has removed it.
        [ ! -e "$own_path" ]
        exit
    fi
    state=$folder
    if [ ! -d "$state/journal" ]; then
        echo "There is no journal in $state, so it is not known what to undo." >&2
        exit 1
    fi
    acquire_undo_lock
    : > "$state/undo-begun"
    for runner_file in "$state"/runner*; do
        stop_runner "$runner_file"
    done
    failures=0
    undo_entries pending
    if read -r tunnel 2> /dev/null < "$state/id" && sweep "TUNNELMARK_TUNNEL=$tunnel"; then
        failures=0
        undo_entries all
    fi
    if [ "$failures" -eq 0 ]; then
        : > "$state/undone"
        report "this host is as it was before the tunnel"
        exit 0
    fi
    report "$failures changes could not be undone; see $state/undo.log"
    exit 1
}

main
