# Makes the rollback timer alone the owner of the lock. Arguments: STATE OWNER (what is written). The new text takes the old one's
# place in one moment: a lock without an owner appears to be just being made.
umask 077
read -r owner 2> /dev/null < "$1/owner" && printf '%s\n%s\n' "$owner" "$2" > "$1/.owner.new" || exit 1
mv -f "$1/.owner.new" "$1/owner"
