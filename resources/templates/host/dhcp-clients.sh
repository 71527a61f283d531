# DHCP clients of this host, recognised by their processes. Expects process.sh and roots-files.sh.
#
# Any user can give a process the name and the words of a client, and a set-uid program that he starts may be root's. So a
# client is what runs as root, on the host itself, a program with a client's name that only root can change. Only root
# can ask which program that is; any user can ask for the rest. Of what runs as root in this network and is none for another
# reason, it is not known who chose it: it is reported, and neither started nor ended.

# each_client FUNCTION: calls it for each client with PID PROGRAM; words is the client's command line, a word in each line,
# exe the path of its program (empty where a user asks who is not root), distrust the reason why it is only to be reported
# (empty for a client), and born when it was started.
each_client() {
    is_asked_by_root=
    if is_roots "$$"; then is_asked_by_root=yes; fi
    for folder in /proc/[0-9]*; do
        program=
        read -r program 2> /dev/null < "$folder/comm" || continue
        is_client_name "$program" || continue
        process=${folder#/proc/}
        start_of "$process" || continue
        born=$start_time exe='' distrust=
        is_roots_here "$process" || continue
        if [ -n "$is_asked_by_root" ]; then
            read_program "$process" || distrust=program exe=
            # Before its program was started, the process may have had other words, and been another user.
            is_roots_here "$process" || continue
        fi
        is_hosts "$process" || distrust=program
        words=$(tr '\0\n' '\n\001' 2> /dev/null < "$folder/cmdline")
        # What is ending has neither words nor a program.
        [ -n "$words" ] && drop_applet || continue
        # Its number may have gone to another process meanwhile.
        if is_running "$process:$born"; then "$1" "$process" "$program"; fi
    done
}

is_client_name() {
    case $1 in
        dhclient | udhcpc | udhcpc6 | odhcp6c | dhcpcd* | connmand | pump | busybox*) ;;
        *) return 1 ;;
    esac
}

# is_roots_here PID: whether a process runs as root in this network. Each network has a file of its own at net/stat, which any
# user may compare.
# shellcheck disable=SC3013 # dash and BusyBox have -ef
is_roots_here() {
    is_roots "$1" && [ "/proc/$1/net/stat" -ef /proc/self/net/stat ]
}

# is_hosts PID: whether a process runs on the host itself, and not in a container.
# shellcheck disable=SC3013 # dash and BusyBox have -ef
is_hosts() {
    while read -r status_word _ inner_number _; do
        # It has a number of its own in a namespace below this one.
        if [ "$status_word" = NSpid: ] && [ -n "$inner_number" ]; then return 1; fi
    done 2> /dev/null < "/proc/$1/status"
    [ -n "$is_asked_by_root" ] || return 0
    [ "/proc/$1/root" -ef / ] || return 1
    [ ! -e /proc/self/ns/user ] || [ "/proc/$1/ns/user" -ef /proc/self/ns/user ]
}

# read_program PID: sets exe and program. A program that was removed or replaced still runs; it may be started again from
# where it was, see can_start.
# shellcheck disable=SC3013 # dash and BusyBox have -ef
read_program() {
    exe=$(readlink "/proc/$1/exe") || return 1
    case $exe in
        *" (deleted)")
            exe=${exe%" (deleted)"}
            is_roots_file "$exe" + || return 1
            ;;
        *) is_roots_file "$exe" - && [ "/proc/$1/exe" -ef "$exe" ] || return 1 ;;
    esac
    [ "$real_path" = "$exe" ] && is_client_name "${exe##*/}" || return 1
    program=${exe##*/}
}

# drop_applet: of BusyBox, sets program to the applet, whose name becomes the first word.
drop_applet() {
    case $program in busybox* | udhcpc) ;; *) return 0 ;; esac
    applet=${words%%"$nl"*}
    case ${applet##*/} in
        busybox*)
            words=${words#*"$nl"}
            applet=${words%%"$nl"*}
            ;;
    esac
    case ${applet##*/} in udhcpc | udhcpc6) program=${applet##*/} ;; *) return 1 ;; esac
}
nl='
'
# What stands for a line feed within a word.
mixed=$(printf '\001')

# read_words PROGRAM: sets served (interfaces), why (what keeps this client from being moved; empty for nothing), files (each
# with its kind, see is_roots_file, in a line) and, of dhclient, leases and settings, of udhcpc, goes_on (whether it does
# where no server answers).
read_words() {
    served='' why='' files='' leases='' settings='' goes_on=
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
        connmand) why=program && serve_addressed ;;
        # dhcpcd makes one word of what it shows.
        *) why=program served=$(printf '%s' "$words" | tr '\n' ' ') ;;
    esac
    case $words in *"$mixed"*) why=${why:-option} ;; esac
    if [ "$why" != ipv6 ]; then why=${distrust:-$why}; fi
    served=${served# }
}

# dhclient_words WORD...: source: dhclient(8) of ISC DHCP 4.4.1 and 4.4.3.
# shellcheck disable=SC2034 # lan-client.sh uses leases
dhclient_words() {
    leases=/var/lib/dhcp/dhclient.leases settings=/etc/dhcp/dhclient.conf is_ipv6=
    while [ $# -gt 0 ]; do
        case $1 in
            -lf) leases=$2 ;;
            -cf) settings=$2 ;;
            -sf) files="- $2$nl$files" ;;
            -pf | -df) files="+ $2$nl$files" ;;
            -timeout) why=timeout ;;
        esac
        case $1 in
            -lf | -cf | -pf | -df | -sf | -e | -C | -H | -F | -V | -R | -timeout) if [ $# -gt 1 ]; then shift; fi ;;
            -4 | -v | -q | -I | -i | -1 | -w | -nw | -B) ;;
            -6) is_ipv6=yes ;;
            -d) why=service ;;
            -*) why=option ;;
            *) served="$served $1" ;;
        esac
        shift
    done
    files="+ $leases$nl+ $settings$nl$files"
    if [ -n "$is_ipv6" ]; then
        why=ipv6
    elif [ -z "$served" ]; then
        serve_all
    fi
}

