"""Messages of deployment: each with its code, its text and its hint."""

from __future__ import annotations

from app.domain.messages import MessageForm

AUDIT_FORMAT = MessageForm(
    "deploy.audit-format",
    "An audit log is written as .csv or .json, not as {file}.",
    "Name it {stem}.csv.",
)
NEEDS_FOREIGN_PATH = MessageForm(
    "deploy.needs-foreign-path",
    "{solution} cannot be deployed: it needs {path} outside its own folder.",
)
ROUTES_UNKNOWN = MessageForm(
    "deploy.routes-unknown",
    "{host} did not say which interface the SSH connection and the underlay run over.",
    "Without that, no LAN port can be joined safely.",
)
NO_SUCH_PORT = MessageForm(
    "deploy.no-such-port",
    "{host} has no interface {port}.",
)
FIREWALL_UNREAD = MessageForm(
    "deploy.firewall-unread",
    "The firewall of {host} could not be read; its rules may name the LAN port {port}.",
    "Its tables are listed with nft, iptables-save and ip6tables-save as root.",
)
NOT_FROM_HERE = MessageForm(
    "deploy.not-from-here",
    "The deployment on {hosts} is not known on this computer, so it cannot be deployed again as it is.",
    "Do that on the computer from which it was deployed or exported, or replace it from here: "
    "tunnelmark deploy {pair} SOLUTION",
)
NOTHING_TO_REPEAT = MessageForm(
    "deploy.nothing-to-repeat",
    "Nothing is deployed on {pair}.",
    "Deploy with: tunnelmark deploy {pair} SOLUTION",
)
UNKNOWN_SOLUTION = MessageForm(
    "deploy.unknown-solution",
    "There is no solution {solution}.",
    "Known: {known}.",
)
SUITE_NOT_OFFERED = MessageForm(
    "deploy.suite-not-offered",
    "Not offered for these hosts: {suite}.",
)
IS_NEVER_DEPLOYED = MessageForm(
    "deploy.never-deployed",
    "{title:title} is never deployed: {why:text}",
)
VERDICT_FORBIDS = MessageForm(
    "deploy.verdict-forbids",
    "{title:title} is {verdict} and is never deployed.",
)
REASON_MISSING = MessageForm(
    "deploy.reason-missing",
    "{title:title} is {verdict}: it is deployed only with a reason, which is stored.",
)
CONFIRM_TIME_OUT_OF_RANGE = MessageForm(
    "deploy.confirm-time-out-of-range",
    "{within_s:g} s to confirm is out of range.",
    "Choose {least_s:g} to {most_s:g} s.",
)
BROADCAST_LIMIT_OUT_OF_RANGE = MessageForm(
    "deploy.broadcast-limit-out-of-range",
    "A limit of {limit} broadcasts per second is out of range.",
    "Choose 1 to {most}, or 0 for none.",
)
GUARD_WITHOUT_LAN_PORT = MessageForm(
    "deploy.guard-without-lan-port",
    "Blocking DHCP or router advertisements needs a joined LAN port.",
    "Name the LAN ports too: --bridge A=PORT --bridge B=PORT",
)
ONE_INNER_ADDRESS = MessageForm(
    "deploy.one-inner-address",
    "Give an address in the tunnel for both hosts, or for none.",
)
NO_INNER_ADDRESS = MessageForm(
    "deploy.no-inner-address",
    "{text} is no address for a host in the tunnel: it takes an IPv4 address with its prefix length.",
    "Example: 10.99.0.1/24 on A and 10.99.0.2/24 on B.",
)
INNER_ADDRESSES_APART = MessageForm(
    "deploy.inner-addresses-apart",
    "{a} and {b} must be two addresses of the same network.",
)
PARTS_IN_THE_WAY = MessageForm(
    "deploy.parts-in-the-way",
    "Parts of the deployment on {hosts} are gone, and what is left is in the way.",
    "Remove it first: tunnelmark undeploy {pair}",
)
FRAMES_READABLE = MessageForm(
    "deploy.frames-readable",
    "Frames can be read on the way between the hosts.",
)
FAILS_OPEN = MessageForm(
    "deploy.fails-open",
    "Frames leave unprotected after this: {breakages}.",
)
PACKETS_GET_IN = MessageForm(
    "deploy.packets-get-in",
    "Packets get into the tunnel without its cryptography.",
)
NOTHING_DEPLOYED = MessageForm(
    "deploy.nothing-deployed",
    "Nothing is deployed on {pair}.",
)
NOTHING_ON_HOST = MessageForm(
    "deploy.nothing-on-host",
    "Nothing is deployed on {host}.",
)
NO_FREE_SLOT = MessageForm(
    "deploy.no-free-slot",
    "All {slots} slots for deployments are taken on the hosts, by deployments or by other "
    "programs' interfaces, ports and subnets.",
    "Remove a deployment that is no longer needed with `tunnelmark undeploy` and its pair's name.",
)
HOST_GAVE_NO_STATUS = MessageForm(
    "deploy.host-gave-no-status",
    "{host} could not be asked for its deployment.",
)
CHANGED_MEANWHILE = MessageForm(
    "deploy.changed-meanwhile",
    "Another Tunnelmark has meanwhile changed the deployment on {hosts}.",
    "Inspect it with: tunnelmark status {pair}. Then try again.",
)
WAITS_ELSEWHERE = MessageForm(
    "deploy.waits-elsewhere",
    "{title:title} waits on {pair} for its confirmation, and {owner} asks for that.",
    "Roll it back there.",
)
ROLLBACK_INCOMPLETE = MessageForm(
    "deploy.rollback-incomplete",
    "{host} could not be rolled back completely.",
    "Run there: {command}",
)
CONFIRMED_MEANWHILE = MessageForm(
    "deploy.confirmed-meanwhile",
    "{title:title} was confirmed on {host} meanwhile.",
    "Remove it with: tunnelmark undeploy {pair}",
)
NOTHING_TO_CONFIRM = MessageForm(
    "deploy.nothing-to-confirm",
    "There is nothing to confirm on {pair}: nothing is deployed.",
)
NOTHING_WAITS = MessageForm(
    "deploy.nothing-waits",
    "Nothing waits for a confirmation on {pair}.",
)
PORTS_TO_JOIN = MessageForm(
    "deploy.ports-to-join",
    "Interfaces of {host} that can be joined: {ports}.",
)
NO_PORTS_TO_JOIN = MessageForm(
    "deploy.no-ports-to-join",
    "No interface of {host} can be joined.",
)
SUITES_OFFERED = MessageForm(
    "deploy.suites-offered",
    "Suites of {solution} here: {offered}.",
)
NOT_CONFIRMED = MessageForm(
    "deploy.not-confirmed",
    "The deployment was not confirmed. {why}",
)
NOT_CONFIRMED_ON_BOTH = MessageForm(
    "deploy.not-confirmed-on-both",
    "The deployment was not confirmed on both hosts. {why}",
)
NOT_ENDED_ON_BOTH = MessageForm(
    "deploy.not-ended-on-both",
    "The deployment has not ended on both hosts. {why}",
    "Run undeploy again once both hosts can be reached.",
)
NOT_REMOVED = MessageForm(
    "deploy.not-removed",
    "It could not be removed on {host}. {why}",
)
NOT_REPAIRABLE_NOW = MessageForm(
    "deploy.not-repairable-now",
    "{status}",
    "Refresh in half a minute.",
)
HOST_SILENT = MessageForm(
    "deploy.host-silent",
    "{host}: cannot be asked. {why}",
)
UNKNOWN_WHETHER_DEPLOYED = MessageForm(
    "deploy.unknown-whether-deployed",
    "It is not known whether anything is deployed on {pair}.",
)
KEYS_NOT_REPLACED = MessageForm(
    "deploy.keys-not-replaced",
    "The keys of deployment {number} on {pair} were not replaced.",
)
SEE_STATUS = MessageForm(
    "deploy.see-status",
    "See how the hosts are with: tunnelmark status {pair}",
)
UNKNOWN_WHETHER_WAITING = MessageForm(
    "deploy.unknown-whether-waiting",
    "It is not known whether anything waits for a confirmation on {pair}.",
)
LAST_KNOWN = MessageForm(
    "deploy.last-known",
    "The last deployment known here, {number}, is {state}.",
)
ROLLS_BACK_WHEN_OVER = MessageForm(
    "deploy.rolls-back-when-over",
    "What waits is rolled back when its time is up.",
)
LAST_OF_PAIR = MessageForm(
    "deploy.last-of-pair",
    "Its last deployment, {number}, is {state}.",
)
DEPLOY_WITH = MessageForm(
    "deploy.deploy-with",
    "Deploy with: tunnelmark deploy {pair} SOLUTION",
)
VERDICT_WORSE = MessageForm(
    "deploy.verdict-worse",
    "Today's policy calls it {verdict}; it was {earlier}.",
)
MEASURE_IT = MessageForm(
    "deploy.measure-it",
    "It can be measured. Choose another suite to deploy.",
)
GIVE_REASON = MessageForm(
    "deploy.give-reason",
    "Say why: --reason 'for example: the old gateway knows nothing else until it is replaced in May'.",
)

