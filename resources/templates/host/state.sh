# Prints the status of a deployment on this host, and changes nothing. Arguments: STATE MARK SLOT

# @include process.sh
# @include uptime.sh
# @include snapshot.sh
# @include service.sh
# @include slot.sh
# @include lan/clamp-sizes.sh

# about: who is there, by words and values.
about() {
    echo "id $id"
    if [ -n "$(service_paths)" ]; then
        enabled=yes
        text=$(service_text)
        for path in $(service_paths); do
            if [ ! -e "$path" ]; then enabled=no; fi
            if [ -f "$path" ] && [ ! -L "$path" ] && [ "$(cat "$path")" != "$text" ]; then echo "changed $path"; fi
        done
        echo "enabled $enabled"
    fi
    watcher=
    read -r watcher 2> /dev/null < "$run_dir/.lasting/watcher"
    if [ -n "$watcher" ] && is_running "$watcher"; then echo "watched yes"; fi
    restarts=0
    read -r restarts 2> /dev/null < "$run_dir/.lasting/restarts"
    echo "restarts $restarts"
    for word in connect boot looped; do
        value=
        read -r value 2> /dev/null < "$run_dir/.lasting/$word"
        echo "$word $value"
    done
    # shellcheck disable=SC2086 # the arguments of clamp.sh
    if [ -n "$clamp" ]; then clamped $clamp; fi
    echo "interface $interface"
    # Deployed by a version that took from any sender what was for this session, or with MACsec what was sent again.
    steps=$base/$id/steps.sh
    if grep -q 'l2tp add session' "$steps" && ! grep -q peer_cookie "$steps" || grep -q 'replay on window [1-9]' "$steps"; then
        echo "open yes"
    fi
    for way in rx tx; do
        value=
        read -r value 2> /dev/null < "/sys/class/net/$counted/statistics/${way}_bytes"
        echo "$way $value"
    done
    if [ -e "/sys/class/net/$interface" ] && sh "$base/$id/lasting.sh" standing; then echo "standing yes"; fi
    echo "clock $(date +%s)"
}

# clamped FAMILY TABLE TUNNEL MSS_IPV4 MSS_IPV6: whether the table that fits TCP to the path is there.
clamped() {
    found=missing
    if ! command -v nft > /dev/null; then
        found=no-nft
    elif is_clamped "$run_dir/.lasting" "$@"; then
        found=there
    fi
    echo "clamp $found $4 $5"
}

# changed: files that are not as they were when they were put there, and rules of the firewall. Daemons read those below
# run_dir.
changed() {
    rules=
    read -r rules 2> /dev/null < "$run_dir/.lasting/rules"
    if [ -n "$rules" ]; then echo "rules $rules"; fi
    (cd "$base/$id" && sha256sum -c sums 2> /dev/null | sed -n 's/^\.\/\(.*\): FAILED.*/file \1/p')
    (cd "$base/$id" && find . -type f) | while IFS= read -r file; do
        if [ "$file" != ./sums ] && ! grep -qF "  $file" "$base/$id/sums"; then echo "more ${file#./}"; fi
    done
    (cd "$base/$id/kept" && find . -type f ! -name '.stdin-*' ! -name '.file-*') | while IFS= read -r file; do
        if ! cmp -s "$base/$id/kept/$file" "$run_dir/$file"; then echo "used ${file#./}"; fi
    done
}

# answers: when the peer was lost and came back.
answers() {
    grep 'the other end' "$run_dir/.lasting/log" | tail -n 40
}

certificates() {
    for file in $certificates; do
        end=$(openssl x509 -noout -enddate -in "$file") || continue
        end=$(date -u -d "${end#notAfter=}" +%s) && echo "$end ${file##*/}"
    done
}

main() {
    state=$1
    mark=$2
    slot=$3
    base=/etc/tunnelmark/$slot
    unit=tunnelmark-$slot
    unset TUNNELMARK_RUN
    id=
    run_dir=
    interface=
    counted=
    certificates=
    ping_many=
    handshake=
    guard_table=
    clamp=
    section lock lock
    find_place
    if [ "$place_is" = whole ]; then
        word=$mark
        # shellcheck disable=SC1090 # one of our own files
        . "$base/$id/about.sh"
        mark=$word
        section about about
        section changed changed
        section ping eval "$ping_many"
        section handshake eval "$handshake"
        section certificates certificates
        section answers answers
        if [ -n "$guard_table" ]; then section guard nft list table bridge "$guard_table"; fi
        section log tail -n 50 "$run_dir/.lasting/log"
    elif [ "$place_is" = damaged ]; then
        section damaged printf '%s\n' "$id" "$missing"
    elif [ "$place_is" = unfinished ]; then
        section unfinished echo yes
    fi
    report finished
}

main "$@"
