# Inspects a host without changing anything on it, not even by loading a kernel module. POSIX sh and BusyBox will do.
# Expects: state (the folder), mark (a word that begins every line that is ours).

report() {
    printf '%s %s\n' "$mark" "$*"
}

# section NAME PROGRAM ARGUMENT...
section() {
    report "section $1"
    shift
    "$@" 2> /dev/null
    printf '\n'
}

lock() {
    [ -d "$state" ] || return 0
    echo "there"
    for name in id since lease undo-begun undone; do
        if [ -e "$state/$name" ]; then
            value=
            read -r value 2> /dev/null < "$state/$name"
            echo "$name $value"
        fi
    done
    if read -r watcher _ 2> /dev/null < "$state/watcher" && is_running "$watcher"; then echo "watched yes"; fi
    while IFS= read -r line; do
        echo "owner $line"
    done 2> /dev/null < "$state/owner"
    uptime_s
    echo "now $uptime_now"
}

# network: links, addresses, routes and rules, one line each. iproute2 does all in one go; BusyBox cannot.
network() {
    if ! printf '%s\n' 'link show' 'addr show' 'route show table all' 'rule show' | ip -o -batch -; then
        ip -o link show
        ip -o addr show
        ip route show table all || ip route show
        ip rule show
    fi
}

l2tp() {
    # Asking would load the module where it is not loaded; then there are no tunnels.
    [ -d /sys/module/l2tp_netlink ] || return 0
    ip l2tp show tunnel
    ip l2tp show session
}

# firewall: nftables' rules, and those of the older kind where /proc lists tables of it (its files have no size). Where
# `iptables` itself speaks to nftables, another program shows the older ones.
firewall() {
    if [ -d /sys/module/nf_tables ]; then nft --stateless list ruleset; fi
    for family in ip ip6; do
        read -r _ < "/proc/net/${family}_tables_names" || continue
        program=${family}tables-legacy-save
        if ! command -v "$program" > /dev/null; then program=${family}tables-save; fi
        "$program" | grep -v '^#'
    done
}

rules6() {
    ip -6 rule show
}

# processes: the command lines, each after a line with its number; one program for all of them.
processes() {
    head -c 400 /proc/[0-9]*/cmdline < /dev/null | tr '\0' ' '
}

services() {
    if [ -d /run/systemd/system ]; then
        systemctl list-units --plain --no-legend --no-pager --state=active --type=service,socket,timer | cut -d ' ' -f 1
    elif [ -d /etc/rc.d ]; then
        ls /etc/rc.d
    fi
}

# files: type and mode, owner, size, time of change and path; the best that find, stat and ls of this host offer.
files() {
    set --
    for folder in /etc /usr/local /root /var/lib "$state"; do
        if [ -d "$folder" ]; then set -- "$@" "$folder"; fi
    done
    if find / -maxdepth 0 -printf '' 2> /dev/null; then
        find "$@" -xdev -printf '%M %U:%G %s %T@ %p -> %l\n'
    elif stat -c %A / > /dev/null 2>&1; then
        find "$@" -xdev -exec stat -c '%A %u:%g %s %Y %N' {} +
    else
        find "$@" -xdev -exec ls -ldn {} +
    fi | sort | head -n 40000
}

sums() {
    for folder in /etc /usr/local /root "$state"; do
        if [ -d "$folder" ]; then find "$folder" -xdev -type f -exec sha256sum {} +; fi
    done | sort | head -n 20000
}

# reach ADDRESS: whether it answers, and if not, whether there is a way to it.
reach() {
    if ping -c 1 -W 1 "$1" > /dev/null 2>&1 || ping -c 2 -W 1 "$1" > /dev/null 2>&1; then
        echo "answers"
    elif ip route get "$1" > /dev/null 2>&1; then
        echo "silent"
    else
        echo "no route"
    fi
}

present() {
    for path in "$@"; do
        if [ -e "$path" ] || [ -L "$path" ]; then echo "$path"; fi
    done
}

# `snapshot DEPTH`: `quick` or `thorough`.
snapshot() {
    section lock lock
    section network network
    section l2tp l2tp
    section firewall firewall
    section sockets cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 /proc/net/ipv6_route
    if [ "$1" = thorough ]; then
        section rules6 rules6
        section processes processes
        section services services
        section files files
        section sums sums
    fi
}
