# Opens, closes or checks a firewall that firewalld owns.
# $1 what to do, $2 the rich rule, $3 the interface whose zone it is added to, $4 source, $5 the end of its rule in
# nftables, as a regular expression. The zone may be another one when it is removed, so that all zones are searched for
# it.

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C
export PATH LC_ALL
action=$1 rule=$2 interface=$3 source=$4 accepted=$5
zones() {
    all=$(firewall-cmd --list-all-zones 2>/dev/null) || return 1
    printf '%s\n' "$all" | rule=$rule awk '
        BEGIN { rule = ENVIRON["rule"] }
        /^[^ \t]/ { zone = $1 }
        index($0, rule) { print zone }'
}
# firewalld takes a tenth of a core where it is asked every two seconds. It is asked only where its table has no such rule.
# Without that table it does not run, or uses iptables: nothing is known then.
if [ "$action" = check ]; then
    table=$(nft list table inet firewalld 2> /dev/null) || exit 0
    if printf '%s\n' "$table" | grep -F "ip saddr $source " | grep -Eq "$accepted"; then exit 0; fi
fi
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
    check)
        found=$(zones) || exit 0
        [ -n "$found" ] ;;
    close)
        found=$(zones) || exit 1
        for zone in $found; do firewall-cmd -q --zone="$zone" --remove-rich-rule="$rule"; done
        found=$(zones) && [ -z "$found" ] ;;
esac
