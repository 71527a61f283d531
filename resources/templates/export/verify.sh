# Whether a tunnel that was installed by hand works. Expects home, run_dir and what tunnel.sh includes.

# is_fitted: whether the table that fits TCP to the path is there as it was exported, where one was.
is_fitted() (
    clamp=
    . "$home/about.sh"
    # shellcheck disable=SC2086 # the arguments of clamp.sh
    [ -z "$clamp" ] || is_clamped "$run_dir/.lasting" $clamp
)

# verify SECONDS: waits for it.
verify() {
    uptime_s
    until=$((uptime_now + ${1:-60}))
    while :; do
        if ! sh "$home/lasting.sh" standing 2> /dev/null; then
            what="the tunnel is not up on this host; see $run_dir/.lasting/log"
        elif ! (. "$home/about.sh" && eval "limited 5 $ping") < /dev/null > /dev/null 2>&1; then
            what="the other end does not answer through the tunnel"
        elif ! is_fitted; then
            what="TCP is not fitted to the path, though the tunnel is up: nft or the kernel does not take the table; see $run_dir/.lasting/log"
        else
            echo "The tunnel is up, and the other side answers through it."
            outcome same
            return
        fi
        uptime_s
        [ "$uptime_now" -lt "$until" ] || fail "After ${1:-60} s, $what."
        sleep 1
    done
}
