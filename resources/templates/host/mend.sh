# Mending a tunnel that goes on. Expects own (the folder), log_event, up_step, has_interfaces and is_up of lasting.sh.

# mend: makes again what can be made again by itself on a tunnel that goes on, for example a firewall table after a reload
# of the host's rules. Fails where that cannot be done, or where something else has gone: then the tunnel is taken down.
# A reload may flush once more what has just been made: it is made a second time, and not a third.
mend() {
    has_interfaces && mend_steps || return 1
    is_up || { mend_steps && is_up; }
}

# mend_step NUMBER TITLE LIMIT_S RETRY_S INPUT PROGRAM ARGUMENT...
mend_step() {
    up_step "$@" || return 1
    # Some steps say what they did, or that there was nothing to do.
    line=$(tail -n 1 "$own/step-$1")
    case $line in
        "did:") ;;
        "did: "*) log_event "had changed: $2: ${line#did: }" ;;
        *) log_event "had gone and was made again: $2" ;;
    esac
}

# log_rules: logs what the step for rules of the firewall has noted, once.
log_rules() {
    rules_note=
    read -r rules_note 2> /dev/null < "$own/rules"
    if [ "$rules_note" != "$rules_logged" ]; then log_event "firewall: ${rules_note:-rules are as they were}"; fi
    rules_logged=$rules_note
}
