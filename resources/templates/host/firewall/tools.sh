# Shell functions and the programs for iptables' two kinds of tables; nothing is changed, and no module loaded.

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C
export PATH LC_ALL
# @include has.sh
old=iptables-legacy new=iptables-nft
if has iptables-save; then
    case $(iptables-save -V 2>/dev/null) in *nf_tables*) has $new-save || new=iptables ;; *) old=iptables ;; esac
fi
