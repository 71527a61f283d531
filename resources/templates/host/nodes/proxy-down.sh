# Ends the proxy, and sends connections to it no more. Arguments: NOTES PROGRAM TABLE. Nothing is done where none was started.

# @include ../end-processes.sh
notes=$1
[ -d "$notes" ] || exit 0
status=0
if nft list table ip "$3" >/dev/null 2>&1; then nft delete table ip "$3" || status=1; fi
pid=
[ ! -e "$notes/pid" ] || read -r pid < "$notes/pid"
if [ -n "$pid" ] && grep -q -F "$2" "/proc/$pid/cmdline" 2>/dev/null; then
  end_processes KILL 50 "$pid"
fi
if [ "$status" -eq 0 ]; then rm -rf "$notes"; fi
exit "$status"
