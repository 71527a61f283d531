"""Messages of tunnels: what stopped one from being built, held, switched or rolled back."""

from __future__ import annotations

from app.domain.messages import MessageForm

# --- locks ------------------------------------------------------------------------------------------------------------

BEING_LOCKED = MessageForm(
    "tunnel.being-locked", "Another Tunnelmark is just locking {host}.", "Try again in a minute."
)
WAITS_FOR_CONFIRMATION = MessageForm(
    "tunnel.waits-for-confirmation",
    "The deployment on {host} by {owner} waits for a confirmation.",
    "{how} Then try again.",
)
HOST_LOCKED = MessageForm(
    "tunnel.host-locked",
    "{owner} has been working on {host} for {age_s} s.",
    "Wait until it has finished. If it died, the host rolls back within {left_s} s; then try again.",
)
REMOVAL_RUNS = MessageForm(
    "tunnel.removal-runs",
    "{owner} has been removing a tunnel on {host} for {age_s} s.",
    "Wait until it has finished. If it was interrupted, try again in {left_s} s.",
)

# --- building ---------------------------------------------------------------------------------------------------------

NO_SPACE_IN_FOLDER = MessageForm(
    "tunnel.no-space-in-folder",
    "There is no space left in {folder} on {host}.",
    "Nothing of the tunnel remains there. Free some space and try again.",
)
NO_SPACE_FOR_STEP = MessageForm(
    "tunnel.no-space-for-step", "There is no space left on {host}: {step:text}.", "Free some space and try again."
)
TIMER_NOT_STARTED = MessageForm(
    "tunnel.timer-not-started",
    "The rollback timer of {host} could not be started, so nothing was changed.",
    "Check that the host has free memory and can start more processes.",
)
SCRIPT_ENDED = MessageForm(
    "tunnel.script-ended",
    "The script that builds the tunnel on {host} ended with status {status} after `{after}`.",
    "Check that it was not killed, and that the host has free memory.",
)
THE_START = MessageForm("tunnel.the-start", "the start")
WAS_CANCELLED = MessageForm("deploy.was-cancelled", "It was cancelled.")
NOT_BUILT = MessageForm(
    "tunnel.not-built",
    "The tunnel could not be built on {host} ({what:text}). {output}",
    "Remove the cause on that host, then try again.",
)
LEASE_RAN_OUT = MessageForm(
    "tunnel.lease-ran-out",
    "The lease of {host} ran out, and it rolled back while the tunnel was built.",
    "The host had not heard from Tunnelmark in time: this computer slept or was too busy, or the connection stalled. "
    "Try again.",
)
UNDONE_BY_HAND = MessageForm(
    "tunnel.undone-by-hand",
    "The undo was run by hand on {host} while the tunnel was built.",
    "Find out who uses its console ({command}), then try again.",
)
ROLLED_BACK_MEANWHILE = MessageForm(
    "tunnel.rolled-back-meanwhile",
    "{host} rolled back while the tunnel was built.",
    "Its undo was run by hand, or its lease ran out because this computer was too slow. Try again.",
)
STEP_FAILED = MessageForm(
    "tunnel.step-failed",
    "A step failed on {host} with exit status {status}: {step:text}. {output}",
    "The host has rolled back. The program's output is in the details.",
)
STEP_TOO_SLOW = MessageForm(
    "tunnel.step-too-slow",
    "A step took too long on {host} and was stopped (exit status {status}): {step:text}. {output}",
    "The host has rolled back. The program's output is in the details.",
)
UNKNOWN_STEP = MessageForm("tunnel.unknown-step", "a step that is not in the plan")
STEP_NOT_UNDONE = MessageForm(
    "tunnel.step-not-undone",
    "A step could not be undone on {host} to do it again: {step:text}.",
    "The program's output is in the details.",
)
UNDO_WITH_STDIN = MessageForm("tunnel.undo-with-stdin", "The undo of a step on {host} has stdin: {step:text}.")
INTERFACE_APPEARED = MessageForm(
    "tunnel.interface-appeared",
    "The interface {name} appeared on {host} just before it was to be made.",
    "Another program on the host uses that name; its interface was not changed.",
)
SECRET_NOT_READ = MessageForm(
    "tunnel.secret-not-read",
    "{host} did not print what both sides must share: {secret:text}.",
    "Its output is not shown, because it may be secret. Try again.",
)

