"""Messages of probes: why something could not be measured."""

from __future__ import annotations

from app.domain.messages import MessageForm

# --- what a host or a program printed, as a hint ----------------------------------------------------------------------

HOST_PRINTED = MessageForm("probe.host-printed", "Output of the host: {output}")
PROGRAM_PRINTED = MessageForm("probe.program-printed", "Output of {program}: {output}")
SERVER_PRINTED = MessageForm("probe.server-printed", "The server reported: {output}.")

# --- latency ----------------------------------------------------------------------------------------------------------

NO_REPLY = MessageForm("probe.no-reply", "No echo reply from {peer} to {host}.")
NO_REPLY_WITHIN = MessageForm("probe.no-reply-within", "No echo reply from {peer} to {host} within {seconds:g} s.")
TUNNEL_CARRIES_NOTHING = MessageForm("probe.tunnel-carries-nothing", "The tunnel carries no frames; see its log.")
NO_REPLY_BARE = MessageForm("probe.no-reply-bare", "{peer} does not answer {host} over the bare link.")
REPLIES_STOPPED = MessageForm(
    "probe.replies-stopped",
    "{peer} stopped answering {host} while it was measured.",
    "The tunnel or the host went down; the daemons' last output is in the log.",
)
CYCLE_ENDED_EARLY = MessageForm("probe.cycle-ended-early", "Measuring latency on {host} ended too early.")
CHECK_TEMPORARY_FILES = MessageForm(
    "probe.check-temporary-files",
    "Check that the host has space for a temporary file, and that its ping was not ended by another program.",
)
PING_ENDED_EARLY = MessageForm("probe.ping-ended-early", "Latency was not measured: ping on {host} ended too early.")
PING_TOO_SLOW = MessageForm(
    "probe.ping-too-slow", "Latency was not measured: ping on {host} was not done after {seconds} s."
)
PING_FAILED = MessageForm(
    "probe.ping-failed", "Latency was not measured: ping on {host} ended with exit status {status}."
)
PINGS_INCOMPLETE = MessageForm("probe.pings-incomplete", "Not all echo requests of {host} were sent.")

# --- path MTU ---------------------------------------------------------------------------------------------------------

PING_CANNOT_FORBID = MessageForm(
    "probe.ping-cannot-forbid",
    "ping on {host} cannot forbid fragments, so the path's MTU cannot be found.",
    "BusyBox's ping has no -M do; install iputils-ping (OpenWrt: iputils-ping), or enter the MTU by hand.",
)
SMALLEST_NOT_ANSWERED = MessageForm(
    "probe.smallest-not-answered",
    "{peer} does not answer pings of {size_bytes} bytes from {host}.",
    "Check the underlay addresses and firewalls. {output}",
)

# --- underlay ---------------------------------------------------------------------------------------------------------

LINK_NAME = MessageForm("probe.link-name", "The link between {a} and {b}")
LINK_DEAD = MessageForm(
    "probe.link-dead",
    "{link} carries nothing: 0 of {sent} pings crossed.",
    "Check the underlay of both hosts, then resume.",
)
LINK_DIED = MessageForm(
    "probe.link-died",
    "{link} carries nothing any more: 0 of {sent} pings crossed.",
    "Check the underlay of both hosts, then resume.",
)

# --- throughput -------------------------------------------------------------------------------------------------------

WAYS = {
    "a_to_b": MessageForm("probe.a-to-b", "from A to B"),
    "b_to_a": MessageForm("probe.b-to-a", "from B to A"),
}
"""Directions as sentences name them, by the names of figures."""

