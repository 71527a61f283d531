"""Errors of the command line."""

from __future__ import annotations

from app.domain.messages import MessageForm

# --- words of the command line ---------------------------------------------------------------------------------------

DID_YOU_MEAN = MessageForm("cli.did-you-mean", "Did you mean {name}?")
UNKNOWN_ARGUMENTS = MessageForm("cli.unknown-arguments", "unknown: {words}.")
UNKNOWN_COMMAND = MessageForm("cli.unknown-command", "there is no command {command}.")
SEE_HELP = MessageForm("cli.see-help", "See {program} --help.")
UNKNOWN_CHOICE = MessageForm("cli.unknown-choice", "{value} is none of {known}. {guess}")
NO_WHOLE_NUMBER = MessageForm("cli.no-whole-number", "{text} is not a whole number")
NOT_ABOVE_0 = MessageForm("cli.not-above-0", "{text} is not a number above 0")
NO_PERCENTAGE = MessageForm("cli.no-percentage", "{text} is not from 0 to 100")
NAMES_NOTHING = MessageForm(
    "cli.names-nothing", "{option} '{text}' names nothing.", "Name something after {option}, or leave it out."
)
OUT_OF_RANGE = MessageForm("cli.out-of-range", "{option} {value} is out of range.", "Choose {low} to {high}.")
UNKNOWN_SOLUTION_NAME = MessageForm(
    "cli.unknown-solution", "There is no solution named {solution}. {guess}", "Known: {known}."
)
NO_SOLUTION = MessageForm(
    "cli.no-solution", "Name a solution, or an earlier deployment with --again.", "Known: {known}."
)
OPTION_FOR_SIDE = MessageForm(
    "cli.option-for-side", "{option}: '{text}' is not A=VALUE or B=VALUE.", "Example: {option} A=eth1"
)
SIDE_GIVEN_TWICE = MessageForm("cli.side-given-twice", "{option} was given twice for {side}.")
INNER_ADDRESSES = MessageForm(
    "cli.inner-addresses", "--inner takes two addresses.", "Example: --inner 10.9.0.1/24,10.9.0.2/24"
)
KEY_WITHOUT_HOST = MessageForm(
    "cli.key-without-host",
    "--accept-host-key {option} does not say for which host the key is.",
    "Give HOST=SHA256:… with the host as the error about its key names it, for example [192.0.2.1]:2222.",
)

# --- files -----------------------------------------------------------------------------------------------------------

OUTPUT_NOT_WRITTEN = MessageForm("cli.file-not-written", "{path} cannot be written: {reason}.", "Choose another place.")
FILE_ENDING = MessageForm("cli.file-ending", "{name} does not end in {ending}.", "Name it {better}.")
FILE_IS_FOLDER = MessageForm("cli.file-is-folder", "{path} is a folder.", "Name a file.")
OUTPUT_FOLDER_MISSING = MessageForm(
    "cli.folder-missing", "The folder {folder} is not there.", "Make it first, or name another one."
)
NO_FOLDER = MessageForm("cli.no-folder", "{folder} is no folder.", "Choose another place.")
FILE_NOT_ALLOWED = MessageForm(
    "cli.file-not-allowed", "{path} cannot be written: {what} does not allow it.", "Choose another place."
)
FILE_EXISTS = MessageForm(
    "cli.file-exists", "{path} is there already.", "Name another file, or replace it with --force."
)
FILE_KEPT = MessageForm("cli.file-kept", "{path} was left as it is; nothing was done.", "Name another file.")
NO_SUCH_FILE = MessageForm("cli.no-such-file", "{option}: there is no file {path}.")

# --- pairs and hosts -------------------------------------------------------------------------------------------------

