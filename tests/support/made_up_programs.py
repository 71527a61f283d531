"""Programs of a made-up host that replace those that would read or change this computer."""

from __future__ import annotations

_IP = """#!/bin/sh
# ip as far as deploying uses it: links are files below $FAKE_NET.
case "$*" in
    "-o -batch -")
        [ -e "$FAKE_NET/knows-batch" ] || { echo "not known" >&2; exit 1; }
        while read -r line; do
            # shellcheck disable=SC2086
            "$0" -o $line
        done ;;
    "-o link show")
        n=0
        for link in "$FAKE_NET"/links/*; do
            n=$((n + 1))
            echo "$n: ${link##*/}: <UP> mtu 1500"
        done ;;
    "-o addr show") cat "$FAKE_NET/addresses" ;;
    "route show table all" | "-o route show table all") cat "$FAKE_NET/routes" ;;
    "route get "*) grep -q "^default" "$FAKE_NET/routes" && echo "$3 via somewhere" ;;
    "link add "*) [ ! -e "$FAKE_NET/links/$3" ] || { echo "File exists" >&2; exit 2; }; : > "$FAKE_NET/links/$3" ;;
    "link del "*) rm -f "$FAKE_NET/links/$3" ;;
esac
exit 0
"""
_PING = """#!/bin/sh
[ ! -e "$FAKE_NET/deaf" ] && echo "1 packets transmitted, 1 received"
"""
_NOTHING = "#!/bin/sh\nexit 1\n"
# There is no power cut here that it would guard against, and the real one waits for every disk of this computer.
_SYNC = "#!/bin/sh\n"

PROGRAMS = {
    "ip": _IP,
    "ping": _PING,
    "nft": _NOTHING,
    "systemd-run": _NOTHING,
    "logger": _NOTHING,
    "sync": _SYNC,
}
"""Shell scripts by the name that they are called by."""
