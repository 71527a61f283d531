# Starts charon and gives it the host's key. $1: the tunnel's own folder.
# charon changes one setting of the kernel, which outlives it.

# @include tools.sh
umask 077
modprobe -a esp4 xfrm_user 2> /dev/null
if [ ! -e "$folder/xfrm_acq_expires" ]; then
  cat /proc/sys/net/core/xfrm_acq_expires > "$folder/xfrm_acq_expires" 2> /dev/null
fi
# Both hosts have derived it; without it, or with one that is not whole, a connection that requires it does not come up.
if [ -e "$folder/ike.ppk" ]; then
  [ "$(wc -c < "$folder/ike.ppk")" -eq 45 ] || { echo "$folder/ike.ppk is damaged" >&2; exit 1; }
  printf 'secrets {\n  ppk {\n    id = tunnelmark\n    secret = 0s%s\n  }\n}\n' "$(cat "$folder/ike.ppk")" \
    > "$folder/swanctl/swanctl.conf"
fi
rm -f "$folder/charon.vici"
: > "$folder/charon.log"
(own_program charon-systemd < /dev/null > "$folder/charon.out" 2>&1) &
started=$!
n=0
until [ -S "$folder/charon.vici" ]; do
  n=$((n + 1))
  if [ "$n" -gt 200 ] || ! kill -0 "$started" 2> /dev/null; then
    echo "charon did not start" >&2
    tail -n 5 "$folder/charon.out" "$folder/charon.log" >&2
    exit 1
  fi
  sleep 0.05 2> /dev/null || sleep 1
done
ask --load-creds --noprompt > "$folder/swanctl.log" 2>&1 || { cat "$folder/swanctl.log" >&2; exit 1; }
