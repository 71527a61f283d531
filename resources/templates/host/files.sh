# @include intact.sh

# refuse REASON: with files that cannot be relied on, nothing is started, and above all nothing is removed. Expects: verb.
refuse() {
    case $verb in
        down | stop | halt)
            refusal="not taken down, because $1"
            advice="Restart this host, which ends what runs, and then use tunnelmark undeploy; or restore that folder."
            ;;
        *)
            refusal="not started, because $1"
            advice="Remove it with tunnelmark undeploy, or restore that folder."
            ;;
    esac
    logger -t tunnelmark "$home: $refusal" 2> /dev/null
    echo "Tunnelmark: $home: $refusal. $advice" >&2
    exit 1
}

# read_files VERB: sets what is known of the tunnel. What was changed by hand can still be taken down.
read_files() {
    verb=$1
    id=
    slot=
    mark=
    run_dir=
    interface=
    interfaces=
    ping=
    underlay=
    patience=
    growth=
    longest=
    after_peer=
    idle_s=
    when_idle=
    logs=
    guard_table=
    nobody=
    case $1 in
        down | stop | halt) has_all_files "$home" ;;
        *) is_intact "$home" ;;
    esac
    if [ -n "$damaged" ]; then refuse "$damaged is missing, empty or not what was installed"; fi
    # shellcheck disable=SC1091 # lies beside this script
    . "$home/about.sh"
    # shellcheck disable=SC1091
    . "$home/steps.sh"
    # A file of zeros, or one that was cut between two functions, is read without an error, and takes nothing down.
    for name in up_steps down_steps standing_steps mend_steps; do
        command -v "$name" > /dev/null || refuse "$home/steps.sh is not complete"
    done
    if ! is_id "$id" || [ "$run_dir" != "/run/tunnelmark-$id" ]; then refuse "about.sh names no folder of its own"; fi
    if ! is_id "$mark" || [ -z "$slot" ]; then refuse "about.sh is not complete"; fi
    own=$run_dir/.lasting
}
