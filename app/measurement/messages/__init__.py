"""Messages of measurement: each with its code, its text and its hint, each in one place.

Promises stable codes: stored messages are known by them. Those of studies that are measured again are in `studies`.
Must not hold anything but message forms, nor know who raises them.
"""

from __future__ import annotations

from app.domain.messages import MessageForm

FRAMES_STOPPED = MessageForm(
    "measure.frames-stopped",
    "{title:title} stopped carrying frames: no echo request of its last {blocks} blocks was answered.",
    "See its log.",
)
NO_THROUGHPUT = MessageForm(
    "measure.no-throughput",
    "Throughput was not measured.",
    "Set a lower limit in Mbit/s for this pair.",
)
PING_WITHOUT_PATTERN = MessageForm(
    "measure.ping-without-pattern",
    "BusyBox's ping on {host} cannot mark what it sends.",
    "Install iputils' ping there.",
)
CENSUS_UNKNOWN_SOLUTION = MessageForm(
    "measure.census-unknown-solution",
    "There is no solution named {solution}.",
    "Solutions with options here: {known:text}.",
)
CENSUS_NO_OPTIONS = MessageForm(
    "measure.census-no-options",
    "{solution} offers nothing to choose on these hosts.",
    "Solutions with options here: {known:text}.",
)
CENSUS_NOTHING = MessageForm(
    "measure.census-nothing",
    "No solution offers anything to choose on these hosts.",
    "`tunnelmark discover {pair} --install` can install what is missing.",
)
CENSUS_UNKNOWN_OPTIONS = MessageForm(
    "measure.census-unknown-options",
    "Neither host lists {options} for {solutions}.",
    "Write the names as the program does; they are in the JSON of a census.",
)
OWN_FAULT = MessageForm(
    "measure.own-fault",
    "Tunnelmark itself failed ({kind}: {error}).",
    "Please report it with the log file.",
)
LOGS_UNREAD = MessageForm("measure.logs-unread", "(The logs could not be read after {seconds:.0f} s: {reason:text})")
NO_ADAPTER = MessageForm(
    "measure.no-adapter",
    "There is no adapter for {solution}.",
)
SUITE_GONE = MessageForm(
    "measure.suite-gone",
    "These hosts do not offer {suite} with {solution} (any more).",
)
INNER_FRAMES_READABLE = MessageForm(
    "measure.frames-readable",
    "Frames inside the tunnel can be read on the underlay. {proof}",
    "Do not use this configuration.",
)
FORGED_PACKETS_GET_IN = MessageForm(
    "measure.packets-get-in",
    "Packets get into the tunnel that did not come through its cryptography. {proof}",
    "Do not use this configuration.",
)
NOTHING_TO_COMPARE = MessageForm(
    "measure.nothing-to-compare",
    "There is nothing to compare.",
    "Choose at least one candidate.",
)
CANDIDATE_TWICE = MessageForm(
    "measure.candidate-twice",
    "{solution} with {suite} is named twice.",
    "Choose each candidate once.",
)
NUMBER_OUT_OF_RANGE = MessageForm(
    "measure.number-out-of-range",
    "{value} {what}: it must be {low} to {high}.",
)
FRAME_SIZES_ALIKE = MessageForm(
    "measure.frame-sizes-alike",
    "The frame sizes must be different from each other, and at least one.",
)
DEADLINE_OUT_OF_RANGE = MessageForm(
    "measure.deadline-out-of-range",
    "A deadline of {deadline_ms:g} ms: it must be more than 0 and less than 1,000,000 ms.",
)
RATE_OUT_OF_RANGE = MessageForm(
    "measure.rate-out-of-range",
    "{mbit_s:g} Mbit/s: it must be more than 0 and less than 1,000,000 Mbit/s.",
)
HOST_UNSTEADY = MessageForm(
    "measure.host-unsteady",
    "A host stops answering again and again: {why}",
    "Check that both are running and connected, then resume.",
)
HOSTS_NOT_ROLLED_BACK = MessageForm(
    "measure.hosts-not-rolled-back",
    "The hosts could not be rolled back: {why}",
    "Run: tunnelmark recover {pair}",
)
NOT_OFFERED = MessageForm(
    "measure.not-offered",
    "Not offered for these hosts: {suites}.",
)
PLAIN_PINGS_FAILED = MessageForm(
    "measure.plain-pings-failed",
    "Plain pings on {host} brought no figures.",
    "Its ping cannot be used, or the host has no place for a temporary file.",
)
HOST_LOST = MessageForm(
    "measure.host-lost",
    "{host} cannot be reached any more: {why}",
    "Check that it is running and connected, then resume.",
)
STEP_COMES_FIRST = MessageForm(
    "measure.step-comes-first",
    "Step {number} ({step:text}) comes first.",
    "Complete it, then go on.",
)
NOTHING_TICKED = MessageForm(
    "measure.nothing-ticked",
    "Nothing is ticked.",
    "Tick at least one candidate.",
)
HOSTS_NOT_INSPECTED = MessageForm(
    "measure.hosts-not-inspected",
    "The hosts have not been inspected yet.",
    "Do step 1 (hosts) first.",
)
LOAD_NOT_ALLOWED = MessageForm(
    "measure.load-not-allowed",
    "{pair} is not a practice lab, and the user has not agreed to load on its link.",
)
PROGRAM_MISSING = MessageForm(
    "measure.program-missing",
    "{program} is missing on {host}.",
    "Install it there; Tunnelmark can do that for you.",
)
WORKLOAD_NEEDS_PROGRAM = MessageForm("measure.workload-needs-program", "{host} lacks {program}, for {workloads:text}")
WORKLOAD_NEEDS_FULL = MessageForm(
    "measure.workload-needs-full", "{host} has BusyBox's {program} only, which does not do for {workloads:text}"
)
WORKLOAD_NEEDS_NEWER = MessageForm(
    "measure.workload-needs-newer",
    "{host} has {program} {version}, and {least} is the least for {workloads:text}",
)
WORKLOADS_LACK = MessageForm(
    "measure.workloads-lack",
    "Hosts lack what the workloads need: {lacks}. Nothing was set up.",
    "Install {packages} there, or compare without these workloads.",
)
WORKLOADS_NEED_LAB = MessageForm(
    "measure.workloads-need-lab",
    "{pair} is no practice lab: {workloads:text} would flood one of its hosts. Nothing was set up.",
    "Start one with: tunnelmark lab up",
)
WORKLOAD_DISTURBED = MessageForm(
    "measure.workload-disturbed",
    "{workload}: other work took {cores:.2f} cores of this computer meanwhile, so the figures may be too low.",
)
HUB_LACKS_SUITE = MessageForm(
    "measure.hub-lacks-suite",
    "The hub with many clients has no suite {suite}; compare {offered} instead.",
)
LOAD_HINT_CENSUS = MessageForm(
    "measure.load-hint-census",
    "Each option fills the link for a second: agree to that (--allow-load).",
)
LOAD_HINT_COMPARISON = MessageForm(
    "measure.load-hint-comparison",
    "Measuring fills the link for seconds at a time: agree to that (--allow-load), and set a limit in "
    "Mbit/s (--load-cap).",
)
MANAGEMENT_FAILED = MessageForm(
    "measure.management-failed",
    "The management connection to {host} failed under load: {why} The load was stopped.",
    "Set a lower limit in Mbit/s for this pair.",
)
MANAGEMENT_SLOW = MessageForm(
    "measure.management-slow",
    "{host} took {answer_ms:.0f} ms to answer over its management connection under load, "
    "{reference_ms:.0f} ms without. The load was stopped.",
    "Set a lower limit in Mbit/s for this pair.",
)
ECHO_REQUESTS_PER_SIZE = MessageForm(
    "measure.echo-requests-per-size",
    "echo requests per frame size",
)
MB_TO_TRANSFER = MessageForm(
    "measure.mb-to-transfer",
    "MB to transfer",
)
SECONDS_OF_TCP = MessageForm(
    "measure.seconds-of-tcp",
    "seconds of TCP",
)
ROUNDS = MessageForm(
    "measure.rounds",
    "rounds",
)
BYTES_IN_A_FRAME = MessageForm(
    "measure.bytes-in-a-frame",
    "bytes in a frame",
)
NO_EMULATION_ON_LINK = MessageForm(
    "measure.no-emulation-on-link",
    "No condition can be emulated on the link of {pair}.",
    "Use a running practice lab.",
)
CONDITION_NOT_MET = MessageForm(
    "measure.condition-not-met",
    "The link is not as the condition {condition} asks for: {missed}.",
    "Measure again while the computer is less busy; nothing was judged.",
)