# --- status -----------------------------------------------------------------------------------------------------------

UNREACHABLE = MessageForm("deploy.unreachable", "{host} is unreachable.")
OPEN_TO_STRANGERS = MessageForm(
    "deploy.open-to-strangers",
    "An earlier version of Tunnelmark deployed this on {hosts}: it lets in packets that a stranger forges or replays.",
)
AGAIN_WITH_NEW_KEYS = MessageForm("deploy.again-with-new-keys", "Deploy it again, with new keys: {command}")
AGAIN_FROM_THERE = MessageForm(
    "deploy.again-from-there", "Deploy it again, from the computer on which it was deployed or exported."
)
LANS_PARTED = MessageForm(
    "deploy.lans-parted",
    "The LANs of {a} and {b} are parted: own frames come back to {hosts} (a second connection between the LANs, a loop "
    "in one of them, or a device that sends this host's frames or address back). About 30 s after that has ended, the "
    "LANs are joined again. If the second connection is another tunnel with a loop guard, that one is parted, too.",
)
LANS_PARTED_SINCE = MessageForm(
    "deploy.lans-parted-since",
    "The LANs of {a} and {b} are parted since {since:time}: own frames come back to {hosts} (a second connection "
    "between the LANs, a loop in one of them, or a device that sends this host's frames or address back). About 30 s "
    "after that has ended, the LANs are joined again. If the second connection is another tunnel with a loop guard, "
    "that one is parted, too.",
)
WORKED_ON = MessageForm("deploy.worked-on", "{host} is being worked on, or rolls back by itself.")
WORKED_ON_FOR = MessageForm(
    "deploy.worked-on-for", "{host} is being worked on, or rolls back by itself within {left_s} s."
)
FIREWALL = MessageForm("deploy.firewall", "Firewall")
LAN_PORT = MessageForm("deploy.lan-port", "LAN port")

