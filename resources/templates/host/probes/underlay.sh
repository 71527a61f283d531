# Pings the other host, and says why nothing may cross.
# $1 the other host's address, $2 echo requests. `cut` means that no firewall can be the cause: there is no route, or
# the other host is on the same segment and its address cannot be resolved.

peer=$1 wanted=$2 sent=0 answered=0
command -v ping >/dev/null 2>&1 || wanted=0
while [ "$answered" -eq 0 ] && [ "$sent" -lt "$wanted" ]; do
    sent=$((sent + 1))
    if ping -c 1 -W 1 "$peer" >/dev/null 2>&1; then answered=1; fi
done
echo "pings $sent $answered"
if [ "$answered" -gt 0 ]; then exit; fi
if ! ip route get "$peer" >/dev/null 2>&1; then echo cut; exit; fi
case $(ip neigh show to "$peer" 2>/dev/null) in
    *FAILED* | *INCOMPLETE*) echo cut ;;
esac
