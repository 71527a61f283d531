# Prints the file $1, which names the confirmed deployment of a slot; nothing where there is none.
[ ! -e "$1" ] || cat "$1"
