# Removes the route that freelan has set: it does so itself when it ends, but not when it is killed.
# Arguments: PEER FILE (of note-route.sh)
[ -e "$2" ] || exit 0
ip -4 route del "$1/32" proto static 2>/dev/null
rm -f "$2"