ADDRESS_PORT = MessageForm("cli.address-port", "'{text}' has the port {port}.", "Ports go from 1 to {most}.")
ADDRESS_FORM = MessageForm(
    "cli.address-form", "'{text}' is not an address of the form USER@HOST:PORT.", "Example: root@10.0.0.1:22"
)
PAIR_EXISTS = MessageForm(
    "cli.pair-exists",
    "There is a pair {pair} already, with other hosts or settings.",
    "See it with `tunnelmark pair show {pair}`; --replace replaces it.",
)
UNDERLAY_ADDRESSES = MessageForm(
    "cli.underlay-addresses",
    "--underlay wants two addresses, A's and B's.",
    "Example: --underlay 10.0.0.1,10.0.0.2",
)
NODE_INTERFACES = MessageForm(
    "cli.node-interfaces",
    "--node-{side} and --node-{side}-interfaces belong together: the second one wants two interfaces, the node's "
    "towards the host and the host's towards the node.",
    "Example: --node-{side} root@10.0.0.11 --node-{side}-interfaces eth1,eth2",
)
IMPORT_WITHOUT_HOSTS = MessageForm("cli.import-without-hosts", "--a and --b name the two hosts.", "Example: {example}")
IMPORT_FILE = MessageForm("cli.import-file", "{reason}", "Name another one with --file: {example}")
IMPORT_WITHOUT_ADDRESSES = MessageForm(
    "cli.import-without-addresses",
    "The file does not give an IPv4 address for both hosts.",
    "Name the addresses on the path between the two: --underlay ADDR_A,ADDR_B",
)
IMPORT_WITHOUT_NAME = MessageForm("cli.import-without-name", "The pair has no name.", "Example: {example}")
SUDOERS_FOR_WHOM = MessageForm(
    "cli.sudoers-for-whom",
    "Name a pair, or a user with --user.",
    "Example: tunnelmark sudoers --user operator",
)
SUDOERS_TWO_USERS = MessageForm(
    "cli.sudoers-two-users",
    "Tunnelmark logs in to A as {user_a} and to B as {user_b}: each needs a file of its own.",
    "Say which with --side A or --side B.",
)

# --- practice labs and studies ---------------------------------------------------------------------------------------

NO_LAB = MessageForm("cli.no-lab", "There is no lab named {name}.", "List those that run with: tunnelmark lab status")
LAB_NOT_RUNNING = MessageForm(
    "cli.lab-not-running",
    "There is no running lab named {name}.",
    "Start it with: tunnelmark lab up --name {name}",
)
LAB_WITHOUT_NODES = MessageForm(
    "cli.lab-without-nodes",
    "The lab {name} has no machines behind its gateways.",
    "Start one that has: tunnelmark lab up --nodes",
)
LAB_IN_USE_HINT = MessageForm(
    "cli.lab-in-use-hint", "What runs there is lost with: tunnelmark lab down --name {name} --force"
)
NO_STUDY = MessageForm("cli.no-study", "There is no study named {study}.", "Studies: {known}.")
NO_STUDY_PART = MessageForm(
    "cli.no-study-part", "{study} has no part named {part}.", "Give --part one of these: {known}."
)
ONLY_OVERVIEW = MessageForm("cli.only-overview", "{option} is for tunnelmark study show {study} only.", "Leave it out.")
NO_SYSTEM = MessageForm("cli.no-system", "{study} has no system named {name}.", "Systems: {known}.")
STUDY_SOLUTIONS_FIXED = MessageForm(
    "cli.study-solutions-fixed",
    "{study} measures settings of nodes and gateways, not solutions: there is nothing to choose.",
    "Leave --solutions out, or measure solutions with: tunnelmark compare.",
)
STUDY_HAS_NO_CELLS = MessageForm(
    "cli.study-has-no-cells", "This part of {study} has no measurements of {name}.", "Take {known}, or all."
)
PART_WITHOUT_RESTART = MessageForm(
    "cli.part-without-restart",
    "--within is the time after a restart of a hub, and the part {part} of {study} has none of {solutions}.",
    "Leave --within out, or name one of these with --solutions: {known}.",
)
STUDY_TAKES_DEFAULTS = MessageForm(
    "cli.study-takes-defaults",
    "{study} measures each VPN with its safe default on both hosts: {name} cannot be chosen.",
    "Name the solution without its suite.",
)
STUDY_STOPPED = MessageForm(
    "cli.study-stopped",
    "Comparison {campaign} of {study} on {pair} stopped before its end; the lines above say why.",
    "Once the cause is fixed, go on with: tunnelmark study run {study} {pair} --part {part}",
)
STUDY_GOES_ON = MessageForm("cli.study-goes-on", "What was measured is stored. Go on with: {command}")
STUDY_LEFT_HOSTS = MessageForm(
    "cli.study-left-hosts",
    "Restore all hosts with `tunnelmark recover {pair}`. What was measured is stored; go on with: {command}",
)
STUDY_INCOMPLETE = MessageForm(
    "cli.study-incomplete",
    "{missing} of {total} measurements have no result that counts; the lines above say why.",
    "Measure them again with: {command}",
)

# --- measuring -------------------------------------------------------------------------------------------------------