THROUGHPUT_FAILED = MessageForm(
    "probe.throughput-failed", "Throughput {way} was not measured by iperf3 on {host}: {what}."
)
SILENT_FOR = MessageForm("probe.silent-for", "nothing for {seconds:g} s; the path died under it")
IPERF_MISSING = MessageForm(
    "probe.iperf-missing", "iperf3 is missing on {host}, or cannot be started there.", "Install the package iperf3."
)
OUTPUT_UNREADABLE = MessageForm("probe.output-unreadable", "its output could not be understood: {output}")
ENDED_WITH = MessageForm("probe.ended-with", "it ended with exit status {status}")
NO_RESULT = MessageForm("probe.no-result", "it printed no result")
SERVER_NOT_LISTENING = MessageForm(
    "probe.server-not-listening", "The iperf3 server on {host} does not listen on {address} port {port}."
)
PORT_TAKEN = MessageForm(
    "probe.port-taken", "Another program uses that port: stop it, or choose another port. iperf3 reported: {output}."
)
ADDRESS_GONE = MessageForm(
    "probe.address-gone", "The host does not have that address (any more): check its tunnel. iperf3 reported: {output}."
)
IPERF_PRINTED = MessageForm("probe.iperf-printed", "iperf3 reported: {output}.")
CONNECTION_REFUSED = MessageForm(
    "probe.connection-refused", "Something rejects the connection, or the server ended; check the hosts' firewalls."
)
PORT_REJECTED = MessageForm(
    "probe.port-rejected", "A firewall rejects the probe's port, or the tunnel is down; check both."
)
PORT_DROPPED = MessageForm(
    "probe.port-dropped", "A firewall drops the probe's port, or the tunnel is down; check both."
)
SERVER_BUSY = MessageForm("probe.server-busy", "Another test was using the server; try again.")
SERVER_ENDED = MessageForm("probe.server-ended", "The server ended, or the tunnel went down; see its log.")
PATH_DIED = MessageForm("probe.path-died", "The tunnel went down, or a host did; see its log.")
IPERF_TOO_OLD = MessageForm("probe.iperf-too-old", "This iperf3 is too old; install a newer one.")

# --- workloads --------------------------------------------------------------------------------------------------------

TRANSFER_OF = MessageForm("probe.transfer-of", "File transfer of {size_mb} MB")
DATAGRAMS_UNMEASURED = MessageForm(
    "probe.datagrams-unmeasured", "Datagrams to {host} were not measured: iperf3 reported: {output}."
)
NO_DATAGRAM = MessageForm("probe.no-datagram", "no datagram arrived")
TRANSFER_FAILED = MessageForm("probe.transfer-failed", "The transfer to {host} failed: iperf3 reported: {output}.")
ENDED_BEFORE_ALL = MessageForm("probe.ended-before-all", "it ended before all bytes had arrived")
IPERF_FAILED = MessageForm("probe.iperf-failed", "The workload was not measured: iperf3 on {host} reported: {output}.")
NO_RATE = MessageForm(
    "probe.no-rate",
    "The workload was not measured: iperf3 reported no rate of the receiver.",
    "Install a newer iperf3 on both hosts.",
)
NO_INTERVAL = MessageForm(
    "probe.no-interval",
    "The workload was not measured: iperf3 reported no interval of a connection.",
    "Check that the tunnel carries frames, then try again.",
)
NEITHER_CARRIED = MessageForm(
    "probe.neither-carried",
    "The workload was not measured: neither connection carried anything.",
    "Check that the tunnel carries frames, then try again.",
)
EXIT_STATUS_ONLY = MessageForm("probe.exit-status-only", "exit status {status}")
CALL_FAILED = MessageForm("probe.call-failed", "The call on {host} failed: {output}", "Install python3 on both hosts.")
CALL_NOT_BEGUN = MessageForm(
    "probe.call-not-begun",
    "The call did not begin: nothing came from {peer} to {host} within {seconds:g} s.",
    "Check that no firewall drops UDP on the tunnel's interface, and whether a host starts commands that late.",
)
CALL_SILENT = MessageForm(
    "probe.call-silent",
    "No packet of the call arrived at {host}.",
    "Check that no firewall drops UDP on the tunnel's interface.",
)
PAGE_NOT_LOADED = MessageForm(
    "probe.page-not-loaded",
    "The page was not loaded on {host}: {output}",
    "Check that the tunnel carries frames, and that both hosts have python3.",
)
SERVER_FAILED = MessageForm(
    "probe.server-failed", "The server on {host} failed: {output}", "Install python3 on both hosts."
)
FILES_NOT_SENT = MessageForm(
    "probe.files-not-sent",
    "The files were not sent from {host}: {output}",
    "Check that the tunnel carries frames, that 1 MB crosses it within a minute, and that both hosts have python3.",
)
NOT_LISTENING = MessageForm("probe.not-listening", "it does not listen")

