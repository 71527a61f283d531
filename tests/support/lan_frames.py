"""Frames of link-layer protocols from a device in one LAN to one in another, sent and captured on these devices."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping

from app.domain.hosts import Side
from app.domain.link_protocols import LinkProtocol, ProtocolVerdict
from app.probes.capture.link_frames import FrameTag, build_frames
from app.probes.capture.link_protocols import LinkSent, judge_way
from app.probes.capture.pcap import Record, parse_pcap
from app.probes.capture.recording import TUNNEL, HostCapture
from support.net_hosts import NetPair

_LAST = b"that was the last one"

# $1 and $2 network and port of the device that sends, $3 and $4 of the one that captures, $5... frames as hexadecimal
# digits.
_SCRIPT = r"""
sender=$1 out=$2 receiver=$3 in=$4; shift 4
file=/run/lan-frames
ip netns exec "$receiver" tcpdump -n -p --immediate-mode -U -Q in -i "$in" -w "$file.pcap" 2> "$file.err" &
tries=0
until grep -q "listening on" "$file.err"; do tries=$((tries + 1)); [ "$tries" -lt 2400 ]; sleep 0.05; done
ip netns exec "$sender" perl -MSocket -e '
    my $port = shift;
    open(F, "<", "/sys/class/net/$port/ifindex") or die "$port: $!\n";
    my $to = pack("S n l S C C a8", 17, 3, scalar(<F>), 1, 0, 6, "");
    socket(S, 17, SOCK_RAW, 0) or die "socket: $!\n";
    for (@ARGV) { defined(send(S, pack("H*", $_), 0, $to)) or die "send: $!\n"; }
' "$out" "$@"
tries=0
until grep -q -a "that was the last one" "$file.pcap"; do tries=$((tries + 1)); [ "$tries" -lt 2400 ]; sleep 0.05; done
kill -INT $!
wait $!
base64 "$file.pcap"
rm -f "$file.pcap" "$file.err"
"""


def protocols_between_lans(pair: NetPair, sender: Side) -> Mapping[LinkProtocol, ProtocolVerdict]:
    """Return the fate of each protocol's frames from a device behind one host to one behind the other."""
    tag = FrameTag.new()
    source = bytes.fromhex(f"0200000000f{1 if sender is Side.A else 2}")
    frames = tuple(build_frames(tag, sender))
    records = _captured(pair, sender, [frame.data[:6] + source + frame.data[12:] for frame in frames])
    sent = LinkSent("device", frames, frozenset(range(len(frames))))
    return {one: way.verdict for one, way in judge_way(tag, sent, HostCapture({TUNNEL: records}), sender).items()}


def groups_between_lans(pair: NetPair, sender: Side) -> set[int]:
    """Return the last bytes of the addresses 01:80:C2:00:00:00 to 0F to which frames arrive."""
    groups = [bytes.fromhex(f"0180c20000{last:02x}") for last in range(16)]
    mark = b"group of bridges"
    frames = [group + bytes.fromhex("0200000000f3") + b"\x88\xb5" + mark + bytes(30) for group in groups]
    return {record.data[5] for record in _captured(pair, sender, frames) if mark in record.data}


def _captured(pair: NetPair, sender: Side, frames: Iterable[bytes]) -> tuple[Record, ...]:
    ends = [pair.host(side).number for side in (sender, sender.other)]
    last = b"\xff" * 6 + bytes.fromhex("0200000000f4") + b"\x88\xb5" + _LAST + bytes(30)
    words = [word for number in ends for word in (f"plant{number}", f"l{number}")]
    shown = pair.host(sender).world.run(_SCRIPT, *words, *(frame.hex() for frame in (*frames, last)))
    return parse_pcap(base64.b64decode(shown))
