# Loads the connection in place of an earlier one. $1: the tunnel's own folder.

# @include tools.sh
loaded=$("$programs/addconn" --config "$folder/ipsec.conf" --ctlsocket "$folder/pluto/pluto.ctl" tunnelmark 2>&1)
case $loaded in
  *"added IKEv2 connection"*) ;;
  *) printf '%s\n' "$loaded" >&2; exit 1 ;;
esac
