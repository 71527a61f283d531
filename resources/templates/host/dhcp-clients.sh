# DHCP clients of this host, told by their processes. Expects start_of from process.sh.

# each_client FUNCTION: calls it for each client with PID PROGRAM; words is the client's command line, a word in each line.
# Those of containers are in other networks. Each network has a file of its own there, and any user may compare them.
each_client() {
    for folder in /proc/[0-9]*; do
        program=
        read -r program 2> /dev/null < "$folder/comm" || continue
        case $program in
            dhclient | udhcpc | udhcpc6 | odhcp6c | dhcpcd* | connmand | pump | busybox) ;;
            *) continue ;;
        esac
        # shellcheck disable=SC3013 # dash and BusyBox have -ef
        [ "$folder/net/stat" -ef /proc/self/net/stat ] || continue
        words=$(tr '\0' '\n' 2> /dev/null < "$folder/cmdline")
        if [ "$program" = busybox ]; then
            case $words in busybox"$nl"udhcpc* | */busybox"$nl"udhcpc*) ;; *) continue ;; esac
            program=udhcpc words=${words#*"$nl"}
        fi
        "$1" "${folder#/proc/}" "$program"
    done
}
nl='
'

# read_words PROGRAM: sets served (interfaces), why (what keeps this client from being moved; empty for nothing) and, of
# dhclient, leases and settings (files), of udhcpc, goes_on (whether it does where no server answers).
read_words() {
    served='' why='' leases=/var/lib/dhcp/dhclient.leases settings=/etc/dhcp/dhclient.conf goes_on=
    before=$-
    set -f
    old_ifs=$IFS
    IFS=$nl
    # shellcheck disable=SC2086 # a word in each line
    set -- "$1" $words
    IFS=$old_ifs
    case $before in *f*) ;; *) set +f ;; esac
    first=$1
    shift
    if [ $# -gt 0 ]; then shift; fi
    case $first in
        dhclient) dhclient_words "$@" ;;
        udhcpc) udhcpc_words "$@" ;;
        udhcpc6 | odhcp6c) why=ipv6 served=$(printf '%s ' "$@") ;;
        *) why=program served=$(printf '%s ' "$@") ;;
    esac
    served=${served# }
}

# dhclient_words WORD...: source: dhclient(8) of ISC DHCP 4.4.1 and 4.4.3.
# shellcheck disable=SC2034 # lan-client.sh uses leases
dhclient_words() {
    while [ $# -gt 0 ]; do
        case $1 in
            -lf) leases=$2 ;;
            -cf) settings=$2 ;;
        esac
        case $1 in
            -lf | -cf | -pf | -df | -sf | -e | -C | -H | -F | -V | -R | -timeout) if [ $# -gt 1 ]; then shift; fi ;;
            -4 | -v | -q | -I | -i | -1 | -w | -nw | -B) ;;
            -6) why=ipv6 ;;
            -d) why=service ;;
            -*) why=option ;;
            *) served="$served $1" ;;
        esac
        shift
    done
    [ -z "$served" ] || return 0
    # It serves all that it finds.
    why=several
    for each in /sys/class/net/*; do
        if [ "$each" != /sys/class/net/lo ]; then served="$served ${each##*/}"; fi
    done
}

# udhcpc_words WORD...: source: networking/udhcp/dhcpc.c of BusyBox 1.22 to 1.36.
udhcpc_words() {
    served=eth0
    while [ $# -gt 0 ]; do
        case $1 in
            --interface=*) served=${1#*=} ;;
            --script=*) ;;
            --*) why=option ;;
            -*) udhcpc_letters "${1#-}" "$2" || shift ;;
        esac
        if [ $# -gt 0 ]; then shift; fi
    done
}

# udhcpc_letters LETTERS NEXT: fails where an option's value is the next word.
# shellcheck disable=SC2034 # lan-client.sh uses goes_on
udhcpc_letters() {
    letters=$1
    while [ -n "$letters" ]; do
        letter=${letters%"${letters#?}"}
        letters=${letters#?}
        case $letter in
            a) return 0 ;;
            b) goes_on=yes ;;
            f) why=service ;;
            q) why=option ;;
        esac
        case $letter in [!tTAiPsprVFxOhHc]) continue ;; esac
        value=${letters:-$2}
        case $letter in
            i) served=$value ;;
            P) why=option ;;
        esac
        [ -n "$letters" ]
        return
    done
}

# judge PID PROGRAM: completes why: read_words has been called.
judge() {
    case $served in *" "*) why=${why:-several} ;; esac
    start_of "$1"
    # shellcheck disable=SC2086 # one word per field is what is wanted
    set -- "$1" "$2" ${stat_line##*") "}
    # dhclient 4.4 goes on in a second process, and the first one waits until that has a lease.
    mother=
    read -r mother 2> /dev/null < "/proc/$4/comm"
    if [ "$mother" = dhclient ] && [ "$why" != ipv6 ]; then
        why=waiting
    elif [ "$4" -gt 1 ]; then
        # What a program has started, that program starts again, or waits for.
        why=${why:-parent}
    fi
    case $(sed -n 's/.*[:/]\([^/]*\.service\).*/\1/p' "/proc/$1/cgroup" 2> /dev/null | head -n 1) in
        '' | networking.service | ifup@*.service | tunnelmark-*.service | ssh*.service) ;;
        *) why=${why:-service} ;;
    esac
    [ "$2" = dhclient ] || return 0
    if grep -qsF "\"$served\"" "$settings"; then why=${why:-settings}; fi
    if grep -rqswF -e "$served" /etc/dhcp/dhclient-enter-hooks /etc/dhcp/dhclient-enter-hooks.d \
        /etc/dhcp/dhclient-exit-hooks /etc/dhcp/dhclient-exit-hooks.d; then why=${why:-hooks}; fi
}
