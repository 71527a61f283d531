# End of a guarded script.

trap '' TERM HUP INT PIPE
kill "$watch" 2>/dev/null
exit 0