ALL_WITHOUT_LIST = MessageForm(
    "cli.all-without-list", "--all belongs to --list.", "Without --solutions every safe default is compared."
)
LIST_AND_DRY_RUN = MessageForm("cli.list-and-dry-run", "--list and --dry-run exclude each other: give one of them.")
SOLUTION_NOT_POSSIBLE = MessageForm(
    "cli.solution-not-possible",
    "{solution} is not possible on these hosts: {reason}.",
    "`tunnelmark discover {pair} --install` can install what is missing.",
)
UNKNOWN_SUITE = MessageForm(
    "cli.unknown-suite",
    "{solution} has no suite named {suite} on these hosts. {guess}",
    "It has: {known}{more}.",
)
MORE_SUITES = MessageForm(
    "cli.more-suites",
    ", and {number} more that `tunnelmark compare {pair} --list --solutions {solution}` shows",
)
BUDGET_NOT_ADAPTIVE = MessageForm(
    "cli.budget-not-adaptive",
    "--budget-min belongs to the profile adaptive.",
    "Leave it out, or --pings, --seconds and --rounds, or give --profile adaptive.",
)
NUMBERS_ADAPTIVE = MessageForm(
    "cli.numbers-adaptive",
    "--pings, --seconds and --rounds do not belong to the profile adaptive: it measures until the order is known.",
    "Limit its time with --budget-min, or leave --profile out.",
)
NOTHING_TO_RESUME = MessageForm(
    "cli.nothing-to-resume", "There is no interrupted comparison of {pair}.", "Leave --resume out."
)
RESUME_LAB_GONE = MessageForm(
    "cli.resume-lab-gone",
    "The practice lab that comparison {campaign} ran in has ended, so it cannot be resumed: figures of two labs "
    "cannot be mixed.",
    "Measure again in a new lab of the same kind: {command}",
)
RESUME_WITH_OPTIONS = MessageForm(
    "cli.resume-with-options",
    "--resume continues the comparison as it was planned, so {options} cannot be given with it.",
    "Leave out one or the other.",
)
NO_CENSUS_TO_RESUME = MessageForm(
    "cli.no-census-to-resume",
    "There is no unfinished census of {pair} of these options with these versions.",
    "Leave --resume out.",
)
SHAPING_WITHOUT_ANSWER = MessageForm(
    "cli.shaping-without-answer", "Shaping the link of your own hosts needs an answer.", "Add --yes-shape."
)
STUDY_WITHOUT_ANSWER = MessageForm(
    "cli.study-without-answer",
    "That {study} changes hosts and nodes of {pair}, and loads their link, needs an answer.",
    "Add --allow-load.",
)
UNKNOWN_WORKLOAD = MessageForm("cli.unknown-workload", "There is no workload {name}. {guess}", "Take {known}.")
TRANSFER_NOT_ASKED_FOR = MessageForm(
    "cli.transfer-not-asked-for",
    "--transfer-mb is the size of the file of the workload transfer, which was not asked for.",
    "Add --workload transfer.",
)
BENCH_NOTHING_MEASURED = MessageForm(
    "cli.bench-nothing-measured", "No candidate could be measured.", "The log of the comparison tells why."
)
BENCH_STOPPED = MessageForm(
    "cli.bench-stopped",
    "Comparison {campaign}, with profile {profile}, stopped before its end.",
    "The lines above tell why. Once the cause is fixed, run the command again.",
)

# --- stored results --------------------------------------------------------------------------------------------------

MEAN_RANKS_WITHOUT_WEIGHTS = MessageForm(
    "cli.mean-ranks-without-weights",
    "--mean-ranks says how candidates are ordered by --weights, and there are none.",
    "Add --weights, for example --weights latency=1,throughput=1,overhead=1,jitter=1.",
)
WEIGHTS_AND_JSON = MessageForm(
    "cli.weights-and-json",
    "--weights and --json do not go together.",
    "Leave one of them out: weights are written into no file.",
)
COMPARISON_OF_OTHER_PAIR = MessageForm(
    "cli.comparison-of-other-pair",
    "Comparison {campaign} is of the pair {of}, not of {pair}.",
    "Leave the pair or --campaign out.",
)
SAME_COMPARISON = MessageForm(
    "cli.same-comparison",
    "Comparison {campaign} was named twice.",
    "Name two comparisons: tunnelmark history lists them.",
)
YES_WITHOUT_DELETE = MessageForm(
    "cli.yes-without-delete", "--yes belongs to --delete.", "tunnelmark history --delete N --yes"
)
DELETE_WITHOUT_ANSWER = MessageForm(
    "cli.delete-without-answer", "Deleting needs an answer, and there is no terminal.", "Add --yes."
)

# --- deployments -----------------------------------------------------------------------------------------------------

