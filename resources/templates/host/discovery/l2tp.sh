# Asking loads the module of that name, which would be a change: so only where it is there already.
# @include path.sh
[ -d /sys/module/l2tp_netlink ] && ip l2tp show tunnel
