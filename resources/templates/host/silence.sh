# Silence of the peer: since when it lasts, and for how long it may before this side is started again.
# Expects log_event, answers, uptime_s, limited, own and rounds of lasting.sh, and about.sh's underlay, mark, patience,
# growth, longest, after_peer, idle_s and when_idle.
#
# The ends start again without knowing of each other, and a start of one may end what the other one has just begun. So
# - silence counts from the end of this end's own last start, whatever the reason for it was;
# - A is first. B waits until A's first start has had its time, which B takes from its own (after_peer is its part that
#   does not depend on the host);
# - pauses grow, B's faster than A's: in the end each of B's is more than twice as long as A's longest. Within it A starts
#   at least once and is then left alone for as long as A's own pause lasts, whatever the phase.
# The pauses after the first vary with the side's run id, so that no two sides remain in step.
#
# Where traffic is paid for (idle_s is not empty), a peer that has answered for idle_s is asked again idle_s after its last
# answer. With the first question that it does not answer, silence begins, and the rest is as above. It is asked rarely
# again after its next answer where that was one lost packet, else once it has answered for idle_s anew.

# is_waiting: whether the peer has to be found, or found again.
is_waiting() {
    [ "$is_lost" = yes ] || [ -n "$begun" ]
}

# is_due: whether the peer is asked now: at every call while it has to be found, else at every second one.
is_due() {
    if is_waiting; then return 0; fi
    if is_idle && [ "$is_doubted" = no ]; then
        uptime_s
        [ "$((uptime_now - answered))" -ge "$idle_s" ]
    else
        [ "$((rounds % 2))" -eq 0 ]
    fi
}

# is_idle: whether the peer has answered for so long that it is asked rarely.
is_idle() {
    [ -n "$steady_since" ] && [ "$((answered - steady_since))" -ge "$idle_s" ]
}

# doubt_peer UPTIME_S: the peer is asked often. It was last asked long ago: that it was silent before is not known.
doubt_peer() {
    if is_idle && [ "$is_doubted" = no ]; then
        answered=$1
        quiet_since=$1
    fi
    is_doubted=yes
}

# end_idle: the peer has to answer for idle_s before it is asked rarely again.
end_idle() {
    steady_since=
    is_slow=no
}

# note_steady: the peer has answered. What the tunnel sends by itself becomes rare together with the questions.
note_steady() {
    is_doubted=no
    [ -n "$idle_s" ] || return 0
    steady_since=${steady_since:-$answered}
    [ -n "$when_idle" ] || return 0
    if [ "$is_slow" = no ] && is_idle && eval "limited 5 $when_idle" < /dev/null > /dev/null 2>&1; then is_slow=yes; fi
}

# begin_silence: nothing is known of the peer yet.
begin_silence() {
    uptime_s
    answered=$uptime_now
    is_lost=no
    is_cut=no
    is_doubted=no
    end_idle
    fruitless=0
    seed=$(((0x${mark%????????????} + 977 * patience) % 65537))
    count_anew
}

# count_anew: silence begins now. Sets wait_s to how long it may last.
count_anew() {
    uptime_s
    quiet_since=$uptime_now
    wait_s=$patience
    pause_number=0
    while [ "$pause_number" -lt "$fruitless" ] && [ "$wait_s" -lt "$longest" ]; do
        wait_s=$((wait_s * growth))
        pause_number=$((pause_number + 1))
    done
    if [ "$wait_s" -gt "$longest" ]; then wait_s=$longest; fi
    if [ "$fruitless" -gt 0 ]; then
        seed=$(((seed * 75 + 74) % 65537))
        wait_s=$((wait_s - wait_s * (seed % 100) / 800))
    fi
    [ -n "$after_peer" ] || return 0
    start_s=0
    read -r start_s 2> /dev/null < "$own/start"
    case $start_s in '' | *[!0-9]*) start_s=0 ;; esac
    least_s=$((after_peer + 2 * start_s))
    if [ "$least_s" -gt 60 ]; then least_s=60; fi
    if [ "$wait_s" -lt "$least_s" ]; then wait_s=$least_s; fi
}

# is_silent_too_long: whether it can be reached and has been silent for as long as it may.
is_silent_too_long() {
    uptime_s
    [ "$is_cut" = no ] && [ "$((uptime_now - quiet_since))" -ge "$wait_s" ]
}

# note_connected: writes down how long the last start took until the peer answered, and the host's own start.
note_connected() {
    uptime_s
    if [ -n "$begun" ]; then
        log_event "the other end answers, $((uptime_now - begun)) s after the start"
        echo "$((uptime_now - begun))" > "$own/connect"
        if [ "$is_boot" = yes ]; then echo "$uptime_now" > "$own/boot"; fi
        is_boot=no
    fi
    if [ "$is_new" = no ] && is_waiting; then
        log_event "the other end answers again after $((uptime_now - answered)) s"
    fi
    is_new=no
    is_lost=no
    begun=
}

# note_answer: records when the peer answered, and reports when that changes.
note_answer() {
    uptime_s
    asked=$uptime_now
    if answers; then
        if is_waiting || [ "$is_new" = yes ]; then note_connected; fi
        fruitless=0
        count_anew
        answered=$quiet_since
        note_steady
        return 0
    fi
    doubt_peer "$asked"
    uptime_s
    if [ "$is_lost" = no ] && [ "$((uptime_now - answered))" -ge 5 ]; then
        is_lost=yes
        end_idle
        log_event "the other end does not answer, for $((uptime_now - answered)) s now"
    fi
    # While the way between the hosts is interrupted, nothing that is done here helps; what is given to the daemons to
    # find each other counts from its return.
    if limited 5 ping -c 1 -W 2 "$underlay" < /dev/null > /dev/null 2>&1; then
        if [ "$is_cut" = yes ]; then quiet_since=$uptime_now; fi
        is_cut=no
    else
        is_cut=yes
    fi
    return 1
}
