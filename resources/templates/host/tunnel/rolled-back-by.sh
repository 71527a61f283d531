# What rolls a host back: exit status 0 an instance, 3 its rollback timer, 4 a user. Arguments: STATE TUNNEL
# An undo kills the script that builds. The rollback timer begins one when the lease is over, and it alone removes the folder.

read -r found 2> /dev/null < "$1/id" && [ "$found" = "$2" ] || exit 3
[ -e "$1/undo-begun" ] || exit 0
read -r now _ < /proc/uptime
read -r deadline 2> /dev/null < "$1/lease" && [ "${now%.*}" -lt "$deadline" ] && exit 4
exit 3
