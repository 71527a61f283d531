# Restores an interface between a gateway and a node once no tunnel of a group needs it any more. Arguments: FOLDER USER
# INTERFACE.

# @include gro.sh
# @include setting.sh
[ -d "$1" ] || exit 0
hold "$1" "link/$3"
rm -f "$key.users/$2"
[ -z "$(ls -A "$key.users" 2>/dev/null)" ] || exit 0
[ -e "$key.old" ] || exit 0
read -r old < "$key.old"
if [ -s "$key.gro" ] && [ -e "/sys/class/net/$3" ]; then gro "$3" "$(cat "$key.gro")" || exit 1; fi
if [ "$old" = down ] && [ -e "/sys/class/net/$3" ]; then ip link set "$3" down || exit 1; fi
rm -f "$key.old" "$key.gro" "$key.gro.new"
exit 0
