# Starts the server. $1 sshd, $2 configuration, $3 log.

umask 077
: > "$3"
"$1" -f "$2" -E "$3" < /dev/null > /dev/null 2>> "$3" || { cat "$3" >&2; exit 1; }