NOT_DERIVED = MessageForm(
    "tunnel.not-derived",
    "{host} could not derive what both hosts must share: {secret:text}.",
    "Check that `openssl pkeyutl` works there, or choose a suite without it.",
)
KEY_UNREAD = MessageForm("tunnel.key-unread", "No key of {host} could be read. {why}")

# --- verifying --------------------------------------------------------------------------------------------------------

OTHER_THAN_REQUESTED = MessageForm(
    "tunnel.other-than-requested",
    "The tunnel on {host} differs from the request: {check:text}.",
    "Another program or an older tunnel may have answered. Its output is in the details.",
)
PROGRAM_ENDED = MessageForm(
    "tunnel.program-ended",
    "The VPN's program on {host} ended by itself before the tunnel was up.",
    "Its last output is in the details.",
)
NEVER_UP = MessageForm(
    "tunnel.never-up",
    "The VPN's program on {host} reports why frames will never cross this tunnel.",
    "Its output is in the details. Choose another suite.",
)
UP_TOO_LATE = MessageForm(
    "tunnel.up-too-late",
    "The tunnel did not come up on {host} within {seconds:g} s. Not seen: {check:text}.",
    "Check that no firewall between the hosts drops its packets. The daemon's log is in the details.",
)
FRAMES_NOT_CROSSING = MessageForm(
    "tunnel.frames-not-crossing",
    "The tunnel is up on {host}, but frames to {peer} do not cross.",
    "Check that no firewall drops them. The daemon's log is in the details.",
)

# --- tunnels side by side ---------------------------------------------------------------------------------------------

GROUP_EMPTY = MessageForm("tunnel.group-empty", "A group holds one tunnel at least.")
NO_MEMBER = MessageForm("tunnel.no-member", "This tunnel is the only one of its transaction.")
MEMBER_NOT_ROLLED_BACK = MessageForm(
    "tunnel.member-not-rolled-back",
    "A tunnel that did not come up could not be rolled back alone on {host}: {why}",
    "All tunnels of the group are rolled back; then try again.",
)
MEMBER_LEFT = MessageForm(
    "tunnel.member-left",
    "A tunnel that did not come up could not be rolled back alone on {host}.",
    "All tunnels are rolled back. If that fails too, run on its console: {command}",
)
GROUP_ROLLED_BACK = MessageForm(
    "tunnel.group-rolled-back",
    "{host} rolled back all tunnels of the group while they were built.",
    "It had not heard from Tunnelmark in time, or a user ran its undo script. Try again.",
)
PORT_OF_TWO = MessageForm(
    "tunnel.port-of-two", "Two tunnels of this group would listen on port {port}/{protocol}.", "Measure them in turn."
)

# --- leases -----------------------------------------------------------------------------------------------------------

LEASE_GONE = MessageForm(
    "tunnel.lease-gone",
    "{host} has rolled back: its lease ran out, or Tunnelmark's folder was removed by hand.",
    "Try again; if this computer slept, keep it awake.",
)
LEASE_ENDING = MessageForm(
    "tunnel.lease-ending",
    "{host} is rolling back: its lease ran out, or the undo was run on its console.",
    "Try again; if this computer slept, keep it awake.",
)
LEASE_LATE = MessageForm("tunnel.lease-late", "{host} rolls back: Tunnelmark did not renew its lease in time.")
LEASE_NOT_RENEWED = MessageForm(
    "tunnel.lease-not-renewed",
    "{host} is rolling back; Tunnelmark did not renew its lease in time.",
    "Try again when it has finished.",
)
LEASE_UNREAD = MessageForm(
    "tunnel.lease-unread", "{host} does not report for how long it waits before it rolls back.", "Try again."
)
WAIT_NOT_ACKNOWLEDGED = MessageForm(
    "tunnel.wait-not-acknowledged",
    "{host} did not acknowledge that it waits for a confirmation.",
    "Try again; the host rolls back when its lease runs out.",
)

# --- rollback ---------------------------------------------------------------------------------------------------------

