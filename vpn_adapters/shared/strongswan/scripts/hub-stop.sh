# Stops the hub's charon, and removes what it gave to the kernel. Arguments: FOLDER REQID NETWORK; NETWORK is that of the clients.
# Nothing of the kernel's states is ever printed: `ip xfrm state` shows keys.

# @include tools.sh
# @include stop-charon.sh
stop_charon TERM
if [ -e /proc/net/xfrm_stat ]; then
  ip xfrm state deleteall reqid "$2" > /dev/null 2>&1
  for direction in in out fwd; do
    ip xfrm policy deleteall src "$3" dir "$direction" > /dev/null 2>&1
    ip xfrm policy deleteall dst "$3" dir "$direction" > /dev/null 2>&1
  done
fi
if [ -s "$folder/xfrm_acq_expires" ]; then cat "$folder/xfrm_acq_expires" > /proc/sys/net/core/xfrm_acq_expires; fi
rm -f "$folder/xfrm_acq_expires" "$folder/charon.vici" "$folder/charon.log" "$folder/charon.out" "$folder/swanctl.log"
