"""Messages of the packet tests: what captures, special frames and injected packets showed, or why they did not."""

from __future__ import annotations

from app.domain.messages import MessageForm

CONTROL_UNSEEN = MessageForm(
    "capture.control-unseen", "The control over the bare underlay was not seen in both captures."
)
FEW_ANSWERED = MessageForm("capture.few-answered", "Only {answered} of {sent} marked echo requests were answered.")
BREAKAGE_FAILED = MessageForm("capture.breakage-failed", "It could not be done: {why}")
NO_CONTROL_AFTERWARDS = MessageForm(
    "capture.no-control-afterwards", "Not both hosts sent frames afterwards, with a control that both captures show."
)
STILL_CARRIED = MessageForm("capture.still-carried", "The tunnel still carried frames, and none of them could be read.")
ARP_ANSWERED = MessageForm("capture.arp-answered", "ARP (EtherType 0x0806) was asked and answered through it.")
TAGGED_LOST = MessageForm("capture.tagged-lost", "Frames with an IEEE 802.1Q tag ({vlan}) did not arrive.")
FULL_TAGGED_ARRIVED = MessageForm(
    "capture.full-tagged-arrived", "A full frame with an IEEE 802.1Q tag ({size} bytes) arrived."
)
LONG_TAGGED_LOST = MessageForm(
    "capture.long-tagged-lost",
    "Tagged frames of {longest} bytes arrived, a full one ({size} bytes) did not: lower the MTU of VLANs by 4 bytes.",
)
FRAMES_SENT_TOO_LATE = MessageForm("capture.frames-sent-too-late", "{host} did not send them within {seconds:g} s.")
NO_PERL_FOR_FRAMES = MessageForm("capture.no-perl-for-frames", "{host} has no Perl to send whole frames with.")
FEW_CONTROLS = MessageForm("capture.few-controls", "only {seen} of {controls} ordinary frames beside them arrived.")
KERNEL_LOST = MessageForm("capture.kernel-lost", "the kernel lost {dropped} packets of the capture.")
FRAMES_REPEATED = MessageForm("capture.frames-repeated", "Frames arrived more than once.")
TAG_KEPT = MessageForm("capture.tag-kept", "They arrive with their tag.")
CHANGED_DESTINATION = MessageForm("capture.changed-destination", "Another destination.")
CHANGED_CONTENT = MessageForm("capture.changed-content", "Other content.")
TAG_REMOVED = MessageForm("capture.tag-removed", "The tag was removed.")
TAG_ADDED = MessageForm("capture.tag-added", "A tag was added.")
PRIORITY_CHANGED = MessageForm("capture.priority-changed", "Priority {after} instead of {before}.")
VLAN_CHANGED = MessageForm("capture.vlan-changed", "VLAN {after} instead of {before}.")
NO_INTERFACE_HAS = MessageForm("capture.no-interface-has", "no interface has the address {address}")
NO_ROOT_TO_CAPTURE = MessageForm(
    "capture.no-root-to-capture", "On {host}, only root can capture, and root's rights cannot be had."
)
NO_TCPDUMP = MessageForm("capture.no-tcpdump", "{host} has no tcpdump; the package {package} brings it.")
NO_MARKING_PING = MessageForm(
    "capture.no-marking-ping", "{host} has no ping that can mark its frames; the package {package} brings one."
)
CAPTURES_ON_BOTH = MessageForm("capture.captures-on-both", "captures on both hosts")
CANARIES_OF_EVERY_SIZE = MessageForm("capture.canaries-of-every-size", "canary frames of every size")
MAKE_VLAN_BRIEFLY = MessageForm("capture.make-vlan-briefly", "Make a VLAN interface and remove it after two frames")
FRAMES_OF_PROTOCOLS = MessageForm("capture.frames-of-protocols", "frames of link-layer protocols")
STREAM_CUTS_FRAMES = MessageForm(
    "capture.stream-cuts-frames",
    "The carrier is a TCP stream: it cuts frames into segments as it likes, so that there is no size that "
    "always crosses whole.",
)
END_UNKNOWN = MessageForm("capture.end-unknown", "it is not known how it ended.")
FULL_FRAMES_ANSWERED = MessageForm(
    "capture.full-frames-answered", "{answered} of {sent} frames of {size} bytes were answered."
)
COST_UNMEASURED = MessageForm(
    "capture.cost-unmeasured",
    "What a frame of {size} bytes costs was not measured: {answered} of {sent} were answered, and {captured} "
    "packets of the tunnel were captured meanwhile.",
)
KERNEL_DROPPED = MessageForm(
    "capture.kernel-dropped", "The kernel of {host} did not hand on {dropped} packets to the capture."
)
BREAKAGE_ON_HOST = MessageForm("capture.breakage-on-host", "{breakage:text} on {host}")
STREAM_ALTERED = MessageForm(
    "injection.stream-altered", "The carrier is one TCP connection, which an altered segment would end."
)
STREAM_REPLAYED = MessageForm(
    "injection.stream-replayed", "The carrier is one TCP connection, which drops by itself what it has had."
)
FORGED_AND_REPLAYED = MessageForm("injection.forged-and-replayed", "forged, altered and replayed packets")
NO_PERL_TO_FORGE = MessageForm("injection.no-perl-to-forge", "{host} has no Perl to send forged packets with.")
NO_UNDERLAY_INTERFACE = MessageForm("injection.no-underlay-interface", "No interface has the underlay's address.")
NO_NFT_TO_HOLD = MessageForm("injection.no-nft-to-hold", "{host} has no nft to hold back packets with.")
CAPTURE_LOST_PACKETS = MessageForm(
    "injection.capture-lost-packets", "The kernel of {host} lost {dropped} packets of the capture."
)
ALTERED_NOT_HELD = MessageForm(
    "injection.altered-not-held", "{host} did not hold back the packets that were to be altered."
)
OWN_PACKETS_NOT_FOUND = MessageForm(
    "injection.own-packets-not-found",
    "{host} did not find the tunnel's packets that it had just sent among {count} that it captured.",
)
LET_PASS = MessageForm("injection.let-pass", "Let the tunnel's packets pass")
HOLD_BACK = MessageForm("injection.hold-back", "Hold back the tunnel's packets for some seconds")
PERL_REPORTED = MessageForm("capture.perl-reported", "Perl reported: {output}.")
FRAMES_NOT_SENT = MessageForm("capture.frames-not-sent", "{host} could not send them.")
ARP_UNANSWERED = MessageForm(
    "capture.arp-unanswered", "ARP (EtherType 0x0806) was asked through it: it arrived, and no answer came back."
)
ARP_LOST = MessageForm("capture.arp-lost", "ARP (EtherType 0x0806) was asked through it: it did not arrive.")
GROUP_FRAME_ARRIVED = MessageForm("capture.group-frame-arrived", "A canary frame to the group {group} arrived.")
GROUP_FRAME_LOST = MessageForm("capture.group-frame-lost", "A canary frame to the group {group} did not arrive.")
NO_TAGGED_SENT = MessageForm("capture.no-tagged-sent", "No tagged frame could be sent: {why}.")
TAGGED_NOT_TRIED = MessageForm("capture.tagged-not-tried", "not tried")
READABLE_ON_PURPOSE = MessageForm(
    "capture.readable-on-purpose",
    "It has no cryptography on purpose: everything inside can be read on the underlay.",
)
UNREADABLE_ON_PURPOSE = MessageForm(
    "capture.unreadable-on-purpose", "It has no cryptography on purpose: and yet the mark was not seen."
)
FEW_PACKETS = MessageForm(
    "capture.few-packets",
    "Of the tunnel's own packets, {counts} were captured; {expected} were to be expected.",
)
PLAINTEXT_SEEN = MessageForm("capture.plaintext-seen", "Plaintext was seen {places}.")
ON_UNDERLAY = MessageForm("capture.on-underlay", "on {side}'s underlay")
ON_INTERFACE = MessageForm("capture.on-interface", "on {side}'s interface {interface}, by the default route")
KERNEL_REFUSED = MessageForm("capture.kernel-refused", "The kernel refused: {words}.")
ENDED_WITH_STATUS = MessageForm("capture.ended-with-status", "exit status {status}.")
