# Makes the interface.
# The hardware address is part of the channel's identifier (SCI): given at once, so that udev does not change it.
# Source: ip-macsec(8); `port` must come before `cipher`. Within a window, Linux takes a packet as often as it comes:
# it only compares its number with the lowest that it takes (drivers/net/macsec.c, macsec_post_decrypt).

set -e
umask 077
# shellcheck disable=SC2034 # static.sh uses peer
folder=$1 lower=$2 name=$3 own=$4 peer=$5 cipher=$6 mtu=$7 address=$8
shift 8
modprobe macsec 2> /dev/null || :
ip link add link "$lower" name "$name" address "$own" type macsec port 1 cipher "$cipher" icvlen 16 \
  encrypt on send_sci on protect on replay on window 0 validate strict
