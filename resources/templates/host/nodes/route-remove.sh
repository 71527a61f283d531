# Removes the route to a network behind the other host. Arguments: NETWORK PEER NOTES. Nothing is done where none was made.

[ -d "$3" ] || exit 0
if [ -e "$3/route" ]; then
  ip route del "$1" via "$2" 2>/dev/null
  if [ -n "$(ip route show "$1" via "$2" 2>/dev/null)" ]; then exit 1; fi
fi
rm -rf "$3"
