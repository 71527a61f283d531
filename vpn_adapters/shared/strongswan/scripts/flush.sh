# flush_kernel REQID OWN PEER PROTOCOL: removes what charon has given to the kernel.
# Of the kernel's states only those with our number, of its policies only those for our two addresses and L2TPv3.
# Nothing of them is ever printed: `ip xfrm state` shows keys.

# @include ../../scripts/flush-policies.sh
flush_kernel() {
  [ -e /proc/net/xfrm_stat ] || return 0
  ip xfrm state deleteall reqid "$1" > /dev/null 2>&1
  flush_policies "$2" "$3" "$4"
  return 0
}
