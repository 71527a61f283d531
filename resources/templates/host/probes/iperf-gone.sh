# $1... process ids: ends those that are still iperf3.

# @include ../end-processes.sh
# @include of-name.sh
# shellcheck disable=SC2046 # one number a word
end_processes TERM 40 $(of_name iperf3 "$@")
