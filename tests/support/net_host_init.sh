#!/bin/sh
# The second half of starting a host made of namespaces: what an init does. /etc/network.sh gives its interfaces their addresses.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
export FAKETIME_TIMESTAMP_FILE=/tmp/clock FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_NO_CACHE=1 NO_FAKE_STAT=1
# Nobody else has its addresses; they count at once.
for name in all default mgmt0 eth1 lan0; do
    if [ -e "/proc/sys/net/ipv6/conf/$name" ]; then echo 0 > "/proc/sys/net/ipv6/conf/$name/accept_dad"; fi
done
# shellcheck disable=SC1091 # lies on the host
. /etc/network.sh
mkdir -m 0755 /run/sshd
/usr/sbin/sshd -D -f /etc/ssh/sshd_config -E /var/log/sshd.log &
# What starts with the host, as this kind of host starts it.
for script in /etc/rc2.d/S??* /etc/init.d/S??*; do
    if [ -x "$script" ]; then "$script" start < /dev/null > /dev/null 2>&1; fi
done
until grep -q ': 00000000:0016 00000000:0000 0A ' /proc/net/tcp; do sleep 0.02; done
echo up
# Waiting is what frees processes whose parents have ended.
while :; do
    sleep 3600 &
    wait "$!"
done
