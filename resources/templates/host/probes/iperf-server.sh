# Two servers of iperf3.
# $1 limit, $2 and $3 ports, $4... the server. Each of the two takes one test and ends.

# @include guard-head.sh
first_port=$1 second_port=$2; shift 2
"$@" -p "$first_port" 2>&1 &
first=$! child=$!
"$@" -p "$second_port" 2>&1 &
second=$! child="$child $!"
echo "@start first $first"
echo "@start second $second"
wait "$first"; echo "@exit first $?"
wait "$second"; echo "@exit second $?"
# @include guard-tail.sh
