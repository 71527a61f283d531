# Shell functions: what a host has. Nothing is changed, and no module loaded.

has() { command -v "$1" >/dev/null 2>&1; }
# has_nf_tables: listing the rules would load it.
has_nf_tables() {
    [ -d /sys/module/nf_tables ] || grep -q '^nf_tables ' /proc/modules 2>/dev/null ||
        grep -q '/nf_tables\.ko' "/lib/modules/$(uname -r)/modules.builtin" 2>/dev/null ||
        grep -q ' nft_do_chain' /proc/kallsyms 2>/dev/null
}
