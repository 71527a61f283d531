# Restores a setting of the whole host once no tunnel of a group needs it any more. Arguments: FOLDER USER FILE MODULE.

# @include setting.sh
[ -d "$1" ] || exit 0
hold "$1" "$3"
rm -f "$key.users/$2"
[ -z "$(ls -A "$key.users" 2>/dev/null)" ] || exit 0
if [ -e "$key.old" ]; then
  cat "$key.old" > "$3" || exit 1
  rm -f "$key.old"
fi
# A connection that is just ending may still need it; it costs nothing.
if [ -n "$4" ] && [ -e "$key.module" ]; then modprobe -r "$4" 2>/dev/null; rm -f "$key.module"; fi
exit 0
