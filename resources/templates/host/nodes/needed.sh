# needed_for INTERFACE: prints what is lost where an interface, or one above it, is taken for a node: `ssh`, the
# connection that this user is logged in over, or `route`, a default route. Prints `unknown` where that cannot be seen:
# it has an address and no connection is found, or `ip` does not show routes. Prints nothing where it is free.
# @include ../lan/way-in.sh
needed_for() {
  login=$(ways) || :
  # shellcheck disable=SC2086 # one word per interface
  walk lower $login
  case $walked in *" $1 "*) echo ssh; return ;; esac
  routes=$(ip -4 route show default 2>/dev/null) || { echo unknown; return; }
  # shellcheck disable=SC2046
  walk lower $({ echo "$routes"; ip -6 route show default 2>/dev/null; } | sed -n 's/.* dev \([^ ]*\).*/\1/p')
  case $walked in *" $1 "*) echo route; return ;; esac
  [ -z "$login" ] || return 0
  walk upper "$1"
  for name in $walked; do
    if has_address "$name"; then echo unknown; return; fi
  done
}
# refuse_needed INTERFACE: ends this script where an interface must not be taken for a node.
refuse_needed() {
  case $(needed_for "$1") in
    ssh) echo "The SSH connection to this host runs over $1, which so cannot be used for a node." >&2; exit 1 ;;
    route) echo "The default route of this host leaves by $1, which so cannot be used for a node." >&2; exit 1 ;;
    unknown) echo "It cannot be seen whether this host needs $1, so it is not used for a node." >&2; exit 1 ;;
  esac
}
