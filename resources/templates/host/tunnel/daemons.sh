# Prints the processes that a tunnel's steps have left running, one number a line.
#
# Arguments: MARK, what they carry in their environment.

# @include ../process.sh
# @include ../marked.sh

marked_with "$1"
