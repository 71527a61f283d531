# has_sizes TABLE MSS_IPV4 MSS_IPV6: whether a table of clamp.sh, as nft lists it, has all its rules with these sizes.
# Source: nft 0.9.8, 1.0.6 and 1.1.3 (`tcp option maxseg size set 1414`).
has_sizes() {
    sizes_left=$1
    sizes_found=
    while :; do
        case $sizes_left in *"maxseg size set "*) ;; *) break ;; esac
        sizes_left=${sizes_left#*"maxseg size set "}
        sizes_found="$sizes_found ${sizes_left%%[!0-9]*}"
    done
    [ "$sizes_found" = " $2 $3 $2 $3" ]
}

# is_clamped NOTES FAMILY TABLE TUNNEL MSS_IPV4 MSS_IPV6: whether the table is there as clamp.sh makes it. Where that one
# noted that this nft lists the sizes otherwise, the table alone counts: else it would be made again and again.
is_clamped() {
    listed_table=$(nft list table "$2" "$3" 2> /dev/null) || return 1
    has_sizes "$listed_table" "$5" "$6" || { [ -n "$1" ] && [ -e "$1/clamp-unread" ]; }
}
