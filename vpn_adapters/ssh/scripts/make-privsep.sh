# Makes sshd's folder, where it needs one. $1 sshd, $2 configuration, $3 file that says so.
# sshd wants its folder for unprivileged children, which lies in /run and which the host's own sshd may have made or
# not. Where we made it, it goes again, unless an sshd runs that may count on it by then.

if [ -d /run/sshd ] || ! "$1" -t -f "$2" 2>&1 | grep -q 'privilege separation directory: /run/sshd'; then exit 0; fi
: > "$3" && mkdir -m 0755 /run/sshd