# --- commit and rollback ----------------------------------------------------------------------------------------------

NOT_KEPT = MessageForm("deploy.not-kept", "{host} did not confirm the deployment ({why}).")
COMMIT_UNANSWERED = MessageForm("deploy.commit-unanswered", "no answer")
NOT_ASKED_WHETHER_KEPT = MessageForm(
    "deploy.not-asked-whether-kept", "Whether {host} confirmed the deployment could not be read: {why}"
)
KEEPS_ALONE_BECAUSE = MessageForm("deploy.keeps-alone-because", "Only {host} has confirmed the deployment: {why}")
ONE_HOST_KEEPS_IT = MessageForm("deploy.one-host-keeps-it", "The deployment may be confirmed on one host only.")
REPAIR_WITH = MessageForm("deploy.repair-with", "Repair it with: tunnelmark status {pair} --repair")
ROLLED_BACK_BEFORE = MessageForm("deploy.rolled-back-before", "The deployment was rolled back before it was confirmed.")
ROLLS_BACK_LATER = MessageForm(
    "deploy.rolls-back-later", "{host} was not asked: it rolls back by itself when its time is over."
)
LOST_ON_HOST = MessageForm("deploy.lost-on-host", "{host}: {what}")
NOT_AS_IT_WAS = MessageForm("deploy.not-as-it-was", "This is not as it was before: {what}")

# --- monitor ----------------------------------------------------------------------------------------------------------

