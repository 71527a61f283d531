# Routes a network to the other host. Arguments: NETWORK PEER NOTES.

set -e
notes=$3
[ -d "${notes%/*}" ] || mkdir -m 700 "${notes%/*}" 2>/dev/null || [ -d "${notes%/*}" ]
mkdir -m 700 "$notes"
ip route add "$1" via "$2"
: > "$notes/route"
