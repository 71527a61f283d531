# needed_for INTERFACE: prints what is lost where an interface, or one above it, is taken for a node: `ssh`, the
# connection that this user is logged in over, or `route`, a default route. Prints nothing where neither is.
# @include ../lan/way-in.sh
needed_for() {
  # shellcheck disable=SC2046 # one word per interface
  walk lower $(ways)
  case $walked in *" $1 "*) echo ssh; return ;; esac
  # shellcheck disable=SC2046
  walk lower $({ ip -4 route show default; ip -6 route show default; } 2>/dev/null | sed -n 's/.* dev \([^ ]*\).*/\1/p')
  case $walked in *" $1 "*) echo route ;; esac
}
# refuse_needed INTERFACE: ends this script where an interface must not be taken for a node.
refuse_needed() {
  case $(needed_for "$1") in
    ssh) echo "The SSH connection to this host runs over $1, which so cannot be used for a node." >&2; exit 1 ;;
    route) echo "The default route of this host leaves by $1, which so cannot be used for a node." >&2; exit 1 ;;
  esac
}
