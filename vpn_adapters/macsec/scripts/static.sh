# Makes the interface with static keys. $1 the tunnel's folder, $2 lower interface, $3 name, $4 own and $5 peer's
# hardware address, $6 cipher, $7 MTU, $8 inner address, $9 digits of a key, then own and peer's direction, own and
# peer's SSCI.

# @include create.sh
digits=$1 own_way=$2 peer_way=$3 own_ssci=$4 peer_ssci=$5
# @include derive.sh
if [ -n "$own_ssci" ]; then
  salt=$(derive salt 24 "$cipher")
  own_number="xpn 1 salt $salt ssci $own_ssci"
  peer_number="xpn 1 salt $salt ssci $peer_ssci"
else
  own_number='pn 1'
  peer_number='pn 1'
fi
if ! {
  printf 'macsec add %s tx sa 0 %s on key 01 %s\n' "$name" "$own_number" "$(derive "$own_way" "$digits" "$cipher")"
  printf 'macsec add %s rx port 1 address %s\n' "$name" "$peer"
  printf 'macsec add %s rx port 1 address %s sa 0 %s on key 02 %s\n' "$name" "$peer" "$peer_number"     "$(derive "$peer_way" "$digits" "$cipher")"
} | ip -batch - > /dev/null 2>&1; then
  echo "the kernel did not take MACsec's keys for $cipher" >&2
  exit 1
fi
# @include configure.sh
ip link set dev "$name" up
