"""Words for link-layer protocols: the same in reports, on the command line and in the window."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.link_protocols import (
    A_TO_B,
    B_TO_A,
    LinkProtocol,
    ProtocolCrossing,
    ProtocolVerdict,
    ProtocolWay,
    joined_verdict,
)
from app.wording.language import mark, tr
from app.wording.local_forms import listed_names
from app.wording.messages import local_text

PROTOCOL_NAMES = {
    LinkProtocol.STP: mark("Spanning tree (BPDU)"),
    LinkProtocol.LLDP: mark("LLDP"),
    LinkProtocol.PTP: mark("PTP over Ethernet"),
    LinkProtocol.PTP_PEER_DELAY: mark("PTP peer delay"),
    LinkProtocol.MRP: mark("MRP"),
    LinkProtocol.PROFINET_DCP: mark("PROFINET DCP"),
    LinkProtocol.PRIORITY: mark("Priority 6 (802.1p)"),
    LinkProtocol.PRIORITY_TAG: mark("Priority tag (VLAN 0)"),
}

VERDICT_WORDS = {
    ProtocolVerdict.CROSSES: mark("crosses"),
    ProtocolVerdict.CHANGED: mark("arrives changed"),
    ProtocolVerdict.LOST: mark("does not cross"),
    ProtocolVerdict.NOT_TRIED: mark("not tried"),
}

VERDICT_SIGNS = {
    ProtocolVerdict.CROSSES: "✓",
    ProtocolVerdict.CHANGED: "!",
    ProtocolVerdict.LOST: "✕",
    ProtocolVerdict.NOT_TRIED: "?",
}

PROTOCOL_COLUMNS = (mark("Protocol"), mark("Through the tunnel"), mark("Between joined LANs"), mark("Remark"))
"""Headings of the table of protocols."""

BETWEEN_LANS_NOTE = mark(
    "“Between joined LANs” is the same for every VPN that carries the frames: the bridges that a deployment makes have "
    "no spanning tree, forward BPDUs, and keep frames to 01:80:C2:00:00:01 to 0F. A bridge that was there before has "
    "settings of its own."
)

_DIRECTIONS = {A_TO_B: mark("From A to B"), B_TO_A: mark("From B to A")}


def tunnel_words(crossing: ProtocolCrossing) -> str:
    """Return the fate of a protocol's frames in words; where one direction alone was tried, with that direction."""
    words = tr(VERDICT_WORDS[crossing.verdict])
    tried = [name for name in crossing.ways if name not in crossing.untried]
    is_half = len(tried) == 1 and crossing.untried
    return f"{words} {_small(tr(_DIRECTIONS[tried[0]]))}" if is_half else words


def joined_words(crossing: ProtocolCrossing) -> str:
    """Return the fate of a protocol's frames between LANs that this tunnel joins, in words."""
    joined = joined_verdict(crossing)
    return tunnel_words(crossing) if joined is crossing.verdict else tr(VERDICT_WORDS[joined])


def protocol_note(crossing: ProtocolCrossing) -> str:
    """Return what the reader should know of a protocol's frames, as sentences; empty where all went well."""
    notes = {direction: _way_note(way) for direction, way in crossing.ways.items()}
    texts = list(notes.values())
    if len(texts) == len(_DIRECTIONS) and texts[0] == texts[1]:
        return texts[0][:1].upper() + texts[0][1:]
    return " ".join(f"{tr(_DIRECTIONS[direction])}: {text}" for direction, text in notes.items() if text)


def _way_note(way: ProtocolWay) -> str:
    if way.verdict is ProtocolVerdict.NOT_TRIED:
        return tr("not tried, because {reason}").format(reason=local_text(way.note)) if way.note else tr("not tried.")
    is_whole = way.verdict is not ProtocolVerdict.LOST and way.arrived == way.sent
    arrived = tr("{arrived} of {sent} frames arrived.").format(arrived=way.arrived, sent=way.sent)
    return f"{'' if is_whole else arrived} {local_text(way.note)}".strip()


def protocols_line(crossings: Sequence[ProtocolCrossing]) -> str:
    """Return all protocols in a few words, for example `7 of 8 link-layer protocols cross (LLDP does not cross)`.

    What crosses the tunnel and is kept by the bridges of joined LANs is named: there the tunnel is used.
    """
    if not crossings:
        return ""
    crossing = [one for one in crossings if one.verdict is ProtocolVerdict.CROSSES]
    others = [
        f"{tr(PROTOCOL_NAMES[one.protocol])} {tunnel_words(one)}"
        for one in crossings
        if one.verdict is not ProtocolVerdict.CROSSES
    ]
    if all(one.verdict is ProtocolVerdict.NOT_TRIED for one in crossings):
        return tr("link-layer protocols not tried")
    if any(one.untried for one in crossing):
        others.append(tr("not all tried in both directions"))
    kept = [tr(PROTOCOL_NAMES[one.protocol]) for one in crossing if joined_verdict(one) is ProtocolVerdict.LOST]
    if kept:
        others.append(tr("between joined LANs not {kept}").format(kept=listed_names(kept)))
    tail = f" ({', '.join(others)})" if others else ""
    return (
        tr("{number} of {total} link-layer protocols cross").format(number=len(crossing), total=len(crossings)) + tail
    )


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]
