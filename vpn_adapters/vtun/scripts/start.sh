# Starts vtund. $1 its configuration without the password, $2 the password's line, $3 the configuration that is made of
# both, $4 its log, $5 OpenSSL's configuration or nothing, $6... further arguments.
# In the foreground, since as a daemon it has no log but the system's. The command returns when the daemon reports that it
# runs, and says what is wrong otherwise. A server writes its id into a file that may be that of the host's own vtund.

# @include pid-file.sh
# @include ../../shared/vtund/scripts/live-config.sh
config=$3
log=$4
openssl=$5
shift 5
: > "$log"
[ -z "$openssl" ] || export OPENSSL_CONF="$openssl"
[ "$1" != -s ] || keep_pid_file "$config" || exit 1
setsid vtund -n -f "$config" "$@" >> "$log" 2>&1 < /dev/null &
n=0
status=0
until grep -q -e ' started$' -e '(standalone)$' "$log"; do
  n=$((n + 1))
  if [ "$n" -gt 100 ] || ! kill -0 "$!" 2> /dev/null; then status=1; break; fi
  # BusyBox may know whole seconds only.
  sleep 0.05 2> /dev/null || { sleep 1 && n=$((n + 19)); }
done
restore_pid_file "$config"
[ "$status" -eq 0 ] || cat "$log" >&2
exit "$status"
