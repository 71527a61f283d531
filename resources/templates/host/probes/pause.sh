# Defines `pause SECONDS`. bash waits for a pipe without a writer: starting `sleep` again and again costs a slow
# host several percent of its CPU, which would be measured as well. It does not hold the channel either way.

if [ -n "${BASH_VERSION:-}" ]; then
    eval 'exec 9<> <(:)'
    # shellcheck disable=SC3045 # bash is asked for first
    pause() { read -r -t "$1" -u 9 _ || :; }
else
    # shellcheck disable=SC2217 # must not hold the channel
    pause() { sleep "$1" </dev/null >/dev/null 2>&1 || sleep 1 </dev/null >/dev/null 2>&1; }
fi
