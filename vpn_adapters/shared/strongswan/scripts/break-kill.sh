# Kills charon. $1: the tunnel's own folder.
# @include tools.sh
# @include stop-charon.sh
stop_charon KILL
