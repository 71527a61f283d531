# Removal of a firewall table of ours: the undo of what made it.

# remove_table FAMILY TABLE: succeeds where the table is gone. It also does on a host that has no nft any more, with a
# warning: an undo that fails for good would keep the rest of its deployment. Where the table may still be there, nft's
# words are printed. A kernel without nf_tables or without tables of the family has no such table: then protocol, operation
# or address family are not supported (musl: `Not supported`), or nft cannot initialize its cache (invalid argument).
remove_table() {
    if ! command -v nft > /dev/null; then
        echo "tunnelmark: warning: this host has no nft, so its firewall table $2 may still be there:" \
            "install nft and run 'nft delete table $1 $2', or restart the host" >&2
        return 0
    fi
    delete_words=$(LC_ALL=C nft delete table "$1" "$2" 2>&1) && return 0
    if list_words=$(LC_ALL=C nft list table "$1" "$2" 2>&1 > /dev/null); then
        printf '%s\n' "$delete_words" >&2
        return 1
    fi
    case $list_words in *"Error: "*"No such file or directory"*) return 0 ;; esac
    case "$delete_words $list_words" in
        *"ot supported"* | *"cache initialization failed: Invalid argument"*) return 0 ;;
    esac
    printf '%s\n' "$delete_words" "$list_words" >&2
    return 1
}