# --- progress ---------------------------------------------------------------------------------------------------------

ROUND_STEP = MessageForm("measure.round-step", "round {round}: {title:title}: {what:text}")
OF_CANDIDATE = MessageForm("measure.of-candidate", "{title:title}: {what:text}")
ONE_AT_A_TIME_NOW = MessageForm("measure.one-at-a-time-now", "Candidates are measured one at a time from now on.")
ROUND_COMPLETE = MessageForm("measure.round-complete", "1 round of it is complete.")
ROUNDS_COMPLETE = MessageForm("measure.rounds-complete", "{number} rounds of it are complete.")
ATTEMPTS_NOT_RUN = MessageForm("measure.attempts-not-run", "{left} of {number} attempts were not run.")
WORK_CANCELLED = MessageForm("measure.work-cancelled", "The {kind:text} was cancelled.")
TRYING_AGAIN = MessageForm("measure.trying-again", "Trying once more.")
NOT_MEASURED_ANY_MORE = MessageForm("measure.not-measured-any-more", "{title:title} is not measured any more: {why}")
CYCLE_OF_ROUND = MessageForm("measure.cycle-of-round", "round {round}: cycle {cycle}, {good} of {wanted} good")
SKIPPED_IN_STAGE = MessageForm("measure.skipped-in-stage", "You skipped it in the stage “{stage:text}”.")
CANCELLED_WHILE_RUNNING = MessageForm("measure.cancelled-while-running", "It was cancelled while it ran.")
SKIPPED_WHILE_RUNNING = MessageForm("measure.skipped-while-running", "You skipped it while it ran.")
INSPECTING_BOTH = MessageForm("measure.inspecting-both", "inspecting both hosts")
WARMING_UP = MessageForm("measure.warming-up", "warming up")
TCP_BOTH_WAYS = MessageForm("measure.tcp-both-ways", "TCP in both directions")
CPU_AT_RATE = MessageForm("measure.cpu-at-rate", "CPU at {rate:.3g} Mbit/s")
BLOCKS_AGAIN = MessageForm("measure.blocks-again", "The blocks of round {round} are measured again: {reasons}.")
OUTAGE_PROVED = MessageForm(
    "measure.outage-proved",
    "{title:title} had an outage within a block: further blocks of it alone show whether that recurs.",
)
ATTEMPT_AGAIN = MessageForm(
    "measure.attempt-again",
    "Round {round} of {title:title} was disturbed ({reason}): it is measured again, repeat {number} of at most {most}.",
)
REPEAT_ENDED_EARLY = MessageForm(
    "measure.repeat-ended-early",
    "It was measured again because it was disturbed, and this repeat did not complete: {why} The figures are those of "
    "the disturbed attempt.",
)
REPEAT_NOT_ENDED = MessageForm("measure.repeat-not-ended", "It is still running, or Tunnelmark was ended meanwhile.")
INTERLEAVED_BLOCKS = MessageForm("measure.interleaved-blocks", "interleaved blocks")
CYCLES_ENDED_EARLY = MessageForm("measure.cycles-ended-early", "The cycles of this round were ended early.")
GETTING_READY = MessageForm("measure.getting-ready", "getting ready")
RTT_OF_SIZES = MessageForm("measure.rtt-of-sizes", "round-trip times of {number} frame sizes")
NOT_SET_UP_TOGETHER = MessageForm(
    "measure.not-set-up-together", "The tunnels could not be set up together ({why}): one at a time instead."
)
SECOND_TRY = MessageForm("measure.second-try", "It came up at a second try. At first: {why}")
ECHOES_LOST_AT_FIRST = MessageForm(
    "measure.echoes-lost-at-first", "{lost} of {sent} echo requests were lost at a first try."
)
FEW_CAPTURED_AT_FIRST = MessageForm(
    "measure.few-captured-at-first", "Only {captured} packets were captured at a first try."
)
DEFAULT_DOES_NOT_WORK = MessageForm(
    "measure.default-does-not-work", "Not even its safe default works on these hosts, so that no failure would count."
)
NOT_LISTED_ANY_MORE = MessageForm("measure.not-listed-any-more", "These hosts do not list it any more.")
DEFAULT_STOPPED_WORKING = MessageForm(
    "measure.default-stopped-working", "Its safe default does not work any more on these hosts."
)
BUILDING_ANEW = MessageForm(
    "measure.building-anew", "The safe default did not work any more; building the tunnel anew."
)
DEFAULT_HAD_STOPPED = MessageForm(
    "measure.default-had-stopped", "Its safe default did not work any more on these hosts."
)
ECHOES_ANSWERED = MessageForm("measure.echoes-answered", "{received} of {sent} echo requests were answered.")
PLAINTEXT_READ = MessageForm(
    "measure.plaintext-read", "Plaintext was read in {seen} of {captured} packets on the underlay."
)
PLAINTEXT_BY_DEFINITION = MessageForm(
    "measure.plaintext-by-definition", "By definition it sends plaintext or unauthenticated frames over the underlay."
)
FEW_OF_THE_KIND = MessageForm(
    "measure.few-of-the-kind",
    "Frames crossed, but only {captured} packets of the right kind were seen on the underlay for {sent} echo requests.",
)
CONTROL_NOT_SEEN = MessageForm(
    "measure.control-not-seen",
    "The capture's control was not seen, so that it does not prove that no plaintext was sent.",
)
NOT_INSPECTED_AFTERWARDS = MessageForm(
    "measure.not-inspected-afterwards", "The hosts could not be inspected afterwards: {why}"
)
HOST_NOT_AS_BEFORE = MessageForm("measure.host-not-as-before", "Not as before the comparison: {what}")
HOSTS_AS_BEFORE = MessageForm("measure.hosts-as-before", "Both hosts are as they were before the comparison.")
BARE_EMULATOR = MessageForm("measure.bare-emulator", "Link emulator without delay, rate or loss")
WAS_NOT_MEASURED = MessageForm("measure.was-not-measured", "It was not measured.")
BLOCKED_BY_FIREWALL = MessageForm("measure.blocked-by-firewall", "blocked by the firewall of {host}: {openings}")
INSPECTING_HOSTS = MessageForm("measure.inspecting-hosts", "Inspecting both hosts")
MEASURING_PATH = MessageForm("measure.measuring-path", "Measuring the path between them")
MTU_NOT_PROBED = MessageForm("measure.mtu-not-probed", "The MTU could not be probed: {why}")
RTT_OF_BARE_LINK = MessageForm("measure.rtt-of-bare-link", "round-trip times of the bare link")
RATE_OF_BARE_LINK = MessageForm("measure.rate-of-bare-link", "rate and loss of the bare link from {start} to {end}")
CONNECTION_LOST_AGAIN = MessageForm(
    "measure.connection-lost-again", "The connection to {host} was lost; connecting again."
)
CONNECTED_AGAIN = MessageForm("measure.connected-again", "{host} is connected again.")
NO_SAFE_SUITE = MessageForm("measure.no-safe-suite", "no safe suite on both")
BUILDING_TUNNEL = MessageForm("measure.building-tunnel", "Building {title:title}")
DID_NOT_END = MessageForm("measure.did-not-end", "It did not end within {limit_s} s.")
LATENCY_CHANGED = MessageForm(
    "measure.latency-changed",
    "The latency of {title:title} changed by {percent:+.0f} % when the other tunnels came up.",
)
BARE_LINK_CHANGED = MessageForm(
    "measure.bare-link-changed",
    "The latency of the bare link changed by {percent:+.0f} % when the tunnels came up, and remained so: load of the "
    "hosts or the link, or idle tunnels that change all latencies alike.",
)
SIDE_BY_SIDE_NOT_CHECKED = MessageForm(
    "measure.side-by-side-not-checked",
    "Measured beside other tunnels without a check that those change no latency: too few echo requests were answered.",
)
MEASURED_ONE_AT_A_TIME = MessageForm(
    "measure.measured-one-at-a-time", "Candidates were measured with one tunnel at a time."
)
ON_HOST = MessageForm("measure.on-host", "{host}: {what:text}")
PACKET_TESTS_DONE = MessageForm("measure.packet-tests-done", "packet tests: {line}")
CONDITION_SET = MessageForm("measure.condition-set", "Condition {name}: {words}.")
WORKLOAD_FIGURE = MessageForm("measure.workload-figure", "{workload:text}: {name:text} {value}")
WORKLOAD_NOT_MEASURED = MessageForm("measure.workload-not-measured", "{workload:text} was not measured: {why}")
WORKLOAD_PARTLY = MessageForm("measure.workload-partly", "{workload:text} was measured in part: {why}")
BROKE_OFF = MessageForm("measure.broke-off", "The run was aborted: {error}")
FROM_HOST_TO_HOST = MessageForm("measure.from-host-to-host", "{sender} to {receiver}")
REPORTED_LINE = MessageForm("measure.reported-line", "Reported: {line}")
CANDIDATES_NOT_OFFERED = MessageForm("services.not-offered", "Not offered for these hosts: {candidates}.")
SHAPING_NOT_ALLOWED = MessageForm(
    "services.shaping-not-allowed",
    "{pair} is not a practice lab, and the user has not agreed to shape its link.",
    "Agree to it: tick its box in step Plan of the window, or add --yes-shape.",
)
CONDITION_NOT_ADAPTIVE = MessageForm(
    "cli.condition-not-adaptive",
    "The profile adaptive does not go with a condition of the link: its tests would take delay and loss of the "
    "condition for disturbances.",
    "Take the profile quick or standard; a command line can also go without --profile.",
)
WORKLOAD_NOT_ADAPTIVE = MessageForm(
    "cli.workload-not-adaptive",
    "The profile adaptive does not go with workloads: they take longer than its blocks.",
    "Take the profile quick or standard; a command line can also go without --profile.",
)
LAST_MEASURED = MessageForm("measure.last-measured", "{at:time}, {status:text}")
RUNNING_LABS = MessageForm("services.running-labs", "Pairs of running practice labs: {pairs}.")
SAME_HOST_TWICE = MessageForm(
    "services.same-host-twice", "{alias} is named for A and for B.", "Choose two different hosts."
)
RESUME_OTHER_LINK = MessageForm(
    "measure.resume-other-link",
    "The underlay addresses of {pair} have changed since comparison {campaign} began.",
    "Figures of two links cannot be mixed: leave --resume out.",
)
