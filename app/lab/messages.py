"""Messages of practice labs: images, starts, conditions, names."""

from __future__ import annotations

from app.domain.messages import MessageForm

# --- this computer ----------------------------------------------------------------------------------------------------

SSH_MISSING = MessageForm(
    "lab.ssh-missing", "The program {program} is missing on this computer.", "Install the package openssh-client."
)
LAB_PROGRAM_MISSING = MessageForm(
    "lab.program-missing",
    "{program} is missing on this computer, and the practice lab runs on it.",
    "Install the package {package}: sudo apt-get install {package}",
)
IMAGE_PROGRAM_MISSING = MessageForm(
    "lab.image-program-missing",
    "{program} is missing on this computer, and the practice lab's image is made with it.",
    "Install the package {package}: sudo apt-get install {package}",
)
UIDMAP_MISSING = MessageForm(
    "lab.uidmap-missing",
    "newuidmap is missing on this computer; without root it is needed to make the practice lab's image.",
    "Install the package uidmap: sudo apt-get install uidmap",
)
KEYS_MISSING = MessageForm(
    "lab.keys-missing",
    "The keys that sign {platform} are missing on this computer.",
    "Install the package debian-archive-keyring.",
)
SPACE_TOO_LITTLE = MessageForm(
    "lab.space-too-little",
    "Too little disk space for {what}: {needed_mib} MiB are needed in {place}, {free_mib} MiB are free.",
    "Free some space there.",
)
DISK_FULL_WHILE = MessageForm(
    "lab.disk-full-while", "The disk of this computer is full while {what}.", "Free some space there."
)
FAILED_WHILE = MessageForm(
    "lab.failed-while", "{reason} while {what}.", "Check that the folder exists and belongs to you."
)
AT_PATH = MessageForm("lab.at-path", "{what} ({path})")
MAKING_LAB_IMAGE = MessageForm("lab.making-lab-image", "making the practice lab's image")
MAKING_IMAGE = MessageForm("lab.making-image", "making the image of {platform}")
SAVING_GATEWAY = MessageForm("lab.saving-gateway", "saving a virtual gateway")
STARTING_LAB = MessageForm("lab.starting-lab", "starting the lab “{lab}”")
RUNNING_LAB = MessageForm("lab.running-lab", "running a practice lab")
PORTS_TAKEN = MessageForm(
    "lab.ports-taken",
    "No TCP port between {first} and {last} on 127.0.0.1 is free.",
    "Stop the programs that use them.",
)

# --- images -----------------------------------------------------------------------------------------------------------

DISK_FILLED = MessageForm(
    "lab.disk-filled",
    "The disk of this computer filled up while the practice lab's image was made.",
    "Free some space and try again.",
)
IMAGE_FAILED = MessageForm(
    "lab.image-failed",
    "The practice lab's image could not be made: {program} ended with status {status}.\n{log}",
)
SEE_LINES_ABOVE = MessageForm("lab.see-lines-above", "The last lines of its log, above, say why.")
NEEDS_SUBORDINATE_IDS = MessageForm(
    "lab.needs-subordinate-ids",
    "As an ordinary user this needs subordinate user ids: "
    "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $USER",
)
MIRROR_UNREACHABLE = MessageForm(
    "lab.mirror-unreachable", "The Debian mirror could not be reached: check the network and try again."
)
KEYS_TOO_OLD = MessageForm(
    "lab.keys-too-old",
    "The keys on this computer are older than the release: update the package debian-archive-keyring.",
)
NO_ARCHIVE = MessageForm(
    "lab.no-archive",
    "apt on this computer names no Debian archive to make the practice lab from.",
    "Run `apt-get update`, or set {variable} to the address of a Debian mirror.",
)
NO_APT = MessageForm(
    "lab.no-apt",
    "{program} does not work on this computer, and the practice lab is made from apt's packages.",
    "Make the lab on Debian or a system derived from it.",
)
DISK_NOT_MADE = MessageForm("lab.disk-not-made", "No disk could be made for the lab: {output}")
KEY_NOT_MADE = MessageForm("lab.key-not-made", "No key could be made for the lab: {output}")

# --- starting ---------------------------------------------------------------------------------------------------------

