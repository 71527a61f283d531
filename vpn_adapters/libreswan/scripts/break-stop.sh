# Stops pluto, which empties the kernel's tables, and sees to it that they are. Arguments as in stop.sh.
# @include tools.sh
# @include stop-pluto.sh
# @include flush.sh
stop_pluto TERM
flush_kernel "$2" "$3" "$4" "$5"
