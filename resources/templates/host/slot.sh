# @include intact.sh

# find_place: what is in a place. Sets place_is to `empty`, `whole`, `unfinished` (it was broken off before it counted, and
# nothing of it runs) or `damaged` (it counts or may run, and a part of it is gone or damaged: missing), and id to the deployment as
# far as that is known. Expects: base.
# shellcheck disable=SC2034 # not every script says what is missing
find_place() {
    place_is=empty
    id=
    missing=
    [ -e "$base" ] || return 0
    read -r id 2> /dev/null < "$base/current"
    # Paths are made of it: what is no name of a deployment is none, and damage.
    if is_id "$id"; then
        place_is=damaged
        if [ ! -d "$base/$id" ]; then
            missing=$base/$id
        elif ! is_intact "$base/$id"; then
            missing=$damaged
        elif ! ends_as_written "$base/start.sh"; then
            missing=$base/start.sh
        else
            place_is=whole
        fi
        return 0
    fi
    id=
    place_is=unfinished
    if [ -e "$base/current" ] || [ -e "$base/confirmed" ]; then
        place_is=damaged
        missing=$base/current
    fi
    if [ ! -e "$base/current" ]; then
        read -r id 2> /dev/null < "$base/confirmed"
        if is_id "$id"; then return 0; fi
        id=
    fi
    for found in "$base"/*/lasting.sh /run/tunnelmark-*; do
        [ -e "$found" ] || continue
        case $found in
            */lasting.sh) found=${found%/lasting.sh} ;;
            *) if [ "$place_is" = damaged ] || ! may_be_ours "${found##*-}"; then continue; fi ;;
        esac
        place_is=damaged
        missing=$base/current
        id=${found##*[/-]}
        # Of several it is the one that runs.
        if [ -d "/run/tunnelmark-$id" ]; then return 0; fi
    done
}

# ends_as_written FILE: whether a script is there up to its last line, which is the first one that does something.
ends_as_written() {
    # shellcheck disable=SC2016 # a line of a script
    [ "$(tail -n 1 "$1" 2> /dev/null)" = 'main "$@"' ]
}

# may_be_ours ID: whether a folder below /run is that of a deployment, and no other slot's.
may_be_ours() {
    case $1 in *[!0-9a-f]*) return 1 ;; ????????????????) ;; *) return 1 ;; esac
    for other in /etc/tunnelmark/*/"$1"; do
        if [ -e "$other" ]; then return 1; fi
    done
}
