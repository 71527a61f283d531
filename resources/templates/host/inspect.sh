# What has to be known before a tunnel is built. Arguments: STATE MARK DEPTH PEER [PATH...]; PEER may be empty

# @include process.sh
# @include uptime.sh
# @include snapshot.sh

# storage FOLDER: prints the type of the file system that a folder is in. Of mounts at one place the last one counts.
# Source: proc_mounts(5).
storage() {
    where=$(cd -- "$1" && pwd -P) || return 0
    longest=
    kind=
    while read -r _ place type _; do
        case $where/ in
            "${place%/}"/*) if [ "${#place}" -ge "${#longest}" ]; then longest=$place kind=$type; fi ;;
        esac
    done < /proc/mounts
    echo "$kind"
}

main() {
    state=$1
    mark=$2
    snapshot "$3"
    section storage storage "${state%/*}"
    if [ -n "$4" ]; then section reach reach "$4"; fi
    shift 4
    section present present "$@"
    report finished
}

main "$@"
