# Makes a GRE interface for Ethernet frames and sets it up.
# The module makes gre0, gretap0 and erspan0 when it is loaded, which stay until it is unloaded, unless this setting
# (Linux 5.10; Documentation/admin-guide/sysctl/net.rst) is 2. No frame may make its outer packet unfragmentable
# (`ignore-df`), or frames of 1500 bytes would not cross. dash's `read` gets no line of a file in /proc/sys.

set -e
if [ ! -e /sys/module/ip_gre ]; then
  fallback=/proc/sys/net/core/fb_tunnels_only_for_init_net
  before=$(cat "$fallback" 2>/dev/null) || :
  [ -z "$before" ] || echo 2 > "$fallback" 2>/dev/null || before=
  modprobe ip_gre 2>/dev/null || :
  if [ -n "$before" ]; then echo "$before" > "$fallback"; fi
fi
ip link add dev "$1" type gretap local "$5" remote "$6" key "$7" ttl "$8" nopmtudisc ignore-df
# @include configure.sh
