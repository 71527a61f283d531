# Shapes what an interface sends to one peer, ends that, or checks that it is so. Other packets pass as before, but in
# short segments.
# $1 set, unset or check; $2 interface; $3 the peer's IPv4 address; $4 file that keeps what the interface had;
# $5... options of netem
# netem loses whole packets of a sender with segmentation offload, each many frames long: so the interface gets none
# meanwhile.
# Only an interface whose queueing is the kernel's own default is shaped: its handle is 0, and it comes back by itself.

action=$1 device=$2 peer=$3 kept=$4; shift 4
segments() { ip -d link show dev "$device" | sed -n 's/.* gso_max_segs \([0-9]*\).*/\1/p'; }
root() { tc qdisc show dev "$device" 2>/dev/null | grep " root" | head -n 1; }
case $action in
    check)
        tc qdisc show dev "$device" 2>/dev/null | grep -q "^qdisc netem 7e58: parent 7e57:4 " &&
            [ "$(segments)" = 1 ]
        ;;
    unset)
        status=0
        case $(root) in
            "qdisc prio 7e57: root"*) tc qdisc del dev "$device" root || status=1 ;;
        esac
        # A device that is gone has nothing to restore; a new note is of an attempt that ended in between.
        [ -s "$kept" ] || [ ! -s "$kept.new" ] || mv "$kept.new" "$kept"
        if [ -s "$kept" ] && [ -n "$(segments)" ]; then
            read -r old < "$kept"
            ip link set dev "$device" gso_max_segs "$old" || status=1
        fi
        [ "$status" -ne 0 ] || rm -f "$kept" "$kept.new"
        exit "$status"
        ;;
    set)
        case $(root) in
            "qdisc "*" 0: root"*) ;;
            *) echo "$device has a queueing discipline of its own: $(root)" >&2; exit 3 ;;
        esac
        if [ ! -s "$kept" ]; then
            segments > "$kept.new"
            if ! [ -s "$kept.new" ] || ! ip link set dev "$device" gso_max_segs 1; then
                rm -f "$kept.new"
                echo "ip cannot set gso_max_segs of $device: install iproute2 of Debian 11 or newer" >&2
                exit 3
            fi
            mv "$kept.new" "$kept"
        fi
        # One that is built into the kernel is no module.
        modprobe -a sch_prio sch_netem cls_u32 2>/dev/null
        tc qdisc add dev "$device" root handle 7e57: prio bands 4 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1 &&
            tc qdisc add dev "$device" parent 7e57:4 handle 7e58: netem "$@" &&
            tc filter add dev "$device" parent 7e57: protocol ip prio 1 u32 match ip dst "$peer/32" flowid 7e57:4
        ;;
esac
