# Kills pluto. $1: the tunnel's own folder.
# @include tools.sh
# @include stop-pluto.sh
stop_pluto KILL
