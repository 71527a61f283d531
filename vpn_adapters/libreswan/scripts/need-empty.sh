# need_empty: fails where the kernel has policies or states of IPsec. pluto deletes all of them when it starts, those of
# others as well. The sockets of another IKE daemon have policies as well. Nothing but numbers is printed: `ip xfrm state` shows keys.
# Source: Libreswan 5.2, tried; ip-xfrm(8).
need_empty() {
  policies=$(ip xfrm policy count 2> /dev/null) states=$(ip xfrm state count 2> /dev/null)
  case $states in *"SAD count 0") ;; *) states='' ;; esac
  # shellcheck disable=SC2086 # words, whatever is between them
  if [ -z "$states" ] || [ "$(echo $policies)" != "SPD IN 0 OUT 0 FWD 0" ]; then
    echo "This host has policies or states of IPsec already, and Libreswan deletes all of them when it starts." \
      "Nothing was changed. Stop what made them (see 'ip xfrm policy'), or compare without Libreswan." >&2
    exit 1
  fi
}
