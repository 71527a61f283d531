# Ends what ppp-start.sh started. Arguments: SIGNAL MARK FOLDER [FILE to remove]...
# Its processes see the file MARK in /etc/ppp, and no others do (or are still to get it, and have a word of it in their command line): they change their names and command lines, and some leave
# their parents. What one of them started meanwhile is found in the next round.

# @include /end-processes.sh

signal=$1 mark=$2 own=$3
shift 3

# is_starting ENTRY: whether a process has not come to its folders yet.
is_starting() {
  name=
  { read -r name < "$1/comm"; } 2> /dev/null || return 1
  case $name in
    sh | dash | ash | bash | busybox | setsid | unshare) grep -q -F -e "start-$mark." "$1/cmdline" 2> /dev/null ;;
    *) return 1 ;;
  esac
}

rounds=0
while :; do
  found=''
  for entry in /proc/[0-9]*; do
    if [ -e "$entry/root/etc/ppp/$mark" ] || is_starting "$entry"; then found="$found ${entry#/proc/}"; fi
  done
  [ -n "$found" ] || break
  rounds=$((rounds + 1))
  [ "$rounds" -le 3 ] || { echo "PPP does not end:$found" >&2; exit 1; }
  # shellcheck disable=SC2086 # one number a word
  end_processes "$signal" 60 $found || { echo "PPP does not end:$found" >&2; exit 1; }
done
[ "$#" -eq 0 ] || rm -f "$@"
if [ -d "$own" ]; then rmdir "$own"; fi
