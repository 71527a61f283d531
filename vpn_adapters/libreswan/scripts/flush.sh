# flush_kernel REQID OWN PEER PROTOCOL: removes what our pluto has given to the kernel, where it was started at all: states with our
# number between our addresses, policies for them and L2TPv3, and those by which it lets IPv6's neighbour discovery pass.
# Nothing of them is ever printed: `ip xfrm state` shows keys. Source: Libreswan 5.2, tried.

# @include ../../shared/scripts/flush-policies.sh
flush_kernel() {
  [ -e "$folder/kernel-is-ours" ] && [ -e /proc/net/xfrm_stat ] || return 0
  ip xfrm state deleteall src "$2" dst "$3" proto esp reqid "$1" > /dev/null 2>&1
  ip xfrm state deleteall src "$3" dst "$2" proto esp reqid "$1" > /dev/null 2>&1
  flush_policies "$2" "$3" "$4"
  for direction in in out fwd; do
    for type in 135 136; do
      ip xfrm policy delete src ::/0 dst ::/0 proto ipv6-icmp type "$type" dir "$direction" > /dev/null 2>&1
    done
  done
  return 0
}
