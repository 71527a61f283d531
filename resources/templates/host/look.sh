# Looks at a host without changing anything on it, not even by loading a kernel module. POSIX sh and BusyBox will do.
# Expects: state (the folder), mark (a word that begins every line that is ours).

say() {
    printf '%s %s\n' "$mark" "$*"
}

# section NAME PROGRAM ARGUMENT...
section() {
    say "section $1"
    shift
    "$@" 2> /dev/null
    printf '\n'
}

lock() {
    [ -d "$state" ] || return 0
    echo "there"
    for name in id since lease watcher undo-begun undone; do
        if [ -e "$state/$name" ]; then
            value=
            read -r value 2> /dev/null < "$state/$name"
            echo "$name $value"
        fi
    done
    if read -r watcher 2> /dev/null < "$state/watcher" && is_running "$watcher"; then echo "watched yes"; fi
    sed 's/^/owner /' "$state/owner" 2> /dev/null
    uptime_s
    echo "now $uptime_now"
}

l2tp() {
    # Asking would load the module where it is not loaded; then there are no tunnels.
    [ -d /sys/module/l2tp_netlink ] || return 0
    ip l2tp show tunnel
    ip l2tp show session
}

firewall() {
    if [ -d /sys/module/nf_tables ]; then nft --stateless list ruleset; fi
    for family in ip ip6; do
        if [ -s "/proc/net/${family}_tables_names" ]; then "${family}tables-save" | grep -v '^#'; fi
    done
}

processes() {
    # The command lines, each after a line with its number; one program for all of them.
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

reach() {
    ip route get "$1"
    if ping -c 1 -W 1 "$1" > /dev/null 2>&1 || ping -c 2 -W 1 "$1" > /dev/null 2>&1; then echo "answers"; fi
}

present() {
    for path in "$@"; do
        if [ -e "$path" ] || [ -L "$path" ]; then echo "$path"; fi
    done
}

# look DEPTH: `quick` or `thorough`.
look() {
    section lock lock
    section user id -u
    section space df -kP "$(dirname -- "$state")"
    section links ip -o link show
    section addresses ip -o addr show
    section routes ip route show table all
    section routes6 ip -6 route show table all
    section rules ip rule show
    section rules6 ip -6 rule show
    section l2tp l2tp
    section firewall firewall
    section sockets cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6
    section processes processes
    if [ "$1" = thorough ]; then
        section services services
        section files files
        section sums sums
    fi
}