DEPLOY_WITHOUT_PAIR = MessageForm(
    "cli.deploy-without-pair",
    "Name a pair; or a file of pairs: --all --from FILE.toml, with --parallel and --stop-after.",
)
SOLUTION_AND_AGAIN = MessageForm(
    "cli.solution-and-again", "Name a solution, or an earlier deployment with --again, not both."
)
AGAIN_IS_UNCHANGED = MessageForm(
    "cli.again-is-unchanged",
    "--again deploys an earlier deployment unchanged: --suite, --bridge, --inner and --reason are its own, and so are "
    "the rules between the LANs.",
    "To change one of them, name the solution instead: tunnelmark deploy {pair} SOLUTION",
)
WATCH_OPTIONS = MessageForm(
    "cli.watch-options",
    "--every, --for, --max-rtt-ms and --max-loss-pct belong to --watch.",
    "Add --watch, or leave them out.",
)
FLEET_WITHOUT_FILE = MessageForm(
    "cli.fleet-without-file", "--all takes its pairs and solutions from a file.", "Use: --all --from FILE.toml"
)
FLEET_NUMBERS = MessageForm("cli.fleet-numbers", "--parallel takes 1 to {most}, --stop-after 1 or more.")
FLEET_ONE_AT_A_TIME = MessageForm(
    "cli.fleet-one-at-a-time",
    "--confirm-within, --dry-run, --mtu and --keepalive are for one pair at a time.",
    "For many pairs, set mtu and keepalive in the file of pairs.",
)
FLEET_FILE_UNREADABLE = MessageForm(
    "cli.fleet-file-unreadable", "{path} cannot be read: {reason}.", "It is a TOML file with one [[pair]] each."
)
FLEET_FILE_EMPTY = MessageForm(
    "cli.fleet-file-empty", "{path} holds no list of pairs.", "It has one table [[pair]] each, and [defaults]."
)
FLEET_DEFAULTS = MessageForm("cli.fleet-defaults", "{path}: [defaults] cannot have {key}.", "It can have: {known}.")
FLEET_NAMES = MessageForm("cli.fleet-names", "{path}: each pair is a table with a name of its own{twice}.")
FLEET_NAME_TWICE = MessageForm("cli.fleet-name-twice", ", not {name}")
FLEET_ROW = MessageForm("cli.fleet-row", "{path}: pair {number} ({name}): {fault}.")
FLEET_NAMELESS = MessageForm("cli.fleet-nameless", "without a name")
FLEET_KEY_WANTED = MessageForm("cli.fleet-key-wanted", "{key} is {wanted}")
FLEET_KEY_UNKNOWN = MessageForm("cli.fleet-key-unknown", "there is no {key}")
FLEET_BRIDGE = MessageForm("cli.fleet-bridge", "a table such as {example}")
FLEET_TWO_ADDRESSES = MessageForm("cli.fleet-two-addresses", "a list of two addresses, A's and B's")
FLEET_BROADCASTS = MessageForm("cli.fleet-broadcasts", "a whole number of frames per second; 0 for any number")
FLEET_KEEPALIVE = MessageForm("cli.fleet-keepalive", '"wired" or "metered"')
FLEET_MTU = MessageForm("cli.fleet-mtu", '"fit" or 1500')
FLEET_TRUE_OR_FALSE = MessageForm("cli.fleet-true-or-false", "true or false")
FLEET_TEXT = MessageForm("cli.fleet-text", "a text in quotes")
FLEET_PAIR_NAME = MessageForm(
    "cli.fleet-pair-name",
    "its name is missing, or has other signs than letters, digits, dots, dashes and underscores",
)
FLEET_NO_SOLUTION = MessageForm("cli.fleet-no-solution", "it has no solution, and there is none in [defaults]")
FLEET_HALF_PAIR = MessageForm(
    "cli.fleet-half-pair",
    "a, b and underlay go together; without them it is a pair that is stored already",
)
FLEET_PAIR_DIFFERS = MessageForm(
    "cli.fleet-pair-differs",
    "There is a pair {pair} already, with other hosts or addresses than in the file.",
    "See it with `tunnelmark pair show {pair}`; change the file, or store the pair anew: tunnelmark pair add --replace",
)

# --- configuration files and policy ----------------------------------------------------------------------------------

LINT_WHAT = MessageForm(
    "cli.lint-what",
    "Name configuration files, or a pair with --host.",
    "Example: tunnelmark lint /etc/openvpn/site.conf",
)
LINT_VERSION_FORM = MessageForm(
    "cli.lint-version-form",
    "--version: '{text}' is not PROGRAM=VERSION.",
    "Example: --version openvpn=2.4",
)
LINT_VERSION_UNKNOWN = MessageForm(
    "cli.lint-version-unknown",
    "--version: no rule asks for the version of '{program}'.",
    "Rules ask for those of {known}.",
)
NO_ALGORITHM = MessageForm("cli.no-algorithm", "No algorithm is named.", "Example: tunnelmark policy show aes-256-gcm")
UNKNOWN_ALGORITHM = MessageForm(
    "cli.unknown-algorithm",
    "The policy does not know {name}. Verdict: unknown, deployable only with a reason.",
    "See tunnelmark policy list.",
)
