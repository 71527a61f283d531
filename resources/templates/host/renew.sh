# Renews the lease and prints for how many seconds the rollback timer waits now. Arguments: STATE TUNNEL LEASE_S. Exit status 3: the
# folder is gone or another's; 4: an undo has begun; 5: the lease was over already.
read -r found 2> /dev/null < "$1/id" && [ "$found" = "$2" ] || exit 3
[ ! -e "$1/undo-begun" ] || exit 4
read -r now _ < /proc/uptime
now=${now%.*}
read -r deadline < "$1/lease"
[ "$now" -lt "$deadline" ] || exit 5
# Written over what is there, in place: that needs no space, and 11 bytes are read whole.
printf '%-10d\n' "$((now + $3))" 1<> "$1/lease" || exit 1
read -r deadline < "$1/lease" && echo "waits $((deadline - now))"
