# Whether the daemon runs. $1 its configuration.

# @include process.sh

[ -n "$(fastd_processes "$1")" ]
