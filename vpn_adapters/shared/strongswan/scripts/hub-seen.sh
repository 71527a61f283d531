# Prints what the hub saw. Argument: LOG. Source: strongSwan 5.9 and 6.0: charon's messages on CHILD_SAs, cookies and blocked peers.

echo "clock $(date +%s)"
echo "seen $(grep -c 'CHILD_SA tunnelmark{[0-9]*} established with SPIs' "$1")"
for words in 'N(COOKIE)' 'peer too aggressive'; do
  count=$(grep -v 'parsed' "$1" | grep -c -F "$words")
  if [ "$count" -gt 0 ]; then echo "limiter $count charon: $words"; fi
done
exit 0
