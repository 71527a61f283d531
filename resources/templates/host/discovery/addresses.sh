# The addresses of all interfaces.
# @include path.sh
ip -o addr show 2>/dev/null || ifconfig -a
