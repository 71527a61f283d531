"""Marked frames through a tunnel: what is sent, and what was answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, LineSink, Stream
from app.domain.link import FRAME_TO_PAYLOAD_BYTES
from app.probes.capture.canary import PAYLOAD_BYTES, CanaryFrames
from app.probes.guard import GUARD_HEAD, GUARD_TAIL, GuardMark, parse_guard_line
from app.probes.ping_lines import Summary, Trouble, parse_ping_line

CONTROLS = 3
LEAK_ECHOES = 10
SIZE_ECHOES = 4
LIMIT_S = 90
BROKEN_S = 40.0
"""What a host may take to send after a breakage, on a busy day, in seconds; the breakage has its own time."""

VLAN_ID = 3_077
"""Any that nobody uses on an interface that was made a moment ago."""

GROUP = "239.255.77.77"
"""A multicast group. Source: RFC 2365 section 6.1, the local scope."""

_VLAN_NETWORK = ("198.18.254.1/30", "198.18.254.2")
"""Nobody has the second: tagged frames are looked for where they arrive, and need no answer. They go to the hardware
address of B, since a tunnel may carry frames only to those that it knows."""

# Nobody answers some of the frames: not every ping then waits for less than a second (-W, iputils 20190515).
_SEND_SCRIPT = (
    GUARD_HEAD
    + r"""
underlay=$1 destination=$2 source=$3 tunnel=$4 vlan=$5
control=$6 inside=$7 separators=$8 pause=$9
shift 9
controls=$1 echoes=$2 size_echoes=$3 payload=$4 vlan_id=$5 vlan_address=$6 vlan_peer=$7 group=$8
shift 8
echo_() { label=$1; shift; run "$label" ping -n -q -A -w 2 "$@"; }
part() {
    [ "$pause" = 0 ] || sleep "$pause" 2>/dev/null || sleep 1
    digits=3$(($1 / 100))3$(($1 / 10 % 10))3$(($1 % 10))
    ping -n -q -c 1 -w 1 -s "$payload" -p "$separators${digits}73" "$underlay" >/dev/null 2>&1
}
briefly() { "$@" >/dev/null 2>&1 & brief="$brief $!"; child="$brief"; }
brief=
linger=1
ping -n -q -c 1 -W 0.3 127.0.0.1 >/dev/null 2>&1 && linger=0.3
echo "#linger $linger"
echo_ control -c "$controls" -s "$payload" -p "$control" "$underlay"
part 0
echo_ leak -c "$echoes" -I "$source" -s "$payload" -p "$inside" "$destination"
part 1
number=1
for size in "$@"; do
    echo_ "size-$size" -c "$size_echoes" -M do -I "$source" -s "$size" -p "$inside" "$destination"
    number=$((number + 1))
    part "$number"