GATEWAY = MessageForm("lab.gateway", "gateway {side}")
NODE = MessageForm("lab.node", "node {side}")
NODE_NO_LOGIN = MessageForm(
    "lab.node-no-login",
    "Node {side} of the lab “{lab}” runs, but no login works: {why}",
    "Try again; if it happens again, see the last lines of its console.",
)
NODE_ENDED = MessageForm(
    "lab.node-ended",
    "QEMU ended while node {side} of the lab “{lab}” started: {log}",
    "If memory is short, close other programs; if QEMU is older than 7.2, update it.",
)
NODE_IDENTITY_NOT_TAKEN = MessageForm(
    "lab.node-identity-not-taken", "Node {side} of the lab “{lab}” did not take its identity: {why}.", "Try again."
)
NO_LOGIN = MessageForm(
    "lab.no-login",
    "Gateway {side} of the lab “{lab}” runs, but no login works: {why}",
    "Try again; if it happens again, see the last lines of its console.",
)
LOGIN_SILENT = MessageForm("lab.login-silent", "no answer")
SSH_ENDED = MessageForm("lab.ssh-ended", "ssh ended with status {status}")
LAB_PORT_TAKEN = MessageForm(
    "lab.port-taken", "TCP port {port} on 127.0.0.1 is in use by another program.", "Try again."
)
QEMU_ENDED = MessageForm(
    "lab.qemu-ended",
    "QEMU ended while gateway {side} of the lab “{lab}” started: {log}",
    "If memory is short, close other programs; if QEMU is older than 7.2, update it.",
)
NOTHING_PRINTED = MessageForm("lab.nothing-printed", "it printed nothing")
GATEWAYS_TOO_SLOW = MessageForm(
    "lab.gateways-too-slow",
    "In the lab “{lab}”, {gateways} did not come up within {seconds:g} s. The last lines of the console:\n{console}",
    "This computer may be too busy: close other programs and try again.",
)
IDENTITY_NOT_TAKEN = MessageForm(
    "lab.identity-not-taken", "Gateway {side} of the lab “{lab}” did not take its identity: {why}.", "Try again."
)
TAKING_IDENTITY = MessageForm("lab.taking-identity", "a gateway to take its identity")
NOT_HARDENED_IN_TIME = MessageForm(
    "lab.not-hardened-in-time",
    "Closing the firewall of {host} took longer than {seconds:g} s.",
    "Take the lab down and start it again.",
)
NOT_HARDENED = MessageForm(
    "lab.not-hardened",
    "The firewall of {host} could not be closed: {output}",
    "Take the lab down and start it again.",
)
NOT_STARTED = MessageForm("lab.not-started", "The lab's virtual machines could not be started: {output}")
START_TOO_SLOW = MessageForm("lab.start-too-slow", "The lab's virtual machines did not start in time.", "Try again.")
NOT_SAVED = MessageForm("lab.not-saved", "A gateway cannot be saved: {why}")
NOT_RESTORED = MessageForm("lab.not-restored", "The saved gateways cannot be restored: {why}")
RESTORED_UNUSABLE = MessageForm("lab.restored-unusable", "The restored gateways are not usable: {why}")
FIRST_BOOT_ENDED = MessageForm("lab.first-boot-ended", "QEMU ended while a virtual gateway booted: {log}")
VIRTUAL_GATEWAY = MessageForm("lab.virtual-gateway", "the virtual gateway")
VIRTUAL_GATEWAYS = MessageForm("lab.virtual-gateways", "the virtual gateways")
PREPARATIONS = MessageForm("lab.preparations", "another Tunnelmark's preparations")
GATEWAY_MEMORY = MessageForm("lab.gateway-memory", "a virtual gateway's memory")

# --- running labs -----------------------------------------------------------------------------------------------------