ROLLBACK_UNREPORTED = MessageForm(
    "tunnel.rollback-unreported", "{host} did not report whether it was rolled back.", "On its console, run: {command}"
)
ROLLBACK_TOO_SLOW = MessageForm("tunnel.rollback-too-slow", "{host} was not rolled back within {seconds:g} s.")
ROLLBACK_FAILED = MessageForm("tunnel.rollback-failed", "{host} could not be rolled back: {why}")
ROLLED_BACK_IN_PART = MessageForm("tunnel.rolled-back-in-part", "{host} could not be rolled back completely.")
NOT_AS_BEFORE = MessageForm("tunnel.not-as-before", "{host} is not as it was: {differences}")
ROLLBACK_LEFT_TO_TIMER = MessageForm(
    "tunnel.rollback-left-to-timer",
    "{host} could not be reached for the rollback; its rollback timer runs it within {seconds:g} s.",
)
RUN_ON_CONSOLE = MessageForm(
    "tunnel.run-on-console", "If a host is not rolled back, run on the console of {hosts}: {commands}"
)

# --- requests that no tunnel can meet ---------------------------------------------------------------------------------

BARE_LINK_BRIDGED = MessageForm(
    "tunnel.bare-link-bridged",
    "The bare link carries no Ethernet frames between networks, so its nodes cannot be bridged.",
    "Choose routed nodes.",
)
CHANGES_NOT_MADE = MessageForm(
    "tunnel.changes-not-made",
    "Hosts cannot make {condition}: a value holds {least_s:g} s at least, and one direction changes delay or loss.",
    "Change the condition's file, or measure on a practice lab.",
)
UNDERLAY_NOT_FOUND = MessageForm(
    "tunnel.underlay-not-found",
    "No interface of {host} has the address {address}.",
    "Choose the underlay addresses of the pair anew.",
)
NOT_SWITCHABLE = MessageForm(
    "tunnel.not-switchable",
    "The running tunnel cannot be switched to {suite:title}. {why}",
    "Build a new tunnel with that suite.",
)
OTHER_PORTS = MessageForm("tunnel.other-ports", "On {host}, the new suite uses another interface or other ports.")
NOTHING_REPEATABLE = MessageForm("tunnel.nothing-repeatable", "On {host}, no step can be done again for another suite.")
OTHER_STEPS = MessageForm("tunnel.other-steps", "On {host}, the new suite needs other steps than the old one.")
OTHER_FILES = MessageForm("tunnel.other-files", "On {host}, the new suite needs files in other places.")
OTHER_KEY = MessageForm("tunnel.other-key", "On {host}, the new suite needs another key.")
SECRET_OF_ONE_SUITE = MessageForm(
    "tunnel.secret-of-one-suite", "Both hosts share a secret that is made for one suite alone."
)
PROXY_WITHOUT_NODES = MessageForm(
    "tunnel.proxy-without-nodes",
    "A proxy splits the connections of nodes behind the gateways, and there are none.",
    "Choose routed nodes.",
)
PROXY_ON_BRIDGE = MessageForm(
    "tunnel.proxy-on-bridge",
    "A bridge forwards frames and ends no connection: a proxy there would have to take frames that are addressed to "
    "others.",
    "Choose routed nodes.",
)
PROXY_WITHOUT_TCP = MessageForm(
    "tunnel.proxy-without-tcp",
    "A proxy outside of {solution} finds no TCP connection to split: it carries frames by UDP or in IP packets of its "
    "own.",
    "Choose place B.",
)

# --- preflight --------------------------------------------------------------------------------------------------------

