# flush_kernel REQID OWN PEER PROTOCOL: removes what charon has given to the kernel.
# Of the kernel's states only those with our number, of its policies only those for our two addresses and L2TPv3.
# Nothing of them is ever printed: `ip xfrm state` shows keys.

flush_kernel() {
  [ -e /proc/net/xfrm_stat ] || return 0
  ip xfrm state deleteall reqid "$1" > /dev/null 2>&1
  for direction in in out fwd; do
    ip xfrm policy deleteall src "$2/32" dst "$3/32" proto "$4" dir "$direction" > /dev/null 2>&1
    ip xfrm policy deleteall src "$3/32" dst "$2/32" proto "$4" dir "$direction" > /dev/null 2>&1
  done
  return 0
}
