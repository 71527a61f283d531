# An iperf3 server whose process id is in the tunnel's folder. $1 limit, $2 folder, $3... the server.
# @include guard-head.sh
folder=$1; shift
"$@" >/dev/null 2>&1 &
child=$!
echo "$child" >"$folder/quick.pid"
wait "$child"
rm -f "$folder/quick.pid"
# @include guard-tail.sh
