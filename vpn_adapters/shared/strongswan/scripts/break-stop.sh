# Stops charon and flushes the kernel. Arguments as in stop.sh.
# @include tools.sh
# @include stop-charon.sh
# @include flush.sh
stop_charon TERM
flush_kernel "$2" "$3" "$4" "$5"
