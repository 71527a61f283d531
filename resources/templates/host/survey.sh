# What has to be known before a tunnel is built. Arguments: STATE MARK DEPTH PEER [PATH...]; PEER may be empty

# @include process.sh
# @include uptime.sh
# @include look.sh

main() {
    state=$1
    mark=$2
    look "$3"
    if [ -n "$4" ]; then section reach reach "$4"; fi
    shift 4
    section present present "$@"
    say finished
}

main "$@"
