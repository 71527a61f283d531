# Removes the deployment of this host alone, because the other one cannot be reached; or what is left of a deployment
# that was broken off while it was put in place. Arguments: SLOT SEEN OWNER; SEEN is what find.sh printed about the slot.

# @include process.sh
# @include trees.sh
# @include uptime.sh
# @include release.sh
# @include service.sh
# @include slot.sh
# @include removal.sh

main() {
    use_slot "$1"
    detach
    remove_place "$3" "$2"
}

main "$@"
