# Removes the folder $1 of a lock that was never complete; fails where it is by now.
[ ! -e "$1/lease" ] && rm -rf "$1"
