# Prints what the hub saw. Argument: LOG.
# Source: OpenVPN 2.6.14: src/openvpn/ssl.c and reflect_filter.c, whose words on the limiter end in seconds that vary.

echo "clock $(date +%s)"
echo "seen $(grep -c 'Peer Connection Initiated with' "$1")"
count=$(grep -c 'rate limit exceeded' "$1")
if [ "$count" -gt 0 ]; then
  echo "limiter $count $(sed -n 's/.*\(--connect-freq[a-z-]* [0-9 ]*rate limit exceeded\).*/\1/p' "$1" | head -n 1)"
fi
