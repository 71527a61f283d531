# forget PEER: drops a question for PEER's hardware address that has no answer yet, so that the next packet asks at once. The
# kernel would wait for a second, in which frames cross already. Source: proc_pid_net(5), arp; ATF_COM in linux/if_arp.h.
forget() {
    while read -r address _ flags _ _ device; do
        if [ "$address $flags" = "$1 0x0" ]; then ip neigh del "$1" dev "$device" 2>/dev/null; fi
    done </proc/net/arp
}
