# Service that starts a deployment at boot, by whatever this host has for that.
# Expects: slot, base (its folder), unit (tunnelmark-SLOT), see use_slot.

use_slot() {
    slot=$1
    base=/etc/tunnelmark/$slot
    unit=tunnelmark-$slot
}

# is_current ID: whether that deployment is the one that counts.
is_current() {
    current=
    read -r current 2> /dev/null < "$base/current"
    [ "$current" = "$1" ]
}

# make_current ID: makes a deployment the one that counts, in one rename. `confirmed` is written after it and removed
# before it: where `current` is gone and `confirmed` is there, `current` was lost.
make_current() {
    echo "$1" > "$base/.current.new" && mv -f "$base/.current.new" "$base/current" || return 1
    if ! echo "$1" > "$base/.confirmed.new" || ! mv -f "$base/.confirmed.new" "$base/confirmed"; then
        rm -f "$base/.confirmed.new"
    fi
}

# end_current: from here on no deployment of this slot counts.
end_current() {
    rm -f "$base/confirmed" && rm -f "$base/current"
}

# init_kind: prints how services are started here.
init_kind() {
    if [ -d /run/systemd/system ]; then
        echo systemd
    elif [ -d /etc/rc.d ] && [ -e /etc/rc.common ]; then
        echo procd
    elif [ -d /etc/local.d ] && command -v rc-update > /dev/null; then
        echo openrc
    elif [ -d /etc/rc2.d ]; then
        echo sysv
    elif [ -e /etc/init.d/rcS ]; then
        echo busybox
    else
        echo none
    fi
}

# service_paths: prints the files that enabling makes, links last.
service_paths() {
    case $(init_kind) in
        systemd)
            echo "/etc/systemd/system/$unit.service"
            echo "/etc/systemd/system/multi-user.target.wants/$unit.service"
            ;;
        procd) printf '%s\n' "/etc/init.d/$unit" "/etc/rc.d/S99$unit" ;;
        openrc) echo "/etc/local.d/$unit.start" ;;
        sysv)
            echo "/etc/init.d/$unit"
            for level in 2 3 4 5; do
                if [ -d "/etc/rc$level.d" ]; then echo "/etc/rc$level.d/S99$unit"; fi
            done
            ;;
        busybox) echo "/etc/init.d/S99$unit" ;;
    esac
}

# service_text: prints what is run when the host starts.
service_text() {
    if [ "$(init_kind)" = systemd ]; then
        cat << END
[Unit]
Description=Tunnelmark: layer-2 tunnel $slot
After=network.target
ConditionPathExists=$base/start.sh

[Service]
ExecStart=/bin/sh $base/start.sh boot
ExecStop=/bin/sh $base/start.sh stop
KillMode=process
Restart=on-failure
RestartSec=2
TimeoutStopSec=90

[Install]
WantedBy=multi-user.target
END
    else
        cat << END
#!/bin/sh
case \$1 in
    stop) sh $base/start.sh stop ;;
    *) [ ! -e $base/start.sh ] || sh $base/start.sh boot < /dev/null > /dev/null 2>&1 & ;;
esac
END
    fi
}

# service_enable: puts in place what is missing of it. Until the service's file is whole, it lies in the place's own
# folder: what a loss of power leaves is there.
service_enable() {
    first=
    for path in $(service_paths); do
        if [ -z "$first" ]; then
            first=$path
            [ ! -e "$path" ] || continue
            service_text > "$base/.service.new" || return 1
            case $path in *.service) chmod 644 "$base/.service.new" ;; *) chmod 755 "$base/.service.new" ;; esac
            mv -f "$base/.service.new" "$path" || return 1
        elif [ ! -L "$path" ]; then
            [ -d "${path%/*}" ] || mkdir -m 755 "${path%/*}" || return 1
            ln -s "$first" "$path" || return 1
        fi
    done
    [ -n "$first" ]
}

service_disable() {
    # shellcheck disable=SC2046 # paths of our own, without blanks
    set -- $(service_paths)
    if [ "$#" -gt 0 ]; then rm -f "$@"; fi
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
}

# service_start: the watcher; it takes the tunnel as it is.
service_start() {
    if [ -d /run/systemd/system ]; then
        # On a full disk it cannot reload, and may start what it has not read before.
        systemctl daemon-reload
        systemctl start "$unit.service"
    else
        (
            trap '' HUP
            exec < /dev/null > /dev/null 2>&1
            if command -v setsid > /dev/null; then exec setsid sh "$base/start.sh" boot; fi
            exec sh "$base/start.sh" boot
        ) &
    fi
}

service_stop() {
    if [ -d /run/systemd/system ]; then systemctl stop "$unit.service" 2> /dev/null; fi
}

# folders_used: the folders that enabling and disabling change, each once: paths come in the order of their folders.
folders_used() {
    echo /etc
    last=
    for path in $(service_paths); do
        if [ "${path%/*}" != "$last" ]; then echo "${path%/*}"; fi
        last=${path%/*}
    done
}

# note_times FOLDER before|after: keeps in it how these folders are, so that a change by others is seen later.
note_times() {
    number=0
    for folder in $(folders_used); do
        number=$((number + 1))
        touch -r "$folder" "$1/$number.$2" || return 1
    done
}

# slot_remove: removes everything that makes a deployment start, and its folder. The folders around are as if it
# had never been there, unless others have changed them as well.
slot_remove() {
    restore=
    times=$base/times
    # The script that undoes what was broken off has all of them, in $spare.
    if [ -d "${spare:-}" ]; then times=$spare; fi
    number=0
    for folder in $(folders_used); do
        number=$((number + 1))
        before=$times/$number.before
        after=$base/times/$number.after
        [ -e "$before" ] || continue
        # Without the second one, putting it in place was broken off in the very moment of changing these folders.
        if [ ! -e "$after" ] ||
            { [ -z "$(find "$folder" -prune -newer "$after")" ] && [ -z "$(find "$after" -prune -newer "$folder")" ]; }; then
            restore="$restore $number:$folder"
        fi
    done
    kept=/run/tunnelmark-times-$$
    if [ -e "$kept" ]; then rm -rf "$kept"; fi
    if [ -d "$times" ]; then cp -pR "$times" "$kept"; fi
    service_disable
    rm -rf "$base"
    rmdir "${base%/*}" 2> /dev/null
    for item in $restore; do
        touch -r "$kept/${item%%:*}.before" "${item#*:}"
    done
    rm -rf "$kept"
    [ ! -e "$base" ]
}
