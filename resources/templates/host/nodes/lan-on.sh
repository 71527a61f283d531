# Takes up an interface between a gateway and a node for as long as a tunnel of a group needs it. The first tunnel
# keeps whether it was up, the last one restores it. One that SSH or the default route needs is refused. Arguments:
# FOLDER USER INTERFACE MTU [SINGLE]; packets of MTU bytes must fit, and 0 is for an interface that gets its MTU later.
# With SINGLE its GRO is off meanwhile: netem holds and loses what GRO has joined as if it were one packet.

set -e
# @include gro.sh
# @include needed.sh
# @include setting.sh
refuse_needed "$3"
if [ ! -e "/sys/class/net/$3" ]; then echo "There is no interface named $3." >&2; exit 1; fi
if [ -e "/sys/class/net/$3/master" ]; then echo "$3 is part of another interface." >&2; exit 1; fi
mtu=$(cat "/sys/class/net/$3/mtu")
if [ "$mtu" -lt "$4" ]; then echo "$3 takes packets of $mtu bytes, and $4 are needed." >&2; exit 1; fi
hold "$1" "link/$3"
if [ ! -e "$key.old" ]; then
  flags=$(cat "/sys/class/net/$3/flags")
  # Source: IFF_UP, linux/if.h.
  if [ "$((flags & 1))" -eq 1 ]; then was=up; else was=down; fi
  printf '%s\n' "$was" > "$key.new"
  mv "$key.new" "$key.old"
fi
mkdir -p "$key.users"
: > "$key.users/$2"
if [ -n "$5" ]; then
  if [ ! -e "$key.gro" ]; then
    gro "$3" > "$key.gro.new"
    mv "$key.gro.new" "$key.gro"
  fi
  gro "$3" 0
fi
ip link set "$3" up