LAB_SILENT = MessageForm(
    "lab.silent",
    "The lab “{lab}” does not answer.",
    "Take it down and start it again: tunnelmark lab down --name {lab}",
)
LAB_UNREADABLE = MessageForm(
    "lab.unreadable",
    "The lab “{lab}” runs, but its description cannot be read.",
    "Take it down and start it again: tunnelmark lab down --name {lab}",
)
LAB_TOO_OLD = MessageForm(
    "lab.too-old",
    "The lab “{lab}” was started by an earlier Tunnelmark, which holds no conditions.",
    "Take it down and start it again: tunnelmark lab down --name {lab}",
)
LAB_STARTS = MessageForm(
    "lab.starts",
    "The lab “{lab}” is still starting.",
    "Wait until it is up, or take it down: tunnelmark lab down --name {lab}",
)
LAB_NOT_STOPPED = MessageForm(
    "lab.not-stopped", "The lab “{lab}” could not be taken down.", "See which process uses {folder}."
)
LAB_TAKEN = MessageForm(
    "lab.taken",
    "A lab “{lab}” is running already.",
    "Use it, choose another name, or take it down: tunnelmark lab down --name {lab}",
)
LAB_ENDED = MessageForm("lab.ended", "There is no lab named {lab}.", "It has ended already.")
LAB_UNKNOWN = MessageForm("lab.unknown", "No lab “{lab}” is running.", "Start it with: tunnelmark lab up --name {lab}")
LAB_OR_PLATFORM_UNKNOWN = MessageForm(
    "lab.or-platform-unknown",
    "There is no running lab named {lab}.",
    "Start it with: tunnelmark lab up --name {lab}. Platforms, for a lab that is started when needed: {platforms}.",
)
NO_LAB_OF_KIND = MessageForm(
    "lab.none-of-kind", "No lab of the kind {kind} is running.", "Start one with: tunnelmark lab up --platform {kind}"
)
LAB_DOWN = MessageForm(
    "lab.down", "The practice lab of {pair} is down.", "Start a practice lab, or choose another pair."
)
START_LAB_OR_CHOOSE = MessageForm("lab.start-or-choose", "Start a practice lab, or choose another pair.")
SET_ANOTHER_CONDITION = MessageForm(
    "lab.set-another-condition", "Set another condition: tunnelmark lab condition as-found"
)
OTHER_CONDITION = MessageForm(
    "lab.other-condition", "The link of the lab was under the condition {other} meanwhile, not {wanted}."
)
EMULATOR_ENDED = MessageForm("lab.emulator-ended", "The lab's link emulator has ended.")

MONITOR_FAULT = MessageForm(
    "lab.monitor-fault",
    "QEMU's monitor {monitor} of the lab “{lab}” {what}.",
    "Take the lab down and start it again.",
)
MONITOR_SILENT = MessageForm("lab.monitor-silent", "does not answer")
MONITOR_LOST = MessageForm("lab.monitor-lost", "did not take {command}")
MONITOR_REFUSED = MessageForm("lab.monitor-refused", "refused {command}: {why}")
MONITOR_NO_ANSWER = MessageForm("lab.monitor-no-answer", "did not answer {command}")
MONITOR_ENDED = MessageForm("lab.monitor-ended", "ended at {command}")
MONITOR_NO_FILE = MessageForm("lab.monitor-no-file", "did not take a file")
MONITOR_NOT_CARRIED = MessageForm("lab.monitor-not-carried", "could not carry memory over: {why}")

# --- names ------------------------------------------------------------------------------------------------------------

