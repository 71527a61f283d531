# Ends what ppp-start.sh started. Arguments: SIGNAL MARK FOLDER [FILE to remove]...
# Its processes see the file MARK in /etc/ppp, and no others do: they change their names and command lines, and some leave
# their parents. What one of them started meanwhile is found in the next round.

# @include /end-processes.sh

signal=$1 mark=$2 own=$3
shift 3
rounds=0
while :; do
  found=''
  for entry in /proc/[0-9]*; do
    if [ -e "$entry/root/etc/ppp/$mark" ]; then found="$found ${entry#/proc/}"; fi
  done
  [ -n "$found" ] || break
  rounds=$((rounds + 1))
  [ "$rounds" -le 5 ] || { echo "PPP does not end:$found" >&2; exit 1; }
  # shellcheck disable=SC2086 # one number a word
  end_processes "$signal" 60 $found || { echo "PPP does not end:$found" >&2; exit 1; }
done
[ "$#" -eq 0 ] || rm -f "$@"
if [ -d "$own" ]; then rmdir "$own"; fi
