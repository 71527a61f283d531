# Routes a network to the other host. Arguments: NETWORK PEER NOTES.

set -e
notes=$3
if [ -n "$(ip route show "$1")" ]; then echo "A route to $1 is already there." >&2; exit 1; fi
[ -d "${notes%/*}" ] || mkdir -m 700 "${notes%/*}" 2>/dev/null || [ -d "${notes%/*}" ]
mkdir -m 700 "$notes"
: > "$notes/route"
ip route add "$1" via "$2"
