# Takes back what is rolled out on this host alone, because the other one cannot be reached; with an empty ID, what is
# left of a deployment that was broken off while it was put in place. Arguments: SLOT ID

# @include process.sh
# @include service.sh
# @include removing.sh

main() {
    use_slot "$1"
    stand_alone
    id=$2
    [ -e "$base" ] || exit 0
    is_current "$id" || exit 0
    remove_place
}

main "$@"