# --- packet tests -----------------------------------------------------------------------------------------------------

NO_CAPTURE = MessageForm("probe.no-capture", "tcpdump does not capture on {host}.")
CAPTURE_ENDED_EARLY = MessageForm(
    "probe.capture-ended-early",
    "The capture on {host} ended after {took} of {seconds} s, so that a month cannot be calculated from it.",
)
NOT_HELD_BACK = MessageForm("probe.not-held-back", "{host} does not hold back packets for the injection test.")
NOT_COPIED = MessageForm("probe.not-copied", "{host} could not copy packets for the injection test.")
CAPTURE_HAS_NO_FRAME = MessageForm("probe.capture-has-no-frame", "The capture on {host} has no packet of the tunnel.")
NOT_SENT = MessageForm("probe.not-sent", "{host} could not send packets for the injection test.")
BUSY_BEFORE = MessageForm(
    "probe.busy-before", "Other work kept {busy_pct:.0f} % of {host}'s CPU busy before the start."
)
SHAPED_BY_OTHERS = MessageForm(
    "probe.shaped-by-others", "On {host}, traffic on {device} is shaped by something else: {shaper}."
)
STOLEN_TIME = MessageForm(
    "probe.stolen-time", "The hypervisor took {stolen_pct:.0f} % of {host}'s CPU time while it was measured."
)
CPU_NOT_ALWAYS_MEASURED = MessageForm(
    "probe.cpu-not-always-measured", "The CPU of {host} was not measured all the time."
)
ECHOES_LOST = MessageForm("probe.echoes-lost", "{lost} of {sent} echo requests were lost ({lost_pct:.2g} %).")
ECHOES_TWICE = MessageForm("probe.echoes-twice", "{duplicates} echo replies came twice.")
BUSYBOX_PING = MessageForm(
    "probe.busybox-ping",
    "BusyBox's ping measured: it cannot forbid fragments, so a frame may have crossed in pieces unnoticed.",
)
NOTE_OF_SIZE = MessageForm("probe.note-of-size", "{frame_bytes} B: {note}")
PING_REPORTED = MessageForm("probe.ping-reported", "ping reported: {text}.")
CLOCK_WAS_SET = MessageForm("probe.clock-was-set", "The host's clock was set while ping was measuring.")
PING_ENDED_BEFORE = MessageForm("probe.ping-ended-before", "ping ended before all requests were sent.")
LARGER_FRAMES_STOPPED = MessageForm(
    "probe.larger-frames-stopped", "Replies stopped, while smaller frames still crossed."
)
NO_REPLY_CAME = MessageForm("probe.no-reply-came", "no reply came")
FRAME_TOO_LONG = MessageForm("probe.frame-too-long", "A frame of {frame_bytes} bytes does not cross: {words}.")
PING_WITHOUT_WAITING = MessageForm(
    "probe.ping-without-waiting", "This ping cannot wait for each reply; it sent one request every 10 ms."
)
RTT_UNSTEADY = MessageForm("probe.rtt-unsteady", "Round-trip times were not steady at the end of the warm-up.")
LINK_IS_BACK = MessageForm("probe.link-is-back", "{link} carries frames again.")
LINK_NOT_RESTARTED = MessageForm("probe.link-not-restarted", "The link could not be restarted: {why}")
LINK_STILL_DEAD = MessageForm("probe.link-still-dead", "{link} was restarted and still carries nothing.")
LAB_RESTARTS_LINK = MessageForm("probe.lab-restarts-link", "The practice lab restarts it.")
WAITING_FOR_LINK = MessageForm("probe.waiting-for-link", "Waiting for it, at most {seconds:.0f} s.")
LINK_DIED_ONCE = MessageForm(
    "probe.link-died-once", "{link} died while this was measured at first; that try was dropped."
)
LINK_DIED_OFTEN = MessageForm(
    "probe.link-died-often", "{link} died while this was measured at first; {tries} tries were dropped."
)
LINK_DIED_IN_A_ROW = MessageForm("probe.link-died-in-a-row", "It died at {tries} tries in a row.")
REPLIES_REORDERED = MessageForm("probe.replies-reordered", "{count} replies came out of order.")
REPLIES_DAMAGED = MessageForm("probe.replies-damaged", "{count} replies were damaged and do not count.")
MOS_OF_WAY = MessageForm("probe.mos-of-way", "Mean opinion score {way}")
RATING_OF_WAY = MessageForm("probe.rating-of-way", "Rating R {way}")
JITTER_OF_WAY = MessageForm("probe.jitter-of-way", "Jitter {way}")
LOST_OF_WAY = MessageForm("probe.lost-of-way", "Lost {way}")
LATE_OF_WAY = MessageForm("probe.late-of-way", "Too late for the buffer {way}")
RESPONSE_OF_WAY = MessageForm("probe.response-of-way", "Time of a file {way}")
LONGEST_OF_WAY = MessageForm("probe.longest-of-way", "Longest {way}")
RATE_OF_WAY = MessageForm("probe.rate-of-way", "Rate {way}")
SENDER_CPU_OF_WAY = MessageForm("probe.sender-cpu-of-way", "CPU of the sender {way}")
RECEIVER_CPU_OF_WAY = MessageForm("probe.receiver-cpu-of-way", "CPU of the receiver {way}")
VOICE_SOURCE = MessageForm(
    "probe.voice-source",
    "50 packets of 172 bytes a second for 12 s each way. Delay: half the shortest round trip, 20 ms of speech, and a "
    "de-jitter buffer of {buffer_ms:.0f} ms. Jitter: RFC 3550. R and MOS: ITU-T G.107, with G.113's values for G.711 "
    "with packet loss concealment",
)

