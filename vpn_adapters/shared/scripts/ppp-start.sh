# Starts a program that makes PPP interfaces, in a mount namespace of its own. Arguments:
# STATE FOLDER MARK SECRET LOG READY_FILE READY_PATTERN PROGRAM [ARGUMENT]...
# STATE is Tunnelmark's folder on this host, FOLDER an empty one below it, MARK the name of a file by which the processes are known
# later, SECRET a line of chap-secrets, or empty; READY_PATTERN is in READY_FILE once the program works.
# pppd reads /etc/ppp/options, chap-secrets and .ppprc of root's home whatever it is given, and runs scripts of /etc/ppp; the programs
# keep sockets and numbers below /run. In the namespace both folders and .ppprc are ours: nothing of the host's is read or written, a
# daemon of its own is not met, and all of it is gone with the last process, however that ended. What sshd starts for a client that has
# not logged in has /run/sshd as its root directory, where the file is too. vtund's locks (/run/lock/vtund) and process id lie below
# /run where /var/lock and /var/run are links into it, as on Debian. Until the folders are there, what starts is known by a word of its
# command line. Source: pppd(8), FILES; mount_namespaces(7).

umask 077
state=$1 own=$2 mark=$3 secret=$4 log=$5 ready=$6 pattern=$7
shift 7
[ -z "$secret" ] || [ -s "$secret" ] || { echo "there is no password" >&2; exit 1; }
[ -d /etc/ppp ] || { echo "there is no folder /etc/ppp" >&2; exit 1; }
modprobe -a ppp_generic ppp_async 2> /dev/null
mkdir -p "$own" && : > "$log" || exit 1
setsid unshare -m sh -c '
  state=$1 own=$2 mark=$3 secret=$4
  shift 4
  mount -t tmpfs -o mode=0700 tmpfs "$own" &&
    mkdir -p "$own/etc" "$own/run/${state##*/}" "$own/run/lock/vtund" "$own/run/pptp" "$own/run/sshd/etc/ppp" "$own/run/xl2tpd" &&
    : > "$own/etc/options" && : > "$own/ppprc" && : > "$own/etc/$mark" && : > "$own/run/sshd/etc/ppp/$mark" && cat ${secret:+"$secret"} > "$own/etc/chap-secrets" < /dev/null &&
    mount -o bind "$own/etc" /etc/ppp && mount -o bind "$state" "$own/run/${state##*/}" &&
    home=$(sed -n "s/^[^:]*:[^:]*:0:[^:]*:[^:]*:\([^:]*\):.*/\1/p" /etc/passwd | head -n 1) || exit 1
  if [ -e "$home/.ppprc" ]; then mount -o bind "$own/ppprc" "$home/.ppprc" || exit 1; fi
  mount -o rbind "$own/run" /run || exit 1
  cd / && exec "$@"
' "start-$mark." "$state" "$own" "$mark" "$secret" "$@" >> "$log" 2>&1 < /dev/null &
n=0
until grep -q -e "$pattern" "$ready" 2> /dev/null; do
  n=$((n + 1))
  if [ "$n" -gt 200 ] || ! kill -0 "$!" 2> /dev/null; then cat "$log" >&2; exit 1; fi
  # BusyBox may know whole seconds only.
  sleep 0.05 2> /dev/null || { sleep 1 && n=$((n + 19)); }
done