done
if [ -n "$tunnel" ]; then
    ip neigh del "$destination" dev "$tunnel" 2>/dev/null
    echo_ non-ip -c 1 -I "$source" -s "$payload" -p "$inside" "$destination"
    neighbour=$(ip neigh show "$destination" dev "$tunnel" 2>/dev/null)
    echo "#neighbour $neighbour"
    vlan_mac=${neighbour##*lladdr }
    vlan_mac=${vlan_mac%% *}
    modprobe 8021q 2>/dev/null
    if [ -e "/sys/class/net/$vlan" ]; then
        echo "#vlan there is an interface $vlan already"
    elif said=$(ip link add link "$tunnel" name "$vlan" type vlan id "$vlan_id" 2>&1); then
        trap 'ip link del dev "$vlan" 2>/dev/null' EXIT
        off=/proc/sys/net/ipv6/conf/$vlan/disable_ipv6
        [ ! -e "$off" ] || echo 1 >"$off"
        ip addr add "$vlan_address" dev "$vlan"
        ip link set dev "$vlan" mtu 1500 2>/dev/null # Linux does not allow it on every device
        ip link set dev "$vlan" up
        ip neigh replace "$vlan_peer" lladdr "${vlan_mac:-02:00:00:00:00:01}" dev "$vlan"
        briefly ping -n -q -c 1 -W "$linger" -s "$payload" -p "$inside" "$vlan_peer"
        briefly ping -n -q -c 1 -W "$linger" -M do -s 1472 -p "$inside" "$vlan_peer"
        echo "#vlan sent"
    else
        echo "#vlan $said"
    fi
    briefly ping -n -q -c 2 -i 0.05 -W "$linger" -I "$tunnel" -s "$payload" -p "$inside" "$group"
    wait $brief
    child=
    ip link del dev "$vlan" 2>/dev/null
fi
"""
    + GUARD_TAIL
)

# $1 limit, $2 peer's underlay address, $3 peer's inner address, $4 tunnel's interface, $5 control's mark, $6 mark,
# $7 payload, $8 how long an answer is waited for; $9... what breaks the protection, on the host where it is to break.
# By whatever route remains, and once more by the tunnel's interface as such.
_BROKEN_SCRIPT = (
    GUARD_HEAD
    + r"""
underlay=$1 destination=$2 tunnel=$3 control=$4 mark=$5 payload=$6 linger=$7
shift 7
status=0
if [ "$#" -gt 0 ]; then
    said=$("$@" 2>&1 </dev/null)
    status=$?
    printf '#broken %s %s\n' "$status" "${said##*
}"
fi
send() {
    ping -n -q -c 4 -i 0.05 -W "$linger" -s "$payload" -p "$mark" "$destination" 2>&1 &
    first=$! second= child=$!
    if [ -e "/sys/class/net/$tunnel" ]; then
        ping -n -q -c 4 -i 0.05 -W "$linger" -I "$tunnel" -s "$payload" -p "$mark" "$destination" 2>&1 &
        second=$! child="$child $!"
    else
        echo "#gone $tunnel"
    fi
    wait $first $second
    child=
    run control ping -n -q -A -c 2 -w 1 -s "$payload" -p "$control" "$underlay"
}
[ "$status" -ne 0 ] || send
"""
    + GUARD_TAIL
)


BrokenSink = Callable[[int, str], None]
_BROKEN = re.compile(r"#broken (?P<status>[0-9]{1,3}) (?P<words>.*)")


@dataclass(frozen=True, slots=True)
class Sending:
    """What to send from A.

    Attributes:
        underlay: B's underlay address.
        destination: Where probes go.
        source: Where they come from.
        tunnel: A's interface of the tunnel; empty for the bare underlay.
        vlan: Name of the VLAN interface that is made and removed.
        frame_bytes: Frame sizes, in this order.
        is_stream: Whether the carrier acknowledges: then there is a pause before each separator.
    """

    underlay: str
    destination: str
    source: str
    tunnel: str
    vlan: str
    frame_bytes: tuple[int, ...]
    is_stream: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """How many echo requests were sent and answered."""

    sent: int = 0
    received: int = 0


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of it.

    Attributes:
        echoes: Per label: `control`, `leak`, `size-PAYLOAD`, `non-ip`, and `` for those without one.
        neighbour: What the kernel knows of the peer's hardware address after it had to ask again.
        vlan: `sent`, or why no tagged frame could be sent; empty where it was not tried.
        has_tunnel_gone: Whether the tunnel's interface was not there any more.
        refusal: The kernel's words where it sent nothing at all.
        linger_s: How long an answer that does not come is waited for at least, as A's ping takes it, in seconds.
    """

    echoes: Mapping[str, Answered] = field(default_factory=dict)
    neighbour: str = ""
    vlan: str = ""
    has_tunnel_gone: bool = False
    refusal: str = ""
    linger_s: str = "1"

    def of(self, label: str) -> Answered:
        """Return the counts of one label."""
        return self.echoes.get(label, Answered())


