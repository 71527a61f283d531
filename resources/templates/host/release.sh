# release: ends the timer and gives the host free again. The folder gets another name first, at once, so that nobody
# ever sees half of it.
release() {
    if read -r watcher 2> /dev/null < "$state/watcher" && is_running "$watcher" && [ "${watcher%%:*}" != "$$" ]; then
        # The timer leads a process group of its own, with its `sleep` in it.
        kill -s TERM -- "-${watcher%%:*}" 2> /dev/null || kill -s TERM "${watcher%%:*}" 2> /dev/null
        tries=0
        while is_running "$watcher" && [ "$tries" -lt 20 ]; do
            nap
            tries=$((tries + 1))
        done
    fi
    mv "$state" "$state.gone.$1" && rm -rf "$state.gone.$1"
}
