#!/bin/sh
# @header
#
# One end of a layer-2 tunnel. Run it as root, on this host:
#
#     sh tunnel.sh keys      make this host's keys, unless they are there; their private parts never leave this host
#     sh tunnel.sh install   put the files in place, start the tunnel, and let it start with the host
#     sh tunnel.sh verify    see whether the tunnel is up and the other side answers through it
#     sh tunnel.sh undo      remove everything
#
# `install console` says that you are at this host's console: a LAN port that has an address is joined then, although
# it cannot be seen over which interface you are logged in.
#
# Each may be run again at any time. Further verbs are for programs: public, put, activate, start, restart.

# @include ../host/folder.sh
# @include ../host/process.sh
# @include ../host/uptime.sh
# @include ../host/service.sh
# @include ../host/lan/clamp-sizes.sh
# @include ../host/lan/way-in.sh

# @about

fail() {
    echo "$*" >&2
    exit 1
}

# outcome changed|same: what programs search for.
outcome() {
    echo "tunnelmark: $1"
}

# no_stranger: another deployment in this slot must be removed by whatever made it.
no_stranger() {
    current=
    read -r current 2> /dev/null < "$base/current"
    case $current in
        "" | "$id") ;;
        *) fail "Another deployment ($current) is in $base. Remove it first: tunnelmark undeploy, or its own tunnel.sh undo." ;;
    esac
}

# begin_place: the slot's folder. The state of its surroundings is kept, for the undo.
begin_place() {
    [ ! -d "$base" ] || return 0
    times=/run/tunnelmark-times-$slot
    rm -rf "$times" && mkdir "$times" || return 1
    note_times "$times" before || return 1
    mkdir -p "$base" && cp -pR "$times" "$base/times" && rm -rf "$times"
}

# end_place: so that the undo sees whether others have changed the surroundings since.
end_place() {
    [ -d "$base/times" ] || return 0
    note_times "$base/times" after
}

# keys [check]
keys() {
    no_stranger
    if [ -d "$home/kept" ]; then
        outcome same
        return
    fi
    if [ "$1" = check ]; then
        outcome changed
        return
    fi
    [ ! -d "$run_dir" ] || fail "$run_dir is there already: is this tunnel running without its files? Try: sh tunnel.sh undo"
    begin_place || fail "$base cannot be made."
    trap 'rm -rf "$run_dir" "$home/.kept.new"' EXIT
    mkdir "$run_dir" || exit 1
    make_keys || fail "The keys could not be made."
    rm -rf "$home/.kept.new"
    mkdir -p "$home" && cp -pR "$run_dir" "$home/.kept.new" || fail "The keys could not be kept in $home."
    sync
    mv "$home/.kept.new" "$home/kept" || exit 1
    outcome changed
}

# with_keys PROGRAM ARGUMENT...: where the tunnel does not run, its keys are put where its programs expect them.
with_keys() {
    [ -d "$home/kept" ] || fail "There are no keys yet: sh tunnel.sh keys"
    if [ -d "$run_dir" ]; then
        "$@"
        return
    fi
    cp -pR "$home/kept" "$run_dir" || return 1
    "$@"
    with_status=$?
    rm -rf "$run_dir"
    return "$with_status"
}

# mode_is FILE MODE
mode_is() {
    [ -n "$(find "$1" -perm "$2" 2> /dev/null)" ]
}

# put FILE MODE CONTENT [check]: FILE is below the place's folder. With `check`, only says what would be done.
put() {
    no_stranger
    target=$base/$1
    if [ -f "$target" ] && mode_is "$target" "$2" && [ "$(cat "$target" && echo .)" = "$3." ]; then
        outcome same
        return
    fi
    if [ "$4" != check ]; then
        begin_place || fail "$base cannot be made."
        mkdir -p "${target%/*}" || exit 1
        beside=${target%/*}/.${target##*/}.new
        if ! printf '%s' "$3" > "$beside" || ! chmod "$2" "$beside" || ! mv -f "$beside" "$target"; then
            rm -f "$beside"
            fail "$target cannot be written."
        fi
    fi
    outcome changed
}

is_watched() {
    watcher=
    read -r watcher 2> /dev/null < "$run_dir/.lasting/watcher"
    [ -n "$watcher" ] && is_running "$watcher"
}

is_enabled() {
    for path in $(service_paths); do
        if [ ! -e "$path" ] && [ ! -L "$path" ]; then return 1; fi
    done
}

# check_lan_port: the port that is joined with the tunnel is there and free, and no user is logged in over it.
check_lan_port() {
    [ -n "$port" ] || return 0
    [ ! -e "/sys/class/net/$bridge" ] || return 0
    [ -e "/sys/class/net/$port" ] || fail "There is no interface $port."
    if [ -e "/sys/class/net/$port/bridge" ]; then fail "$port is a bridge; name the LAN port itself."; fi
    login=$(ways)
    # shellcheck disable=SC2086 # one word per interface
    walk lower $login
    case $walked in
        *" $port "*) fail "You are logged in over $port: joining it with the tunnel could lock you out." ;;
    esac
    # shellcheck disable=SC2046 # one word per interface
    walk lower $(carries "$own_underlay")
    case $walked in *" $port "*) fail "The tunnel itself runs over $port ($own_underlay)." ;; esac
    if [ -e "/sys/class/net/$port/master" ]; then fail "$port belongs to a bridge or a bond already."; fi
    if [ -n "$login" ] || [ "$is_at_console" = yes ]; then return 0; fi
    walk upper "$port"
    for name in $walked; do
        if has_address "$name"; then
            fail "It cannot be seen over which interface you are logged in, and $name has an address: joining $port with" \
                "the tunnel could lock you out. If you are at this host's console: sh tunnel.sh install console" \
                "(with Ansible: tunnelmark_console)."
        fi
    done
}

