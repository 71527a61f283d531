# Removes the interface and ends wpa_supplicant, where there is one. Arguments: INTERFACE FOLDER (the tunnel's).
folder=$2
# @include stop-supplicant.sh
stop_supplicant TERM
rm -f "$folder/wpa_supplicant.secret" "$folder/wpa_supplicant.pid" "$folder/wpa_supplicant.log"
ip link del dev "$1" 2> /dev/null
# @include ../../shared/scripts/wait-gone.sh
