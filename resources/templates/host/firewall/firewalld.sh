# Opens, closes or checks a firewall that firewalld owns.
# $1 what to do, $2 the rich rule, $3 the interface whose zone it is added to, $4 source. The zone may be another one
# when it is removed, so that all zones are searched for it.

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C
export PATH LC_ALL
action=$1 rule=$2 interface=$3 source=$4
zones() {
    all=$(firewall-cmd --list-all-zones 2>/dev/null) || return 1
    printf '%s\n' "$all" | rule=$rule awk '
        BEGIN { rule = ENVIRON["rule"] }
        /^[^ \t]/ { zone = $1 }
        index($0, rule) { print zone }'
}
# Without firewalld its rules are gone, and nothing of it has to be opened.
if [ "$(firewall-cmd --state 2>&1)" != running ]; then exit 0; fi
case $action in
    open)
        found=$(zones) || exit 1
        [ -z "$found" ] || exit 0
        zone=$(firewall-cmd --get-zone-of-source="$source" 2>/dev/null) ||
            zone=$(firewall-cmd --get-zone-of-interface="$interface" 2>/dev/null) ||
            zone=$(firewall-cmd --get-default-zone) || exit 1
        firewall-cmd -q --zone="$zone" --add-rich-rule="$rule" ;;
    close)
        found=$(zones) || exit 1
        for zone in $found; do firewall-cmd -q --zone="$zone" --remove-rich-rule="$rule"; done
        found=$(zones) && [ -z "$found" ] ;;
esac
