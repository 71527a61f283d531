# Stops the hub's charon, and removes what it gave to the kernel. Arguments: FOLDER REQID NETWORK INSIDE; NETWORK is that of the clients'
# addresses outside, INSIDE that inside.
# Nothing of the kernel's states is ever printed: `ip xfrm state` shows keys.

# @include tools.sh
# @include stop-charon.sh
stop_charon TERM
if [ -e /proc/net/xfrm_stat ]; then
  ip xfrm state deleteall reqid "$2" > /dev/null 2>&1
  for direction in in out fwd; do
    for network in "$3" "$4"; do
      ip xfrm policy deleteall src "$network" dir "$direction" > /dev/null 2>&1
      ip xfrm policy deleteall dst "$network" dir "$direction" > /dev/null 2>&1
    done
  done
fi
if [ -s "$folder/xfrm_acq_expires" ]; then cat "$folder/xfrm_acq_expires" > /proc/sys/net/core/xfrm_acq_expires; fi
rm -f "$folder/xfrm_acq_expires" "$folder/charon.vici" "$folder/charon.log" "$folder/charon.out" "$folder/swanctl.log"
