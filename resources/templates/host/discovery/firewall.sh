# The kinds of firewall that are in use. /proc/net/ip_tables_names lists tables in use; nft would load its module, so it
# is asked only where that is there.
# @include path.sh
[ ! -d /sys/module/nf_tables ] || [ -z "$(nft list tables 2>/dev/null)" ] || echo nftables
for file in /proc/net/ip_tables_names /proc/net/ip6_tables_names; do
    { read -r _ <"$file"; } 2>/dev/null && echo iptables && break
done
for folder in /sys/fs/cgroup /sys/fs/cgroup/systemd; do
    [ ! -d "$folder/system.slice/firewalld.service" ] || echo firewalld
done
[ ! -r /etc/ufw/ufw.conf ] || ! grep -qi '^ENABLED=yes' /etc/ufw/ufw.conf || echo ufw
true
