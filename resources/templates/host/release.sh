# release TUNNEL: ends the timer and gives the host free again. The folder gets another name first, at once, so that
# nobody ever sees half of it.
release() {
    if read -r watcher _ 2> /dev/null < "$state/watcher" && [ "${watcher%%:*}" != "$$" ] && is_running "$watcher"; then
        # The timer leads a process group of its own, with its `sleep` in it.
        kill -s TERM -- "-${watcher%%:*}" 2> /dev/null || kill -s TERM "${watcher%%:*}" 2> /dev/null
    fi
    mv "$state" "$state.gone.$1" && rm -rf "$state.gone.$1"
}
