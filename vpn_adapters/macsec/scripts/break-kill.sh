# Kills wpa_supplicant. $1: the tunnel's folder.

folder=$1
# @include stop-supplicant.sh
stop_supplicant KILL