TUNNEL_LOST = MessageForm("monitor.tunnel-lost", "Tunnel lost: {why}")
CANNOT_BE_ASKED = MessageForm("monitor.cannot-be-asked", "Cannot be asked: {why}")
RTT_ABOVE = MessageForm("monitor.rtt-above", "Round-trip time is {value:.2f} ms, above {limit:.2f} ms.")
RTT_AGAIN = MessageForm("monitor.rtt-again", "Round-trip time is {value:.2f} ms again.")
LOSS_ABOVE = MessageForm("monitor.loss-above", "Loss is {value:.0f} %, above {limit:g} %.")
LOSS_AGAIN = MessageForm("monitor.loss-again", "Loss is {value:.0f} % again.")
SILENT_HOST = MessageForm("monitor.silent-host", "{hosts} does not answer over SSH.")
SILENT_HOSTS = MessageForm("monitor.silent-hosts", "{hosts} do not answer over SSH.")
NO_ANSWER_ON = MessageForm("monitor.no-answer-on", "no answer through it on {hosts}.")
INTERRUPTED_ROLLED_BACK = MessageForm(
    "deploy.interrupted-rolled-back", "It was interrupted, and both hosts rolled back."
)
LEFT_FILES = MessageForm(
    "deploy.left-files",
    "{host} has files of a deployment that was interrupted before it was confirmed; nothing reads them. Remove "
    "them with: tunnelmark status {pair} --repair",
)
DAMAGED_THERE = MessageForm(
    "deploy.damaged-there",
    "{host}: {missing} is missing, or not as it was installed, so that the state of the deployment there is "
    "not known. What runs goes on, but does not start again by itself. Restore that file, or remove the "
    "deployment with: tunnelmark undeploy {pair}. What may still run after that ends with a restart of {host}.",
)
AWAITS_CONFIRMATION = MessageForm(
    "deploy.awaits-confirmation", "It awaits confirmation; without one, both hosts roll back."
)
NOT_KNOWN_HERE = MessageForm(
    "deploy.not-known-here", "The deployment is not known on this computer: it was made from another one."
)
KEPT_BY_ONE = MessageForm("deploy.kept-by-one", "{host} has a deployment that {other} does not have.")
DIFFERENT_DEPLOYMENTS = MessageForm("deploy.different-deployments", "{a} and {b} have different deployments.")
NO_LONGER_THERE = MessageForm("deploy.no-longer-there", "It is no longer on the hosts.")
BOOT_FILE_CHANGED = MessageForm(
    "deploy.boot-file-changed", "The file that starts it with the host was changed or is gone."
)
FILE_NOT_THERE_BEFORE = MessageForm("deploy.file-not-there-before", "This file was not there.")
USED_FILE_CHANGED = MessageForm("deploy.used-file-changed", "The file that the programs read was changed.")
KEPT_FILE_CHANGED = MessageForm("deploy.kept-file-changed", "The kept file was changed.")
CERTIFICATE_NAMED = MessageForm("deploy.certificate-named", "Certificate {name}")
KEYS_MADE = MessageForm("deploy.keys-made", "Keys made at the deployment")
STEP_INSTALL = MessageForm("deploy.step-install", "Put in place what starts the tunnel with the host")
CONFIRMING_TOO_LONG = MessageForm(
    "deploy.confirming-too-long", "{host} has been confirming it for too long to be waited for."
)
STEP_CONFIRM = MessageForm("deploy.step-confirm", "Confirm the deployment")
STEP_CONFIRM_END = MessageForm("deploy.step-confirm-end", "Confirm that the deployment has ended")
STEP_RETIRE = MessageForm("deploy.step-retire", "Roll back what the other host did not confirm")
KEEPS_ALONE = MessageForm("deploy.keeps-alone", "Only {host} has the deployment; it could not be rolled back there.")
STEP_REMOVE_REPLACED = MessageForm("deploy.step-remove-replaced", "Remove the deployment that was replaced")
NOT_CONFIRMED_ALONE = MessageForm(
    "deploy.not-confirmed-alone",
    "So it is not confirmed without you: confirm within {within_s:g} s, or both hosts roll back. To have it "
    "proven, supply what is missing and deploy it again.",
)
NOT_ALL_PROVEN = MessageForm("deploy.not-all-proven", "Not everything was proven; the packet tests are repeated.")
NOT_WANTED = MessageForm("deploy.not-wanted", "The user did not confirm the deployment.")
NOT_CONFIRMED_WITHIN = MessageForm("deploy.not-confirmed-within", "It was not confirmed within {total_s:g} s.")
BOTH_ROLL_BACK = MessageForm("deploy.both-roll-back", "Both hosts roll back in {within_s:g} s unless it is confirmed.")
STEP_REMOVE_ALONE = MessageForm("deploy.step-remove-alone", "Remove the deployment, on this host alone")
REMOVED_FROM_ONE = MessageForm(
    "deploy.removed-from-one",
    "It was removed from {host} alone. {other} was not asked and may still have it. Once both can be reached, "
    "remove it there with: tunnelmark status {pair} --repair",
)
STEP_REMOVE_DAMAGED = MessageForm("deploy.step-remove-damaged", "Remove what is left of a damaged deployment")
STEP_REMOVE_UNFINISHED = MessageForm("deploy.step-remove-unfinished", "Remove the files of an interrupted deployment")
READING_DEPLOYMENTS = MessageForm("deploy.reading-deployments", "Reading the deployments on both hosts")
OF_ANOTHER_COMPUTER = MessageForm("deploy.of-another-computer", "A deployment of another computer")
STEP_TAKE_DOWN = MessageForm("deploy.step-take-down", "Take the tunnel down")
STEP_START_AGAIN = MessageForm("deploy.step-start-again", "Start the tunnel again, as it will start with the host")
HOST_ADDRESS_GONE = MessageForm("deploy.host-address-gone", "The address {address} of {device} is gone.")
ROUTE_GONE = MessageForm("deploy.route-gone", "The route {route} is gone.")
LATER_KEEP = MessageForm("deploy.later-keep", "Once confirmed: keep keys and files for later starts")
LATER_KEEP_UNDO = MessageForm("deploy.later-keep-undo", "Undo: keep keys and files for later starts")
LATER_START = MessageForm("deploy.later-start", "Once confirmed: start it at boot, and supervise it")
LATER_START_UNDO = MessageForm("deploy.later-start-undo", "Undo: start it with the host")
CROSS_IN_TWO = MessageForm(
    "deploy.cross-in-two", "Frames of more than {largest} bytes cross in two outer packets each."
)
CROSS_IN_TWO_HINT = MessageForm(
    "deploy.cross-in-two-hint", "They do cross; a larger MTU between the hosts would avoid the cost."
)
KEYS_LATER = MessageForm(
    "deploy.keys-later", "Keys are made on the hosts; what stands for their public parts is filled in then."
)
STEP_KEEP = MessageForm("deploy.step-keep", "Keep keys and files as they are now, to start the tunnel from them again")
STEP_SUSPEND = MessageForm("deploy.step-suspend", "Suspend the deployment that is replaced")
WATCHING_BEGINS = MessageForm("deploy.watching-begins", "Watching begins; the tunnel is up.")
UP_AGAIN = MessageForm("deploy.up-again", "The tunnel is up again after {lasted}.")
HAD_NO_ANSWER = MessageForm("deploy.had-no-answer", "{host} had no answer through it.")
LOST_BETWEEN = MessageForm("deploy.lost-between", "Tunnel lost for {lasted} between two checks: {why}")
CONFIRMED_ELSEWHERE = MessageForm("deploy.confirmed-elsewhere", "Another Tunnelmark has confirmed it on both hosts.")
IS_IN_STATE = MessageForm("deploy.is-in-state", "It is {state}.")
FLEET_OWN_FAULT = MessageForm("deploy.fleet-own-fault", "This is a fault of Tunnelmark itself: {error}")

VPN_SENDS_OFTEN = MessageForm(
    "deploy.vpn-sends-often",
    "{title:title} sends as often as on a wired link while it is idle: only the supervisors' probes become rare.",
    "Take a VPN whose keepalive can be set; the user guide lists them under metered links.",
)
LOOP_GUARD_SENDS = MessageForm(
    "deploy.loop-guard-sends",
    "The loop guard of the joined LANs sends six small frames from each host every 12 s, idle or not.",
)
