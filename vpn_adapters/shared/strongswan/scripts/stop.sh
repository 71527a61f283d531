# Stops charon, flushes the kernel and clears up.
# $1: the tunnel's own folder; $2 number of our states; $3 and $4 the two addresses; $5 IP protocol.

# @include tools.sh
# @include stop-charon.sh
# @include flush.sh
stop_charon TERM
flush_kernel "$2" "$3" "$4" "$5"
if [ -s "$folder/xfrm_acq_expires" ]; then cat "$folder/xfrm_acq_expires" > /proc/sys/net/core/xfrm_acq_expires; fi
rm -f "$folder/xfrm_acq_expires" "$folder/charon.vici" "$folder/charon.log" "$folder/charon.out" "$folder/swanctl.log"
