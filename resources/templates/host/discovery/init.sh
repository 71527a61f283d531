# What starts the host's services.
# @include path.sh
[ ! -d /run/systemd/system ] || { echo systemd; exit 0; }
[ ! -x /sbin/procd ] || echo procd
[ ! -d /run/openrc ] || echo openrc
{ read -r comm </proc/1/comm; } 2>/dev/null && echo "comm $comm"
echo "init $(readlink -f /sbin/init 2>/dev/null)"
[ ! -d /etc/init.d ] || echo init.d
