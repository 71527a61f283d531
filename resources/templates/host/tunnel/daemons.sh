# Prints the processes that a tunnel's steps have left running, one number a line.
#
# Arguments: NAME=VALUE that they have in their environment.

# @include ../process.sh
# @include ../marked.sh

marked_with "$1"