# activate [check]: from here on the tunnel starts with the host.
activate() {
    no_stranger
    [ -d "$home/kept" ] && [ -f "$home/lasting.sh" ] && [ -f "$base/start.sh" ] || fail "The files are not in place yet."
    check_lan_port
    sums=$(cd "$home" && find . -type f ! -name sums -exec sha256sum {} +)
    if [ "$current" = "$id" ] && is_enabled && [ "$(cat "$home/sums" 2> /dev/null)" = "$sums" ]; then
        outcome same
        return
    fi
    if [ "$1" != check ]; then
        printf '%s\n' "$sums" > "$home/.sums.new" && mv -f "$home/.sums.new" "$home/sums" || fail "$home cannot be written."
        service_enable || fail "What starts the tunnel with this host could not be put in place."
        end_place
        make_current "$id" || fail "$base cannot be written."
        sync
    fi
    outcome changed
}

# start [check]
start() {
    if is_watched; then
        outcome same
        return
    fi
    if [ "$1" != check ]; then service_start > /dev/null 2>&1 || fail "The tunnel could not be started."; fi
    outcome changed
}

# restart: only what runs; `start` does the rest.
restart() {
    if ! is_watched; then
        outcome same
        return
    fi
    sh "$base/start.sh" aside > /dev/null 2>&1 || fail "The tunnel could not be stopped."
    service_start > /dev/null 2>&1 || fail "The tunnel could not be started."
    outcome changed
}

# @include verify.sh

# undo [check]
undo() {
    no_stranger
    if [ ! -d "$base" ] && [ ! -d "$run_dir" ]; then
        outcome same
        return
    fi
    if [ "$1" != check ]; then
        if [ "$current" = "$id" ] && [ -f "$base/start.sh" ]; then
            sh "$base/start.sh" aside || fail "The tunnel could not be taken down; see $run_dir/.lasting/log"
        fi
        rm -rf "$run_dir"
        slot_remove || fail "$base could not be removed."
    fi
    outcome changed
}

# --- by hand ----------------------------------------------------------------------------------------------------------

# @include values.sh

# fill FILE: prints a file with the values in place of what stands for them.
fill() {
    awk '
        function value(name, line, text) {
            text = ""
            while ((getline line < (values "/" name)) > 0) text = text (text == "" ? "" : "\n") line
            close(values "/" name)
            return text
        }
        BEGIN { values = ENVIRON["TUNNELMARK_VALUES"] }
        {
            while (match($0, /@[a-z0-9-]+-of-[ab]@/)) {
                printf "%s%s", substr($0, 1, RSTART - 1), value(substr($0, RSTART + 1, RLENGTH - 2))
                $0 = substr($0, RSTART + RLENGTH)
            }
            print
        }
    ' "$1"
}

by_hand() {
    own_folder || exit 1
    parts=$folder
    case $1 in
        keys)
            keys
            mkdir -p "$parts/public-of-$side" || exit 1
            with_keys print_values "$parts/public-of-$side" || fail "The public parts could not be printed."
            echo "Give the folder $parts/public-of-$side to the other host: put it beside the tunnel.sh there."
            ;;
        install)
            [ -d "$home/kept" ] || fail "There are no keys yet: sh tunnel.sh keys"
            no_stranger
            TUNNELMARK_VALUES=/run/tunnelmark-values-$slot
            export TUNNELMARK_VALUES
            trap 'rm -rf "$TUNNELMARK_VALUES"' EXIT
            rm -rf "$TUNNELMARK_VALUES" && mkdir "$TUNNELMARK_VALUES" || exit 1
            with_keys print_values "$TUNNELMARK_VALUES" || fail "The public parts of this host's keys cannot be read."
            check_values
            check_lan_port
            was_changed=no
            put_files
            activate
            if [ "$was_changed" = yes ]; then restart; fi
            start
            echo "Installed. When both hosts are: sh tunnel.sh verify"
            ;;
    esac
}

# put_part FILE MODE: one file, by hand.
put_part() {
    filled=$(fill "$parts/root$base/$1" && echo .) || exit 1
    if put "$1" "$2" "${filled%.}" | grep -q changed; then was_changed=yes; fi
    [ -f "$base/$1" ] || exit 1
}

main() {
    umask 077
    unset TUNNELMARK_RUN TUNNELMARK_TUNNEL
    verb=$1
    [ "$#" -eq 0 ] || shift
    is_at_console=no
    case "$verb $*" in "install console" | "activate console" | "activate check console") is_at_console=yes ;; esac
    case $verb in
        keys | public | put | activate | start | restart | verify | undo | install)
            [ "$(id -u)" = 0 ] || fail "This has to be run as root."
            ;;
        *) fail "usage: sh tunnel.sh keys|install|verify|undo" ;;
    esac
    case $verb in
        keys) if [ "$1" = only ]; then keys "$2"; else by_hand keys; fi ;;
        install) by_hand install ;;
        public)
            echo "tunnelmark: begin"
            with_keys print_public "$1" || fail "The public part $1 could not be printed."
            echo "tunnelmark: end"
            ;;
        put) put "$@" ;;
        activate) activate "$@" ;;
        start) start "$@" ;;
        restart) restart ;;
        verify) verify "$@" ;;
        undo) undo "$@" ;;
    esac
}

main "$@"