PLATFORM_UNKNOWN = MessageForm(
    "lab.platform-unknown", "There is no platform “{platform}”.", "Known platforms: {known}."
)
PLATFORMS_UNCLEAR = MessageForm(
    "lab.platforms-unclear",
    "“{text}” does not say which platform is on which side.",
    "Write one for both (debian-13), or one for each (A=debian-11,B=debian-13).",
)
LAB_NAME_WRONG = MessageForm(
    "lab.name-wrong",
    "“{lab}” cannot be a lab's name.",
    "Use lower-case letters, digits and hyphens, 31 characters at most, a letter or digit first.",
)
LAB_NAME_OF_PLATFORM = MessageForm(
    "lab.name-of-platform",
    "A lab cannot be called “{lab}”: that is the name of a platform.",
    "Choose another name; `lab:{lab}` already means a lab of that platform that is started when needed.",
)
CLOSING_FIREWALLS = MessageForm("lab.closing-firewalls", "Closing the firewalls of both gateways")
FETCHING_LISTS = MessageForm("lab.fetching-lists", "Fetching the lists of packages")
FETCHING_PACKAGES = MessageForm("lab.fetching-packages", "Fetching packages")
UNPACKING_SYSTEM = MessageForm("lab.unpacking-system", "Unpacking the system")
INSTALLING_SYSTEM = MessageForm("lab.installing-system", "Installing the system")
INSTALLING_VPNS = MessageForm("lab.installing-vpns", "Installing the VPNs and the kernel")
MAKING_REPOSITORY = MessageForm("lab.making-repository", "Making the package repository")
MAKING_USERS = MessageForm("lab.making-users", "Making users and services")
MAKING_STARTUP = MessageForm("lab.making-startup", "Making the start-up files")
PACKING_SYSTEM = MessageForm("lab.packing-system", "Packing the system")
WRITING_FILE_SYSTEM = MessageForm("lab.writing-file-system", "Writing the file system")
CHECKING_IMAGE = MessageForm("lab.checking-image", "Checking the image")
LEGACY_PLATFORM = MessageForm("lab.legacy-platform", "{release} with VPNs of former times")
PLATFORM_WITH_VPN = MessageForm("lab.platform-with-vpn", "{release} with {vpn}")
IMAGE_READY = MessageForm("lab.image-ready", "The image of {platform} is ready.")
ANOTHER_PREPARES = MessageForm(
    "lab.another-prepares", "Another Tunnelmark is preparing the practice lab; waiting for it."
)
FIRST_BOOT = MessageForm("lab.first-boot", "Starting a virtual gateway for the first time, to save it")
RESTORING_GATEWAYS = MessageForm("lab.restoring-gateways", "Restoring the virtual gateways")
GATEWAYS_UP = MessageForm("lab.gateways-up", "Both gateways are up")
BOOTING_INSTEAD = MessageForm("lab.booting-instead", "{why} Booting both gateways instead")
BOOTING_GATEWAYS = MessageForm(
    "lab.booting-gateways", "Starting the virtual gateways ({booted} of {number} have booted)"
)
WAITING_FOR_LOGIN = MessageForm(
    "lab.waiting-for-login", "Waiting until the gateways can be logged in to ({ready} of {number} are ready)"
)
LOGGING_IN = MessageForm("lab.logging-in", "Logging in")
STOPPING_LAB = MessageForm("lab.stopping-lab", "Stopping the lab {name}")
ITS_LAB_WAS_STOPPED = MessageForm("lab.its-lab-was-stopped", "Its practice lab was stopped.")
LAB_IN_USE = MessageForm("lab.lab-in-use", "In use by {holder}.")
LAB_MEASURES = MessageForm("lab.lab-measures", "A comparison or census of {pair} is running.")
UNTIL_STOPPED = MessageForm("lab.until-stopped", "until it is stopped")
UNTIL_CLOSED = MessageForm("lab.until-closed", "until Tunnelmark is closed")
UNTIL_USER_ENDS = MessageForm("lab.until-user-ends", "until {user} ends")
LAB_CONDITION = MessageForm("lab.lab-condition", "The condition of the lab")
MAKING_IMAGE_ONCE = MessageForm("lab.making-image-once", "Making the image of {platform}, once")
SAVING_BOOTED = MessageForm("lab.saving-booted", "Saving the virtual gateway")
LAB_OF_OWNER = MessageForm("lab.of-owner", "{user} started it for itself.")
LAB_CONNECTED = MessageForm("lab.connected", "{user} is connected to it.")
LAB_HAS_DEPLOYMENT = MessageForm("lab.has-deployment", "The deployment {id} ({title:title}) is {state} on it.")
PROCESS_NUMBER = MessageForm("lab.process-number", "process {pid}")
PROCESS_COMMAND = MessageForm("lab.process-command", "process {pid} ({command})")
LAB_KIND = MessageForm("lab.kind", "{platforms}, CPU {cpu:text}")
LAB_KIND_LINK = MessageForm("lab.kind-link", "{platforms}, CPU {cpu:text}, link like {condition}")
FIRST_PROCESS_NUMBER = MessageForm("lab.first-process-number", "Process {pid}")
FIRST_PROCESS_COMMAND = MessageForm("lab.first-process-command", "Process {pid} ({command})")
