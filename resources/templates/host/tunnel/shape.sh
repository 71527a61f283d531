# Says whether what an interface sends to one peer can be shaped, shapes it, ends that, or checks that it is so. Other
# packets pass as before, but in short segments.
# "can" is asked before a study between nodes, whose gateways also turn off GRO.
# $1 can, set, unset or check; $2 interface; $3 the peer's IPv4 address, and networks behind it to which packets are
# shaped as well, separated by spaces; $4 file that keeps what the interface had; $5 options of the netem that loses
# packets, separated by spaces, empty where none are lost; $6 file of values that change over time, with the program that
# changes them beside it (.pl), empty where all are fixed; $7 for how many seconds each holds; $8... options of the netem
# that delays and limits packets
# Packets are lost behind the line, as by the link emulator of a practice lab: a lost one has taken its time on it. One
# netem would lose them before, so the second one is the child of the first. Source: netem_enqueue and netem_dequeue in
# net/sched/sch_netem.c: loss is decided when a packet comes; one whose time has come is given to the child.
# netem loses whole packets of a sender with segmentation offload, each many frames long: so the interface gets none
# meanwhile.
# "check" compares with what tc showed right after "set", which is kept beside $4: disciplines, values of netem, filters. Of
# values that change it counts that the program runs which changes them; without the disciplines that ends. It is no daemon
# of the VPN: it has no mark of the tunnel, and its command line does not name the tunnel's folder.
# Only an interface whose queueing is the kernel's own default is shaped: its handle is 0, and it comes back by itself.

# @include ../end-processes.sh
action=$1 device=$2 destinations=$3 kept=$4 losses=$5 changes=$6 step=$7; shift 7
segments() { ip -d link show dev "$device" | sed -n 's/.* gso_max_segs \([0-9]*\).*/\1/p'; }
shape() {  # without what the kernel counts
    { tc qdisc show dev "$device" | grep " 7e5[789]: "; tc filter show dev "$device" parent 7e57:; } 2>/dev/null |
        sed 's/ refcnt [0-9]*//; s/ *(rule hit [^)]*)//; s/ *(success [^)]*)//' |
        case $changes in
            "") cat ;;
            *) sed "s/^\(qdisc netem 7e5[8$(losses_change && echo 9)]: parent [^ ]*\) .*/\1/" ;;
        esac
}
losses_change() { grep -q " 7e59: " "$changes"; }
changing() {  # sets pid to the program that changes values
    pid=
    { [ -s "$kept.pid" ] && read -r pid < "$kept.pid"; } && grep -q -F "$kept.pid" "/proc/$pid/cmdline" 2>/dev/null
}
change() {  # every value once, so that one that tc refuses fails the step
    [ -n "$changes" ] || return 0
    tc -batch "$changes" || return
    (
        unset TUNNELMARK_RUN TUNNELMARK_TUNNEL TUNNELMARK_MEMBER
        cd "${changes%/*}" && exec perl "./${changes##*/}.pl" "${changes##*/}" "$step" "$kept.pid"
    )
}
root() { tc qdisc show dev "$device" 2>/dev/null | grep " root" | head -n 1; }
unable() {  # says why; a kernel without a list of its modules is not judged
    case $(tc -V 2>/dev/null) in
        *iproute2*) ;;
        *) echo "it lacks the program tc of iproute2"; return ;;
    esac
    case "$action $(root)" in
        *" 0: root"*) ;;
        "can qdisc prio 7e57: root"*) ;;  # ours: what is left of a run that died is rolled back before the next one
        *) echo "$device has a queueing discipline of its own: $(root)"; return ;;
    esac
    modules=/lib/modules/$(uname -r)
    for one in sch_prio sch_netem cls_u32; do
        [ -d "/sys/module/$one" ] || [ ! -s "$modules/modules.dep" ] ||
            grep -qs "/$one\.ko" "$modules/modules.dep" "$modules/modules.builtin" ||
            { echo "its kernel lacks the module $one"; return; }
    done
}
lose() {
    # shellcheck disable=SC2086 # one option a word
    [ -z "$losses" ] || tc qdisc add dev "$device" parent 7e58:1 handle 7e59: netem $losses
}
shape_destinations() {  # a packet that no VPN carries between nodes has their addresses, not the peer's
    for one in $destinations; do
        tc filter add dev "$device" parent 7e57: protocol ip prio 1 u32 match ip dst "$one" flowid 7e57:4 || return
    done
}
refuse_unable() {
    why=$(unable)
    [ -z "$why" ] || { echo "$why" >&2; exit 3; }
}
case $action in
    can)
        refuse_unable
        perl -MSocket -e 'exit 0' 2>/dev/null ||
            { echo "it lacks perl, with which GRO is turned off towards a node: install perl-base" >&2; exit 3; }
        ;;
    check)
        [ "$(segments)" = 1 ] && [ -s "$kept.shape" ] && [ "$(shape)" = "$(cat "$kept.shape")" ] &&
            { [ -z "$changes" ] || changing; }
        ;;
    unset)
        status=0
        if [ -n "$changes" ] && changing; then end_processes KILL 50 "$pid" || status=1; fi
        case $(root) in
            "qdisc prio 7e57: root"*) tc qdisc del dev "$device" root || status=1 ;;
        esac
        # A device that is gone has nothing to restore; a new note is of an attempt that ended in between.
        [ -s "$kept" ] || [ ! -s "$kept.new" ] || mv "$kept.new" "$kept"
        if [ -s "$kept" ] && [ -n "$(segments)" ]; then
            read -r old < "$kept"
            ip link set dev "$device" gso_max_segs "$old" || status=1
        fi
        [ "$status" -ne 0 ] || rm -f "$kept" "$kept.new" "$kept.shape" "$kept.pid"
        exit "$status"
        ;;
    set)
        refuse_unable
        [ -z "$changes" ] || perl -MPOSIX -e 'exit 0' 2>/dev/null ||
            { echo "it lacks perl, which changes the values over time: install perl-base" >&2; exit 3; }
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
            lose &&
            shape_destinations &&
            shape > "$kept.shape" &&
            change
        ;;
esac