def send(host: HostSession, sending: Sending, marks: CanaryFrames, *, token: CancelToken) -> Sent:
    """Send everything from A, one after the other in one channel.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    words = (
        *(sending.underlay, sending.destination, sending.source, sending.tunnel, sending.vlan),
        *(marks.control.hex(), marks.inside.hex(), marks.bare_family.encode().hex()),
        "0.06" if sending.is_stream else "0",
        *(str(number) for number in (CONTROLS, LEAK_ECHOES, SIZE_ECHOES, PAYLOAD_BYTES, VLAN_ID)),
        *(*_VLAN_NETWORK, GROUP),
        *(str(size - FRAME_TO_PAYLOAD_BYTES) for size in sending.frame_bytes),
    )
    return _sent(host, shell_step_argv(_SEND_SCRIPT, str(LIMIT_S), *words), token, timeout_s=LIMIT_S + 30.0)


@dataclass(frozen=True, slots=True)
class BrokenSending:
    """What to send from one host by what remains after a breakage.

    Attributes:
        underlay: The peer's underlay address.
        destination: The peer's address inside.
        tunnel: The tunnel's interface there.
        linger_s: How long an answer that does not come is waited for at least, in seconds; see `Sent`.
        breakage: What breaks the protection first, on the host where it is to break; None on the other one.
    """

    underlay: str
    destination: str
    tunnel: str
    linger_s: str
    breakage: Command | None = None


def send_broken(
    host: HostSession,
    sending: BrokenSending,
    marks: CanaryFrames,
    index: int,
    *,
    token: CancelToken,
    on_broken: BrokenSink = lambda _status, _words: None,
) -> Sent:
    """Send marked frames by what remains after a breakage, which is made before where it is to be.

    Args:
        host: Where from.
        sending: What.
        marks: The marks of this run.
        index: Which breakage, from 0.
        token: Cancels it.
        on_broken: Gets the breakage's exit status and last words as soon as it has ended; with 0, frames are sent.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As `HostSession.run`.
    """
    words = (
        *(sending.underlay, sending.destination, sending.tunnel),
        *(marks.broken_control(index).hex(), marks.broken(index).hex(), str(PAYLOAD_BYTES)),
        sending.linger_s,
        *(sending.breakage.argv if sending.breakage is not None else ()),
    )
    timeout_s = BROKEN_S + (sending.breakage.timeout_s if sending.breakage is not None else 0.0)

    def on_line(_stream: Stream, line: str) -> None:
        broken = _BROKEN.match(line)
        if broken is not None:
            on_broken(int(broken["status"]), _printable(broken["words"]))

    return _sent(host, shell_step_argv(_BROKEN_SCRIPT, str(LIMIT_S), *words), token, timeout_s=timeout_s, sink=on_line)


def _sent(
    host: HostSession, argv: tuple[str, ...], token: CancelToken, *, timeout_s: float, sink: LineSink | None = None
) -> Sent:
    command = Command(argv, timeout_s=timeout_s, is_root=True, max_output_bytes=65_536)
    return parse_sent(host.run(command, token=token, on_line=sink).stdout)


def parse_sent(text: str) -> Sent:
    """Understand what sending printed. Never raises."""
    echoes: dict[str, Answered] = {}
    label = neighbour = vlan = refusal = ""
    linger_s = "1"
    has_tunnel_gone = False
    for line in text.splitlines():
        mark = parse_guard_line(line)
        parsed = parse_ping_line(line)
        if mark is not None and mark.mark is GuardMark.START:
            label = mark.label
        elif isinstance(parsed, Summary):
            before = echoes.get(label, Answered())
            echoes[label] = Answered(before.sent + parsed.sent, before.received + parsed.received)
        elif isinstance(parsed, Trouble):
            refusal = refusal or re.sub(r"^(ping: )+", "", parsed.text)
        elif line.startswith("#neighbour "):
            neighbour = _said(line)
        elif line.startswith("#vlan "):
            vlan = _said(line)
        elif line.startswith("#gone "):
            has_tunnel_gone = True
        elif line == "#linger 0.3":
            linger_s = "0.3"
    return Sent(echoes, neighbour, vlan, has_tunnel_gone, refusal, linger_s)


def _said(line: str) -> str:
    return _printable(line.partition(" ")[2])


def _printable(text: str) -> str:
    return re.sub(r"[^\x20-\x7e]", "?", text.strip())[:200]
