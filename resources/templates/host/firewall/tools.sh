# Shell functions and the programs for iptables' two kinds of tables; nothing is changed, and no module loaded.

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" LC_ALL=C
export PATH LC_ALL
has() { command -v "$1" >/dev/null 2>&1; }
has_nf_tables() {
    [ -d /sys/module/nf_tables ] || grep -q '^nf_tables ' /proc/modules 2>/dev/null ||
        grep -q '/nf_tables\.ko' "/lib/modules/$(uname -r)/modules.builtin" 2>/dev/null ||
        grep -q ' nft_do_chain' /proc/kallsyms 2>/dev/null
}
old=iptables-legacy new=iptables-nft
if has iptables-save; then
    case $(iptables-save -V 2>/dev/null) in *nf_tables*) has $new-save || new=iptables ;; *) old=iptables ;; esac
fi
