# Puts what starts this end with the host beside what may be there of an earlier deployment; nothing of it counts before
# it has been confirmed. What takes it away is written down first. Arguments: STATE TUNNEL SLOT ID.

# @include process.sh
# @include uptime.sh
# @include steps.sh
# @include service.sh

install() {
    is_first=no
    if [ ! -d "$base" ]; then
        is_first=yes
        mkdir -p "$state/times" || return 1
        note_times "$state/times" before || return 1
        mkdir -p "$base" && cp -pR "$state/times" "$base/times" || return 1
    fi
    cp "$state/kit/start.sh" "$base/.start.new" && mv -f "$base/.start.new" "$base/start.sh" || return 1
    service_enable || return 1
    # Nothing below changes these folders any more.
    if [ "$is_first" = yes ]; then note_times "$base/times" after || return 1; fi
    if [ -e "${base:?}/.$id.new" ]; then rm -rf "$base/.$id.new" || return 1; fi
    cp -pR "$state/kit" "$base/.$id.new" || return 1
    rm -f "$base/.$id.new/uninstall.sh" "$base/.$id.new/start.sh"
    (cd "$base/.$id.new" && find . -type f -exec sha256sum {} + > "$state/sums" && cp "$state/sums" sums) || return 1
    mv "$base/.$id.new" "$base/$id" || return 1
    sync
}

main() {
    state=$1
    tunnel=$2
    use_slot "$3"
    id=$4
    umask 077
    trap '' HUP PIPE
    found=
    read -r found 2> /dev/null < "$state/id"
    if [ "$found" != "$tunnel" ]; then give_up taken-back; fi
    start_of "$$"
    echo "$$:$start_time" > "$state/runner" || give_up journal runner
    stop_if_rolled_back
    # Not in `kit/`, which is undone later than this, and before this if all is undone once more.
    cp "$state/kit/uninstall.sh" "$state/uninstall.sh" || give_up journal uninstall.sh
    write_down 0800 60 "sh $state/uninstall.sh $slot $id" "Remove what would start the tunnel with the host"
    if ! install 2> "$state/log/install"; then
        show output "$state/log/install"
        give_up install
    fi
    : > "$state/runner"
    report finished
}

main "$@"
