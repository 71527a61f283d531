# Starts pluto with the tunnel's own configuration, key and control socket. $1: the tunnel's own folder.
# From here on what is in the kernel's tables is ours, which the file kernel-is-ours says: nothing else is ever removed from them.

# @include tools.sh
# @include need-empty.sh
umask 077
modprobe -a esp4 xfrm_user 2> /dev/null
need_empty
mkdir -p "$folder/pluto" && : > "$folder/kernel-is-ours" && : > "$folder/ipsec.secrets" && : > "$folder/pluto.log" || exit 1
"$programs/pluto" --config "$folder/ipsec.conf" --rundir "$folder/pluto" < /dev/null > "$folder/pluto.out" 2>&1 ||
  { tail -n 5 "$folder/pluto.out" "$folder/pluto.log" >&2; exit 1; }
# Its tests of itself take seconds on a small gateway. addconn, which it starts, makes it listen.
n=0
until grep -q 'adding .*interface .*4500' "$folder/pluto.log"; do
  n=$((n + 1))
  if [ "$n" -gt 250 ] || [ ! -S "$folder/pluto/pluto.ctl" ] || grep -q 'bind() .*failed' "$folder/pluto.log"; then
    echo "pluto did not start" >&2
    tail -n 5 "$folder/pluto.out" "$folder/pluto.log" >&2
    exit 1
  fi
  sleep 0.1 2> /dev/null || { sleep 1 && n=$((n + 9)); }
done