# serve_all: a client that was started for no interface asks for an address for all of them, also for those with a static
# one. It serves those which it has a lease for.
serve_all() {
    why=all
    for each in /sys/class/net/*; do
        each=${each##*/}
        if [ "$each" != lo ] && has_leased "$each"; then served="$served $each"; fi
    done
}

# serve_addressed: connman manages all interfaces, and gives their addresses no end.
serve_addressed() {
    for each in /sys/class/net/*; do
        each=${each##*/}
        if [ "$each" != lo ] && [ -n "$(ip -o -4 addr show dev "$each" 2> /dev/null)" ]; then served="$served $each"; fi
    done
}

# has_leased INTERFACE: whether it has an address with an end, or one that is in the file of leases.
has_leased() {
    shown=$(ip -o -4 addr show dev "$1" 2> /dev/null)
    case $shown in
        '') return 1 ;;
        *" dynamic "*) return 0 ;;
    esac
    for leased in $(fixed_addresses "$1" "$leases"); do
        case $shown in *" inet $leased/"*) return 0 ;; esac
    done
    return 1
}

# fixed_addresses INTERFACE FILE: prints the addresses that dhclient has leases of, the newest last.
fixed_addresses() {
    [ -f "$2" ] || return 0
    if [ -n "$is_asked_by_root" ] && ! is_roots_file "$2" -; then return 0; fi
    is_own=
    while read -r lease_word lease_value _; do
        case "$lease_word $lease_value" in
            "lease {"*) is_own= ;;
            "interface \"$1\";") is_own=yes ;;
            "fixed-address "*)
                lease_value=${lease_value%;}
                case $is_own$lease_value in yes*[!0-9.]* | '' | yes) ;; yes*) echo "$lease_value" ;; esac
                ;;
        esac
    done 2> /dev/null < "$2"
}

# udhcpc_words WORD...: source: networking/udhcp/dhcpc.c of BusyBox 1.22 to 1.36.
udhcpc_words() {
    served=eth0
    while [ $# -gt 0 ]; do
        case $1 in
            --interface=*) served=${1#*=} ;;
            --script=*) files="- ${1#*=}$nl$files" ;;
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
            s) files="- $value$nl$files" ;;
            p) files="+ $value$nl$files" ;;
        esac
        [ -n "$letters" ]
        return
    done
}

# has_roots_files: whether the files of the client whose words were read are such that only root can change them: what root
# reads, runs, appends to or removes by their names.
has_roots_files() {
    while IFS= read -r kind_and_path; do
        [ -n "$kind_and_path" ] || continue
        is_roots_file "${kind_and_path#??}" "${kind_and_path%% *}" || return 1
    done << END
$files
END
}

# is_named_by_environment PID: whether files of dhclient are named there, which are not read.
is_named_by_environment() {
    tr '\0' '\n' 2> /dev/null < "/proc/$1/environ" | grep -q '^PATH_DHCLIENT_'
}

# judge PID PROGRAM: completes why: read_words has been called.
judge() {
    case $served in *" "*) why=${why:-several} ;; esac
    if [ -n "$is_asked_by_root" ]; then
        if is_named_by_environment "$1"; then why=${why:-option}; fi
        has_roots_files || why=${why:-files}
    fi
    start_of "$1"
    # shellcheck disable=SC2086 # one word per field is what is wanted
    set -- "$1" "$2" ${stat_line##*") "}
    # dhclient 4.4 goes on in a second process, and the first one waits until that has a lease.
    mother=
    if is_roots "$4"; then read -r mother 2> /dev/null < "/proc/$4/comm"; fi
    if [ "$mother" = dhclient ] && [ -z "$why" ]; then
        why=waiting
    elif [ "$4" -gt 1 ]; then
        # What a program has started, that program starts again, or waits for.
        why=${why:-parent}
    fi
    case $(sed -n 's/.*[:/]\([^/]*\.service\).*/\1/p' "/proc/$1/cgroup" 2> /dev/null | head -n 1) in
        '' | networking.service | ifup@*.service | tunnelmark-*.service | ssh*.service) ;;
        *) why=${why:-service} ;;
    esac
    # A file that is not root's is not read: it may be a pipe without a writer.
    [ "$2" = dhclient ] && [ -z "$why" ] || return 0
    if grep -qsF "\"$served\"" "$settings"; then why=${why:-settings}; fi
    # In the background, where none has answered: from there, it is as if one had. Source: dhclient.conf(5), 60 s by default.
    if grep -qsE '^([^#]*[;{[:space:]])?timeout[[:space:]]+[123]?[0-9][[:space:]]*;' "$settings"; then why=${why:-timeout}; fi
    if grep -rqswF -e "$served" /etc/dhcp/dhclient-enter-hooks /etc/dhcp/dhclient-enter-hooks.d \
        /etc/dhcp/dhclient-exit-hooks /etc/dhcp/dhclient-exit-hooks.d; then why=${why:-hooks}; fi
}
