# Changes a setting of the whole host for as long as a tunnel of a group needs it. The first tunnel keeps what it was,
# the last one restores it. Arguments: FOLDER USER FILE VALUE MODULE; FILE is below /proc/sys or /sys/module, MODULE is
# loaded first where it is not empty.

set -e
# @include setting.sh
hold "$1" "$3"
if [ ! -e "$key.old" ]; then
  cat "$3" > "$key.new"
  mv "$key.new" "$key.old"
fi
mkdir -p "$key.users"
: > "$key.users/$2"
if [ -n "$5" ] && [ ! -d "/sys/module/$5" ] && modprobe "$5"; then : > "$key.module"; fi
printf '%s\n' "$4" > "$3"
if [ "$(cat "$3")" != "$4" ]; then echo "$3 does not take $4." >&2; exit 1; fi
