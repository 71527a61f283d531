# protect SPACE LOWER NAME OWN PEER OWN_WAY PEER_WAY: makes an interface with static keys on LOWER, in the namespace SPACE
# or, where it is empty, on the host itself. OWN and PEER are hardware addresses, the ways are names of directions. A guard in
# front of LOWER drops what is not protected: Linux would give it to the host's own IP, past the interface (macsec_handle_frame
# in drivers/net/macsec.c, RX_HANDLER_PASS), and IP takes what is for an address of the host by any interface.
# Expects folder, cipher, mtu, digits, table. Source for the words of `ip`: create.sh.

# @include derive.sh
modprobe macsec 2> /dev/null || :
in_space() {
  space=$1
  shift
  if [ -n "$space" ]; then ip netns exec "$space" "$@"; else "$@"; fi
}
protect() {
  in_space "$1" nft -f - << END
create table netdev $table
add chain netdev $table guard_in { type filter hook ingress device "$2" priority 0; policy drop; }
add rule netdev $table guard_in ether type 0x88e5 accept
END
  # shellcheck disable=SC2016 # expanded by the inner shell
  in_space "$1" sh -c '[ ! -e "$1" ] || echo 1 > "$1"' sh "/proc/sys/net/ipv6/conf/$2/disable_ipv6"
  in_space "$1" ip link set dev "$2" mtu "$((mtu + 32))"
  in_space "$1" ip link add link "$2" name "$3" address "$4" type macsec port 1 cipher "$cipher" icvlen 16 \
    encrypt on send_sci on protect on replay on window 0 validate strict
  if ! {
    printf 'macsec add %s tx sa 0 pn 1 on key 01 %s\n' "$3" "$(derive "$6" "$digits" "$cipher")"
    printf 'macsec add %s rx port 1 address %s\n' "$3" "$5"
    printf 'macsec add %s rx port 1 address %s sa 0 pn 1 on key 02 %s\n' "$3" "$5" "$(derive "$7" "$digits" "$cipher")"
  } | in_space "$1" ip -batch - > /dev/null 2>&1; then
    echo "the kernel did not take MACsec's keys for $cipher" >&2
    exit 1
  fi
  # shellcheck disable=SC2016
  in_space "$1" sh -c '[ ! -e "$1" ] || echo 1 > "$1"' sh "/proc/sys/net/ipv6/conf/$3/disable_ipv6"
  in_space "$1" ip link set dev "$3" mtu "$mtu" up
}
