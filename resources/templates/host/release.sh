# end_hold: removes the table of an injection test whose script was killed; it holds nothing back any more. Without the
# kernel's part of nftables there is none, and asking would load that.
end_hold() {
    if [ -d /sys/module/nf_tables ]; then limited 5 nft delete table ip tunnelmark_hold < /dev/null > /dev/null 2>&1; fi
}

# release TUNNEL: ends the rollback timer and frees the host. The folder gets another name first, at once, so that
# no reader ever sees half of it.
release() {
    end_hold
    if read -r watcher _ 2> /dev/null < "$state/watcher" && [ "${watcher%%:*}" != "$$" ] && is_running "$watcher"; then
        # The rollback timer leads a process group of its own, with its `sleep` in it: that is why not by end_processes.
        kill -s TERM -- "-${watcher%%:*}" 2> /dev/null || kill -s TERM "${watcher%%:*}" 2> /dev/null
    fi
    mv "$state" "$state.gone.$1" && rm -rf "$state.gone.$1"
}
