# iperf3 in both directions.
# $1 limit, $2 and $3 ports, $4... the client.

# @include guard-head.sh
first_port=$1 second_port=$2; shift 2
run a_to_b "$@" -p "$first_port"
[ "$status" -eq 0 ] && run b_to_a "$@" -p "$second_port" -R
# @include guard-tail.sh
