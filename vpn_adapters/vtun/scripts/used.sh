# Which cipher vtund uses. $1 its log, $2 the peer's address inside. The log names it when a frame has been sent.

ping -c 1 -W 1 "$2" > /dev/null 2>&1
cat "$1"
