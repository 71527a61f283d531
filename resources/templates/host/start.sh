#!/bin/sh
# Tunnelmark: starts the deployment of this folder at boot. Its name is in the file `current`; a
# deployment that was never confirmed has not put its name there, and is removed. Where that file or what it names is
# damaged, or that file is gone and `confirmed` is there, nothing is started and nothing is removed.
#
#     sh start.sh boot     what a service manager runs when the host starts
#     sh start.sh stop     what it runs to stop it
#     sh start.sh aside    takes the tunnel down and lets nothing start it, so that another one replaces it
#     sh start.sh return   starts it again
#     sh start.sh remove   removes everything from this host alone; for a user at its console

# @include folder.sh
# @include process.sh
# @include trees.sh
# @include uptime.sh
# @include release.sh
# @include service.sh
# @include slot.sh
# @include removal.sh

# refuse_damaged: ends here where the deployment that counts is damaged. Nothing of it is run, not even to take it down.
# systemd, which sets INVOCATION_ID, would try again every 2 s.
refuse_damaged() {
    find_place
    [ "$place_is" = damaged ] || return 0
    logger -t tunnelmark "$base: not started, because $missing is missing, empty or not what was installed" 2> /dev/null
    echo "Tunnelmark: $base: not started, because $missing is missing, empty or not what was installed." \
        "Roll it back with tunnelmark undeploy, or restore that file." >&2
    if [ -n "$INVOCATION_ID" ]; then exit 0; fi
    exit 1
}

main() {
    umask 077
    own_folder || exit 1
    base=$folder
    slot=${base##*/}
    # Its folder is removed with all that is in it: a copy of this file elsewhere must not do that.
    is_place=no
    case $base in /etc/tunnelmark/*[!0-9a-f]*) ;; /etc/tunnelmark/????????) is_place=yes ;; esac
    if [ "$is_place" = no ]; then
        echo "Tunnelmark: $base is no slot of a deployment; nothing was done." >&2
        exit 1
    fi
    unit=tunnelmark-$slot
    id=
    read -r id 2> /dev/null < "$base/current"
    if [ "$1" = remove ]; then
        trap '' HUP PIPE
        remove_place "a user at this host's console"
        exit
    fi
    if [ "$1" = boot ]; then
        if [ -e "$base/current" ] || [ -e "$base/confirmed" ]; then
            refuse_damaged
        else
            find_place
            # Of what runs, nothing more must go: a user has to take it down.
            if [ -z "$id" ] || [ ! -d "/run/tunnelmark-$id" ]; then slot_remove; fi
            exit 0
        fi
    fi
    if ! is_id "$id" || [ ! -f "$base/$id/lasting.sh" ]; then exit 0; fi
    case $1 in
        boot)
            # The rollback starts the earlier deployment afterwards.
            if is_retiring "$slot"; then exit 0; fi
            # Nothing of it lies below /run: the host has been started. Else this may have been held up on a busy host since
            # it read which deployment counts, and what appears to be left over is the one that is being built.
            if [ ! -d /run/tunnelmark ] && [ ! -d "/run/tunnelmark-$id" ] && is_current "$id"; then
                for left in "$base"/* "$base"/.[!.]*; do
                    case ${left##*/} in
                        "$id" | current | confirmed | times | start.sh) ;;
                        *) rm -rf "$left" ;;
                    esac
                done
            fi
            exec sh "$base/$id/lasting.sh" run
            ;;
        stop) exec sh "$base/$id/lasting.sh" stop ;;
        aside)
            # A supervisor that is just about to start has no post yet, by which it would be found; see lasting.sh.
            if [ -d /run/tunnelmark ]; then : > "/run/tunnelmark/aside-$slot"; fi
            service_stop
            exec sh "$base/$id/lasting.sh" down
            ;;
        return)
            rm -f "/run/tunnelmark/aside-$slot"
            if ! sh "$base/$id/lasting.sh" standing; then sh "$base/$id/lasting.sh" up; fi
            service_start
            ;;
    esac
}

main "$@"
