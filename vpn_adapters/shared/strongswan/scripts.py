"""Shell scripts of IPsec; constants, what varies is passed as positional parameters."""

from __future__ import annotations

# The profiles that Debian and Ubuntu ship for AppArmor confine charon and swanctl to the system's own configuration and
# sockets. These are other instances with files of their own: they are started without those profiles, which stay as
# they are for the system's. Source: aa-exec(1); the kernel's Documentation/admin-guide/LSM/apparmor.rst. $folder: the
# tunnel's own folder.
TOOLS = """\
folder=$1
STRONGSWAN_CONF=$folder/strongswan.conf
SWANCTL_DIR=$folder/swanctl
export STRONGSWAN_CONF SWANCTL_DIR
own_program() {
  for attribute in /proc/self/attr/apparmor/exec /proc/self/attr/exec; do
    if { printf 'exec unconfined' > "$attribute"; } 2> /dev/null; then break; fi
  done
  exec "$@"
}
ask() (
  own_program swanctl "$@" --uri "unix://$folder/charon.vici"
)
"""

# By its environment, which holds the way to our configuration: charon-systemd has no arguments.
STOP = """\
stop_charon() {
  found=
  for process in /proc/[0-9]*; do
    name=
    { read -r name < "$process/comm"; } 2> /dev/null || continue
    [ "$name" = charon-systemd ] || continue
    if grep -q -F -e "STRONGSWAN_CONF=$folder/strongswan.conf" "$process/environ" 2> /dev/null; then
      found="$found ${process#/proc/}"
    fi
  done
  [ -z "$found" ] || kill -s "$1" $found 2> /dev/null
  n=0
  for process in $found; do
    while kill -0 "$process" 2> /dev/null; do
      n=$((n + 1))
      if [ "$n" -gt 60 ]; then kill -s KILL "$process" 2> /dev/null; fi
      if [ "$n" -gt 100 ]; then echo "charon does not end" >&2; exit 1; fi
      sleep 0.05 2> /dev/null || sleep 1
    done
  done
}
"""

# Of the kernel's states only those with our number, of its policies only those for our two addresses and L2TPv3.
# Nothing of them is ever printed: `ip xfrm state` shows keys.
FLUSH = """\
flush_kernel() {
  [ -e /proc/net/xfrm_stat ] || return 0
  ip xfrm state deleteall reqid "$1" > /dev/null 2>&1
  for direction in in out fwd; do
    ip xfrm policy deleteall src "$2/32" dst "$3/32" proto "$4" dir "$direction" > /dev/null 2>&1
    ip xfrm policy deleteall src "$3/32" dst "$2/32" proto "$4" dir "$direction" > /dev/null 2>&1
  done
  return 0
}
"""

# charon changes one setting of the kernel, which outlives it.
START_SCRIPT = (
    TOOLS
    + """\
umask 077
modprobe -a esp4 xfrm_user 2> /dev/null
if [ ! -e "$folder/xfrm_acq_expires" ]; then
  cat /proc/sys/net/core/xfrm_acq_expires > "$folder/xfrm_acq_expires" 2> /dev/null
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
"""
)
"""Starts charon and gives it the host's key. $1: the tunnel's own folder."""

STOP_SCRIPT = (
    TOOLS
    + STOP
    + FLUSH
    + """\
stop_charon TERM
flush_kernel "$2" "$3" "$4" "$5"
if [ -s "$folder/xfrm_acq_expires" ]; then cat "$folder/xfrm_acq_expires" > /proc/sys/net/core/xfrm_acq_expires; fi
rm -f "$folder/xfrm_acq_expires" "$folder/charon.vici" "$folder/charon.log" "$folder/charon.out" "$folder/swanctl.log"
"""
)
"""$1: the tunnel's own folder; $2 number of our states; $3 and $4 the two addresses; $5 IP protocol."""

BREAK_STOP_SCRIPT = TOOLS + STOP + FLUSH + 'stop_charon TERM\nflush_kernel "$2" "$3" "$4" "$5"\n'
"""Like STOP_SCRIPT, without clearing up."""

BREAK_KILL_SCRIPT = TOOLS + STOP + "stop_charon KILL\n"

# swanctl ignores what it does not understand, keeps what was loaded before, and says so in its exit status only.
LOAD_SCRIPT = (
    TOOLS
    + """\
if ! ask --load-conns --file "$folder/swanctl.conf" > "$folder/swanctl.log" 2>&1; then
  cat "$folder/swanctl.log" >&2
  exit 1
fi
"""
)

# The peer may not be ready yet: then it does not answer, or does not know us. Where both have agreed on IKE, a refused
# child means that the suite does not work. Attempts have a deadline each, because swanctl waits without end.
INITIATE_SCRIPT = (
    LOAD_SCRIPT
    + """\
read -r now rest < /proc/uptime
until=$((${now%.*} + $2))
while :; do
  if ask --initiate --child tunnelmark --timeout 8 > "$folder/swanctl.log" 2>&1; then exit 0; fi
  said=$(cat "$folder/swanctl.log")
  case $said in
    *"no CHILD_SA built"* | *"not supported by kernel"* | *"unable to install"*) break;;
    *"failed to establish CHILD_SA"*) break;;
  esac
  read -r now rest < /proc/uptime
  if [ "${now%.*}" -ge "$until" ]; then break; fi
  ask --terminate --ike tunnelmark --force --timeout 1 > /dev/null 2>&1
  sleep 0.1 2> /dev/null || sleep 1
done
printf '%s\\n' "$said" >&2
grep -E 'no CHILD_SA built|not supported by kernel|unable to install|notify error' "$folder/swanctl.log" | tail -n 1 >&2
exit 1
"""
)
"""Loads the connection and negotiates. $1: the tunnel's own folder; $2: for how many seconds to try."""

TERMINATE_SCRIPT = (
    TOOLS
    + """\
[ -S "$folder/charon.vici" ] || exit 0
ask --terminate --ike tunnelmark --force --timeout 2 > /dev/null 2>&1
exit 0
"""
)

LIST_SCRIPT = TOOLS + "ask --list-sas --ike tunnelmark 2> /dev/null\n"

HANDSHAKE_SCRIPT = (
    TOOLS
    + """\
age=$(ask --list-sas --ike tunnelmark 2> /dev/null | sed -n 's/.*established \\([0-9]*\\)s ago.*/\\1/p' | head -n 1)
[ -z "$age" ] || echo "$(($(date +%s) - age))"
"""
)
