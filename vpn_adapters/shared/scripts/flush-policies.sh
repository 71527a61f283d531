# flush_policies OWN PEER PROTOCOL: removes the kernel's policies of IPsec between two addresses for a protocol.

flush_policies() {
  for direction in in out fwd; do
    ip xfrm policy deleteall src "$1/32" dst "$2/32" proto "$3" dir "$direction" > /dev/null 2>&1
    ip xfrm policy deleteall src "$2/32" dst "$1/32" proto "$3" dir "$direction" > /dev/null 2>&1
  done
}
