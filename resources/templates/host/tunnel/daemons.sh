# Prints root's processes that a tunnel's steps have left running, one number a line.
#
# Arguments: NAME=VALUE RUN_DIR. They have NAME=VALUE in their environment. A program that shows what it does in place of
# its command line (sshd) has written over that: it names a file of the tunnel's folder, or comes from one that does.

# @include ../process.sh
# @include ../tunnel-processes.sh
# @include ../trees.sh

# with_descendants PID...
with_descendants() {
    for process in "$@"; do
        echo "$process"
        # shellcheck disable=SC2046 # one number a word
        with_descendants $(children_of "$process")
    done
}

# naming FOLDER: prints root's processes that have a path below a folder in their command line.
naming() {
    for file in $(grep -ls "$1/" /proc/[0-9]*/cmdline); do
        file=${file#/proc/}
        file=${file%/cmdline}
        # The grep that found itself has ended by now.
        if is_roots "$file" && start_of "$file"; then echo "$file"; fi
    done
}

# shellcheck disable=SC2046 # one number a word
with_descendants $(processes_with "$1") $(naming "$2") | sort -un
