# Takes back what is rolled out on this host alone, because the other one cannot be reached. Arguments: SLOT ID

# @include process.sh
# @include service.sh
# @include removing.sh

main() {
    use_slot "$1"
    stand_alone
    id=$2
    is_current "$id" || exit 0
    remove_place
}

main "$@"
