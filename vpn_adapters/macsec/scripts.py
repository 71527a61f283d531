"""Shell scripts of MACsec; constants, what varies is passed as positional parameters.

A key is never in the arguments of a program: the shell's own printf writes it, to the stdin of `ip -batch` or into a
file that only root can read. What `ip` says about a line with a key in it is not shown.
"""

from __future__ import annotations

# One key per direction and suite, and new ones each time: packet numbers begin anew with the interface, and a key must
# never be used twice with the same number. Both ends count how often they did this.
# Source: NIST SP 800-56C rev. 2 section 4 (one-step derivation with SHA-256); SP 800-38D section 8.
DERIVE = """\
count=0
if [ -e "$folder/macsec.count" ]; then read -r count < "$folder/macsec.count"; fi
count=$((count + 1))
echo "$count" > "$folder/macsec.count"
secret=
read -r secret < "$folder/macsec.secret" || [ "${#secret}" -eq 64 ]
derive() {
  printf '\\000\\000\\000\\001%s Tunnelmark MACsec %s %s %s' "$secret" "$1" "$3" "$count" | sha256sum | cut -c "1-$2"
}
"""

CONFIGURE = """\
if command -v udevadm > /dev/null 2>&1; then udevadm settle --timeout=3 || :; fi
if [ -e "/proc/sys/net/ipv6/conf/$name/disable_ipv6" ]; then echo 1 > "/proc/sys/net/ipv6/conf/$name/disable_ipv6"; fi
ip addr add "$address" dev "$name"
ip link set dev "$name" mtu "$mtu"
"""

# The hardware address is part of the channel's identifier (SCI): given at once, so that udev does not change it.
# Source: ip-macsec(8); `port` must come before `cipher`. Within a window, Linux takes a packet as often as it comes:
# it only compares its number with the lowest that it takes (drivers/net/macsec.c, macsec_post_decrypt).
CREATE = """\
set -e
umask 077
folder=$1 lower=$2 name=$3 own=$4 peer=$5 cipher=$6 mtu=$7 address=$8
shift 8
modprobe macsec 2> /dev/null || :
ip link add link "$lower" name "$name" address "$own" type macsec port 1 cipher "$cipher" icvlen 16 \
  encrypt on send_sci on protect on replay on window 0 validate strict
"""

STATIC_SCRIPT = (
    CREATE
    + """\
digits=$1 own_way=$2 peer_way=$3 own_ssci=$4 peer_ssci=$5
"""
    + DERIVE
    + """\
if [ -n "$own_ssci" ]; then
  salt=$(derive salt 24 "$cipher")
  own_number="xpn 1 salt $salt ssci $own_ssci"
  peer_number="xpn 1 salt $salt ssci $peer_ssci"
else
  own_number='pn 1'
  peer_number='pn 1'
fi
if ! {
  printf 'macsec add %s tx sa 0 %s on key 01 %s\\n' "$name" "$own_number" "$(derive "$own_way" "$digits" "$cipher")"
  printf 'macsec add %s rx port 1 address %s\\n' "$name" "$peer"
  printf 'macsec add %s rx port 1 address %s sa 0 %s on key 02 %s\\n' "$name" "$peer" "$peer_number" \
    "$(derive "$peer_way" "$digits" "$cipher")"
} | ip -batch - > /dev/null 2>&1; then
  echo "the kernel did not take MACsec's keys for $cipher" >&2
  exit 1
fi
"""
    + CONFIGURE
    + 'ip link set dev "$name" up\n'
)
"""Makes the interface with static keys. $1 the tunnel's folder, $2 lower interface, $3 name, $4 own and $5 peer's
hardware address, $6 cipher, $7 MTU, $8 inner address, $9 digits of a key, then
own and peer's direction, own and peer's SSCI."""

# wpa_supplicant finds the interface that is there, by its channel identifier, and takes it up once there is a key.
AGREED_SCRIPT = (
    CREATE
    + DERIVE
    + """\
cak=$(derive CAK 64 "$cipher")
while IFS= read -r line || [ -n "$line" ]; do
  case $line in
    *mka_cak=*) printf '  mka_cak=%s\\n' "$cak";;
    *) printf '%s\\n' "$line";;
  esac
done < "$folder/wpa_supplicant.conf" > "$folder/wpa_supplicant.secret"
"""
    + CONFIGURE
    + """\
rm -f "$folder/wpa_supplicant.log"
wpa_supplicant -B -D macsec_linux -i "$lower" -c "$folder/wpa_supplicant.secret" -P "$folder/wpa_supplicant.pid" \
  -f "$folder/wpa_supplicant.log" > /dev/null
"""
)
"""Makes the interface and starts wpa_supplicant. Arguments as for STATIC_SCRIPT, $1 to $8."""

STOP = """\
stop_supplicant() {
  found=
  for process in /proc/[0-9]*; do
    comm=
    { read -r comm < "$process/comm"; } 2> /dev/null || continue
    [ "$comm" = wpa_supplicant ] || continue
    if grep -q -F -e "$folder/wpa_supplicant.secret" "$process/cmdline" 2> /dev/null; then
      found="$found ${process#/proc/}"
    fi
  done
  [ -z "$found" ] || kill -s "$1" $found 2> /dev/null
  n=0
  for process in $found; do
    while kill -0 "$process" 2> /dev/null; do
      n=$((n + 1))
      if [ "$n" -gt 60 ]; then kill -s KILL "$process" 2> /dev/null; fi
      if [ "$n" -gt 100 ]; then echo "wpa_supplicant does not end" >&2; exit 1; fi
      sleep 0.05 2> /dev/null || sleep 1
    done
  done
}
"""

REMOVE_SCRIPT = (
    "folder=$2\n"
    + STOP
    + """\
stop_supplicant TERM
rm -f "$folder/wpa_supplicant.secret" "$folder/wpa_supplicant.pid" "$folder/wpa_supplicant.log"
ip link del dev "$1" 2> /dev/null
"""
)
"""$1: the interface; $2: the tunnel's folder. The wait until it has gone follows."""

BREAK_KILL_SCRIPT = "folder=$1\n" + STOP + "stop_supplicant KILL\n"
