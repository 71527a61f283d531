# Prints what the hub saw. Argument: LOG. Source: OpenSSH: sshd.c and srclimit.c, messages on MaxStartups and penalties.

echo "clock $(date +%s)"
echo "seen $(grep -c '^Accepted publickey for' "$1")"
for words in MaxStartups 'penalty'; do
  count=$(grep -c -F "$words" "$1")
  if [ "$count" -gt 0 ]; then echo "limiter $count sshd: $words"; fi
done
exit 0
