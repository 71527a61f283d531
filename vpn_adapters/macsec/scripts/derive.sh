# derive, as in derive-key.sh, for static keys.
# One key per direction and suite, and new ones each time: packet numbers begin anew with the interface, and a key must
# never be used twice with the same number. Both ends count how often they did this. Source: SP 800-38D section 8.

count=0
if [ -e "$folder/macsec.count" ]; then read -r count < "$folder/macsec.count"; fi
count=$((count + 1))
echo "$count" > "$folder/macsec.count"
# @include derive-key.sh
