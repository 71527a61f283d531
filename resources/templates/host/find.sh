# Says what is in a place of this host, and changes nothing. Arguments: SLOT

# @include service.sh
# @include slot.sh

main() {
    use_slot "$1"
    find_place
    echo "$place_is $id"
}

main "$@"
