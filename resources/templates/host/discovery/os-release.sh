# The name and version of the system. Source: os-release(5).
# @include path.sh
cat /etc/os-release 2>/dev/null || cat /usr/lib/os-release
