# uptime_s: sets uptime_now to the whole seconds since the host was started. No change of its clock moves them.
# Source: proc_uptime(5).
uptime_s() {
    read -r uptime_now _ < /proc/uptime
    uptime_now=${uptime_now%.*}
}
