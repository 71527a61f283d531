# Runs xl2tpd in the foreground. $1 its configuration. It refuses comments that begin with '#' (file.c of 1.3.18), so it gets a copy
# without them; /run is a folder that it alone has.

modprobe l2tp_ppp 2> /dev/null
sed '/^#/d' "$1" > /run/xl2tpd/xl2tpd.conf || exit 1
exec xl2tpd -D -c /run/xl2tpd/xl2tpd.conf -s /dev/null -p /run/xl2tpd/xl2tpd.pid -C /run/xl2tpd/l2tp-control