# --- a VPN that is restarted ------------------------------------------------------------------------------------------

BARE_LINK_RUNS_NO_VPN = MessageForm("probe.bare-link-runs-no-vpn", "The bare link runs no VPN that could be restarted.")
RESTART_FAILED = MessageForm("probe.restart-failed", "The VPN on {host} was not restarted alone: {why}")
NOT_BACK = MessageForm(
    "probe.not-back", "Frames did not cross again within {seconds:g} s after the VPN on {host} was restarted."
)
PINGS_UNEVEN = MessageForm(
    "probe.pings-uneven", "{host} was too busy to send echo requests evenly while a VPN was restarted."
)
PINGS_ENDED = MessageForm("probe.pings-ended", "ping on {host} ended while a VPN was restarted.")

# --- a hub and its clients --------------------------------------------------------------------------------------------

HUB_UNREAD = MessageForm("probe.hub-unread", "The hub's counters cannot be read: {output}")
FLOOD_UNREAD = MessageForm("probe.flood-unread", "The clients' attempts cannot be read: {output}")
HUB_NOT_CONNECTED = MessageForm("probe.hub-not-connected", "Not all clients connected to the hub: {output}")
HUB_CLIENTS_BEGIN = MessageForm("probe.hub-clients-begin", "the clients to begin")
HUB_CLIENTS_SILENT = MessageForm(
    "probe.hub-clients-silent",
    "Of {clients} clients, {ready} had answers from the hub before its restart: {output}",
)
HUB_NOT_RESTARTED = MessageForm("probe.hub-not-restarted", "The hub did not start again: {output}")
HUB_FLOODED = MessageForm("probe.hub-flooded", "{rate:g} key exchanges per second for {seconds} s")
HUB_RATE_HELD = MessageForm("probe.hub-rate-held", "{rate:g} per second: all {attempts} succeeded")
HUB_RATE_FAILED = MessageForm(
    "probe.hub-rate-failed",
    "{rate:g} per second: of {attempts}, {done} succeeded in time or late, and the hub saw {seen}",
)
NO_HUB_RATE = MessageForm("probe.no-hub-rate", "Not even at the lowest rate did all key exchanges succeed.")
HUB_FELL_BEHIND = MessageForm(
    "probe.hub-fell-behind", "No rate that was found held for {seconds} s: key exchanges failed or came late."
)
NO_HUB = MessageForm("probe.no-hub", "Tunnelmark builds no hub with many clients for this candidate.")
