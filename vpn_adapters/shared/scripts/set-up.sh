# Sets up an interface that exists and is down; it ends at the first failure. Arguments as in configure.sh.
set -e
# @include configure.sh