ANOTHER_INSTANCE = MessageForm("tunnel.another-instance", "Another Tunnelmark")
HOST_WORKED_ON = MessageForm(
    "tunnel.host-worked-on",
    "{owner} has been working on {host} for {age_s} s.",
    "Wait until it has finished. If it died, `tunnelmark recover` rolls the host back.",
)
LITTLE_SPACE = MessageForm(
    "tunnel.little-space",
    "Less than {least_mib} MiB is free in {folder} on {host}.",
    "Free at least {least_mib} MiB there.",
)
FOLDER_ON_DISK = MessageForm(
    "tunnel.folder-on-disk",
    "{folder} on {host} is not in memory ({storage}): keys are written to a disk, and what is unfinished when the host "
    "restarts is left there.",
    "Mount a tmpfs on {folder} first.",
)
UNDERLAY_ADDRESS_MISSING = MessageForm(
    "tunnel.underlay-address-missing",
    "{host} does not have the underlay address {address}.",
    "Choose the addresses that join the two hosts anew; behind NAT this does not work yet.",
)
NO_ROUTE_TO_PEER = MessageForm(
    "tunnel.no-route-to-peer", "{host} has no route to {peer}.", "Check the cable, the addresses and the routes."
)
NO_PING_ON_HOST = MessageForm(
    "tunnel.no-ping-on-host",
    "{host} has no ping, so it is not known whether it reaches {peer}.",
    "Install {package} there.",
)
PEER_SILENT = MessageForm(
    "tunnel.peer-silent",
    "{peer} does not answer the pings of {host}.",
    "Check the underlay, and that a firewall does not drop ICMP.",
)
INTERFACE_PRESENT = MessageForm(
    "tunnel.interface-present",
    "An interface named {interface} is already there on {host}.",
    "If an earlier Tunnelmark left it, remove it on the host: ip link del {interface}",
)
FILE_PRESENT = MessageForm(
    "tunnel.file-present", "The file {path} is already there on {host}.", "Move it away; it will not be overwritten."
)
PORT_IN_USE = MessageForm("tunnel.port-in-use", "Port {port}/{protocol} is in use on {host}.")
FREE_OR_CHANGE_PORT = MessageForm("tunnel.free-or-change-port", "Stop what uses it, or choose another port.")
FREE_ONLY_PORT = MessageForm("tunnel.free-only-port", "Stop what uses it, {solution:title} has no other one.")
L2TP_TUNNEL_PRESENT = MessageForm(
    "tunnel.l2tp-tunnel-present",
    "The L2TP tunnel {number} is already there on {host}.",
    "Remove it on the host: ip l2tp del tunnel tunnel_id {tunnel_id}",
)
L2TP_SESSION_PRESENT = MessageForm(
    "tunnel.l2tp-session-present",
    "The L2TP session {number} is already there on {host}.",
    "Remove it on the host: ip l2tp del tunnel tunnel_id {tunnel_id}",
)
SUBNET_IN_USE = MessageForm(
    "tunnel.subnet-in-use",
    "{host} uses {network} already, and the tunnel's addresses lie in it.",
    "Choose other addresses for the tunnel, or remove that address or route.",
)
UNDERLAY_SUBNET_IN_USE = MessageForm(
    "tunnel.underlay-subnet-in-use",
    "{host} uses {network} already, and the tunnel's addresses lie in it.",
    "Choose other addresses for the tunnel: the two hosts reach each other in that network.",
)
FIREWALL_BLOCKS = MessageForm(
    "tunnel.firewall-blocks",
    "The firewall of {host} blocks {openings} ({rule}).",
    "Allow it there, or agree that Tunnelmark opens the firewalls (on the command line: --open-firewall).",
)
MAKE_RUN_DIR = MessageForm("tunnel.make-run-dir", "Make the tunnel's own folder")
LOCK_AND_ARM = MessageForm("tunnel.lock-and-arm", "Lock the host and arm its timer")
WRITE_FILE = MessageForm("tunnel.write-file", "Write {path}")
UNDO_OF = MessageForm("tunnel.undo-of", "Undo: {title:text}")
OPEN_FIREWALL = MessageForm("tunnel.open-firewall", "Open the firewall for {opening}")
SET_CONGESTION = MessageForm("tunnel.set-congestion", "Make {congestion} the congestion control of new connections")
MAKE_NODE_BEHIND = MessageForm("tunnel.make-node-behind", "Make the node {node} behind the gateway")
MAKE_NODE_ON_BRIDGE = MessageForm("tunnel.make-node-on-bridge", "Make the node {node} on the bridge {bridge}")
TAKE_UP_LAN = MessageForm("tunnel.take-up-lan", "Take up the interface {interface} between gateway and node")
FORWARD_FROM_LAN = MessageForm("tunnel.forward-from-lan", "Forward what comes in by {interface}")
ROUTE_NODE_MACHINE = MessageForm("tunnel.route-node-machine", "Route the node {node} behind {interface}")
BRIDGE_NODE_MACHINE = MessageForm("tunnel.bridge-node-machine", "Bridge {interface} and the tunnel as {bridge}")
ADDRESS_NODE_MACHINE = MessageForm("tunnel.address-node-machine", "Give {interface} the address {node}")
MAKE_HUB_CLIENTS = MessageForm("tunnel.make-hub-clients", "Make {count} clients in namespaces")
ROUTE_TO_CLIENTS = MessageForm("tunnel.route-to-clients", "Route the clients' network {network} to the other host")
TOO_MANY_CLIENTS = MessageForm("tunnel.too-many-clients", "{count} clients; 1 to {limit} are possible.")
LOCK_AND_START_TIMER = MessageForm("tunnel.lock-and-start-timer", "Lock the host, and start its rollback timer")
ROLL_BACK_BY_HAND = MessageForm("tunnel.roll-back-by-hand", "Roll back, also by hand")
SECRET_OF_HOST = MessageForm("tunnel.secret-of-host", "(a secret that host {side} makes for both; it is never shown)")
DERIVE_SECRET = MessageForm("tunnel.derive-secret", "{secret:text}: derive it on this host")
PUBLIC_INPUT = MessageForm("tunnel.public-input", "a public value of the other host")
SECRET_INPUT = MessageForm("tunnel.secret-input", "a secret that is never shown")
COMMAND_WITH_INPUT = MessageForm("tunnel.command-with-input", "{command} < ({input:text})")
SHAPE_WAY = MessageForm("tunnel.shape-way", "Shape what {device} sends to {peer}")
DISARM_AND_RELEASE = MessageForm("tunnel.disarm-and-release", "Disarm the rollback timer and release the lock")
ROLL_BACK_AFTER_DEATH = MessageForm("tunnel.roll-back-after-death", "Roll back the host after a Tunnelmark that died")
NOTHING_TO_ROLL_BACK = MessageForm("tunnel.nothing-to-roll-back", "{host}: nothing to roll back.")
DIED_WHILE_LOCKING = MessageForm(
    "tunnel.died-while-locking", "{host}: a Tunnelmark died while it locked the host; its folder has been removed."
)
AWAITS_CONFIRMATION_ALONE = MessageForm(
    "tunnel.awaits-confirmation-alone",
    "What {owner} has deployed on {host} waits for a confirmation; it was left alone. {how}",
)
IS_REMOVING = MessageForm(
    "tunnel.is-removing",
    "{owner} is removing a tunnel on {host}, for {age_s} s now; it was left alone. If that was interrupted, "
    "do it again.",
)
REMOVAL_INTERRUPTED = MessageForm(
    "tunnel.removal-interrupted",
    "{host}: the removal of a tunnel was interrupted; repeat it. No instance works there any more.",
)
A_TUNNELMARK = MessageForm("tunnel.a-tunnelmark", "a Tunnelmark")
LEFT_WITHOUT_JOURNAL = MessageForm(
    "tunnel.left-without-journal",
    "{host} has {left}, but no journal of Tunnelmark that says how to remove it; if it is not yours, run there: "
    "ip link del {first}",
)
IS_WORKING = MessageForm(
    "tunnel.is-working",
    "{owner} is working on {host}, for {age_s} s now; it was left alone. If that one is dead, the host rolls back "
    "within {left_s} s.",
)
LEFT_IN_PART = MessageForm(
    "tunnel.left-in-part",
    "{host}: what {owner} left {age_s} s ago could not be rolled back completely; on its console, run: {command}",
)
LEFT_AND_ROLLED_BACK = MessageForm(
    "tunnel.left-and-rolled-back", "{host}: what {owner} left {age_s} s ago has been rolled back."
)
NODE_NOT_ROLLED_BACK = MessageForm(
    "tunnel.node-not-rolled-back",
    "{host}, the machine behind {gateway}, was not rolled back. {why}",
    "Mend that, or switch it on where it is off, then run: tunnelmark recover {pair}",
)
NODE_NEVER_CHANGED = MessageForm(
    "tunnel.node-never-changed",
    "{host}, the machine behind {gateway}, was not asked; nothing was ever changed on it from this computer. {why}",
)
HYSTART_ON = MessageForm("tunnel.hystart-on", "Switch CUBIC's HyStart on")
HYSTART_OFF = MessageForm("tunnel.hystart-off", "Switch CUBIC's HyStart off")
START_INNER_PROXY = MessageForm(
    "tunnel.start-inner-proxy", "Start a proxy inside the tunnel that splits TCP connections"
)
START_OUTER_PROXY = MessageForm(
    "tunnel.start-outer-proxy", "Start a proxy outside the tunnel that splits TCP connections"
)
OF_HOST = MessageForm("tunnel.of-host", "{host}: {what}")
