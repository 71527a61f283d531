# Prints what the hub saw. Arguments: INTERFACE SINCE. Each attempt sends one echo request, once its keys are agreed on; it is
# counted when it was decrypted. Source: Linux: net/ipv4/proc.c; of two lines the first has the names.

interface=$1 since=$2
echo "clock $(date +%s)"
names=
while read -r kind rest; do
  [ "$kind" = Icmp: ] || continue
  if [ -z "$names" ]; then names=$rest; continue; fi
  # shellcheck disable=SC2086 # one number a word
  set -- $rest
  for name in $names; do
    if [ "$name" = InEchos ]; then echo "seen $1"; fi
    shift
  done
done < /proc/net/snmp
fresh=0
times=$(wg show "$interface" latest-handshakes) || exit 1
while read -r _ when; do
  [ -n "$when" ] || continue
  if [ "$when" -gt 0 ] && [ "$when" -ge "$since" ]; then fresh=$((fresh + 1)); fi
done << END
$times
END
echo "fresh $fresh"
