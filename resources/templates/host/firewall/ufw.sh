# Opens, closes or checks a firewall that ufw owns.
# Arguments: those of rule.sh. iptables adds the rule to ufw's first chain: ufw itself takes seconds for each on a slow
# gateway, and does not know every protocol. It is gone after `ufw reload`, as `check` then reports.

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C
export PATH LC_ALL
# @include rule.sh
program=iptables first=ufw-before-input
# Without ufw's chain, after `ufw disable`, nothing of it has to be opened.
if [ "$action" != close ] && ! iptables -w 5 -S "$first" >/dev/null 2>&1; then exit 0; fi
case $action in
    open) with_rule -C "$first" 2>/dev/null || with_rule -I "$first" ;;
    close) ! command -v iptables >/dev/null 2>&1 || remove_from "$first" ;;
    check) with_rule -C "$first" 2>/dev/null ;;
esac
