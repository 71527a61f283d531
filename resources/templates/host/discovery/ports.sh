# protocol|hexadecimal local address:port|state. Source: proc_net(5); 0A is LISTEN, 07 an unconnected UDP socket.
# @include path.sh
for protocol in udp udp6 tcp tcp6; do
    [ -r "/proc/net/$protocol" ] || continue
    while read -r _ local _ state _; do echo "$protocol|$local|$state"; done <"/proc/net/$protocol"
done
