# Kills the server of smoke-server.sh. $1 the tunnel's folder.

# @include ../end-processes.sh
# @include of-name.sh
{ read -r server <"$1/quick.pid"; } 2>/dev/null || exit 0
# shellcheck disable=SC2046 # one number or none
end_processes KILL 20 $(of_name iperf3 "$server")
:
