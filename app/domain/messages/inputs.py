"""Messages about what a user entered: pairs, names, files, conditions."""

from __future__ import annotations

from app.domain.messages import MessageForm

ENTER_ADDRESS = MessageForm("pair.enter-address", "Enter a name, an IP address or an alias of ~/.ssh/config.")
NO_TCP_PORT = MessageForm(
    "pair.no-tcp-port", "{port} is no TCP port (host {side}).", "Enter a port between 1 and {highest}."
)
UNDERLAY_MISSING = MessageForm(
    "pair.underlay-missing",
    "Host {side} has no underlay address.",
    "Enter the IPv4 address under which the other host reaches it.",
)
UNDERLAY_WRONG = MessageForm(
    "pair.underlay-wrong",
    "Underlay address of host {side}: {problem}",
    "It is the IPv4 address under which the other host reaches this one.",
)
HOSTS_ARE_THE_SAME = MessageForm(
    "pair.hosts-are-the-same",
    "Host A and host B are the same: {address}, with the same user and port.",
    "Enter the two hosts that are to be joined.",
)
UNDERLAYS_ARE_THE_SAME = MessageForm(
    "pair.underlays-are-the-same",
    "Both hosts have the same underlay address.",
    "Enter the address of each host itself.",
)
HOST_WITHOUT_ADDRESS = MessageForm("pair.host-without-address", "Host {side} has no address.")
NO_HOST_ADDRESS = MessageForm("pair.no-host-address", "'{address}' is no address for host {side}.")
NO_IP_ADDRESS_OF_HOST = MessageForm("pair.no-ip-address-of-host", "'{address}' is no IP address (host {side}).")
NO_UNDERLAY_GIVEN = MessageForm("pair.no-underlay-given", "No underlay address is given.")
NO_IP_ADDRESS = MessageForm("pair.no-ip-address", "'{address}' is not an IP address.")
UNDERLAY_IS_IPV6 = MessageForm(
    "pair.underlay-is-ipv6",
    "{address} is an IPv6 address. The solutions that are known so far need IPv4 between the hosts.",
)
NO_OUTER_ADDRESS = MessageForm("pair.no-outer-address", "{address} cannot be the outer address of a tunnel.")
NODE_ALONE = MessageForm(
    "pair.node-alone",
    "Host {side} has no node behind it, and the other one has.",
    "Name the machines behind both hosts, or none.",
)
NODE_WRONG = MessageForm(
    "pair.node-wrong",
    "Node behind host {side}: {problem}",
    "It is a machine that is logged in to over SSH, as hosts are.",
)
NODE_TWICE = MessageForm(
    "pair.node-twice",
    "The node behind host {side} is the other node of the pair: {address}, with the same port.",
    "Name a machine of its own behind each host.",
)
HOST_IS_A_NODE = MessageForm(
    "pair.host-is-a-node",
    "Host {side} has the address of the node behind host {node} of this pair: {address}, with the same port.",
    "Enter another address. Nodes are named anew with: tunnelmark pair add --replace",
)
NODE_INTERFACE_WRONG = MessageForm(
    "pair.node-interface-wrong",
    "'{interface}' is no name of an interface (node behind host {side}).",
    "Name the node's interface towards the host, and the host's towards the node, as `ip link` prints them.",
)
PAIR_NAME_HINT = MessageForm(
    "pair.name-hint",
    "Use letters, digits, dots, dashes and underscores, a letter or digit first, at most {longest} characters.",
)
SSH_CONFIG_LACKS_HOST = MessageForm("input.ssh-config-lacks-host", "{file} has no host '{alias}'.", "It has: {known}.")
SSH_CONFIG_WITHOUT_HOSTS = MessageForm(
    "input.ssh-config-without-hosts", "{file} has no host '{alias}'.", "It names no single host."
)
FIELD_UNKNOWN = MessageForm("input.field-unknown", "there is no field {fields}")
FIELD_MISSING = MessageForm("input.field-missing", "the field {field} is missing")
FIELD_WRONG = MessageForm("input.field-wrong", "{wanted:text} is expected, not {found:text}")
FIELD_NO_TIME = MessageForm("input.field-no-time", "the time {time} has no offset from UTC")
FIELD_NOT_KNOWN = MessageForm("input.field-not-known", "{word} is none of {known}")
FIELD_TOO_LARGE = MessageForm("input.field-too-large", "the number is too large")
FIELD_AT = MessageForm("input.field-at", "{problem:text} ({place})")
NESTED_TOO_DEEPLY = MessageForm("input.nested-too-deeply", "{what} is nested too deeply.")
MORE_PROBLEMS = MessageForm("input.more-problems", "{what} cannot be read: {problems:text}, and {more} more.")
CONTENT_WRONG = MessageForm("input.content-wrong", "{what} cannot be read: {problems:text}.")
WAITED_IN_VAIN = MessageForm("input.waited-in-vain", "Waited {seconds:g} s for {what}, in vain.")
CONDITION_UNKNOWN = MessageForm(
    "input.condition-unknown", "There is no condition named {name}, and no such file.", "Presets: {names}."
)
CONDITIONS_IN_FILE = MessageForm(
    "input.conditions-in-file", "{path} has {count} conditions.", "Write exactly one table [[condition]]."
)
CONDITION_NO_TOML = MessageForm("input.condition-no-toml", "{path} cannot be read as TOML: {reason}")
CONDITION_NAME_TAKEN = MessageForm(
    "input.condition-name-taken",
    "{path} has the name {name}, which is that of another condition.",
    "Choose another name: results are listed and compared by it.",
)
CONDITION_OUT_OF_RANGE = MessageForm(
    "input.condition-out-of-range", "{name} = {value:g} is not possible: it must be {low:g} to {high:g}."
)
CONDITION_TRACES_DIFFER = MessageForm(
    "input.condition-traces-differ",
    "The traces of one direction have different numbers of values: {lengths}.",
    "Give each as many: the first values hold at the same time, then the second ones.",
)
CONDITION_KEYS_EXCLUDE = MessageForm(
    "input.condition-keys-exclude", "{trace} and {name} are not possible together.", "Leave out one of them."
)
CONDITION_NEEDS_QUEUE = MessageForm(
    "input.condition-needs-queue",
    "trace_mbit_s without queue_ms is not possible: frames would wait without limit while the rate is low.",
    "Give queue_ms.",
)
NOTE_WITH_CONTROL_CHARACTER = MessageForm(
    "input.note-with-control-character",
    "The note has a control character in it (U+{character:04X}).",
    "Remove it; letters, signs, tabs and line breaks are allowed.",
)
NOTE_TOO_LONG = MessageForm(
    "input.note-too-long", "The note has {count} characters, at most {limit} are allowed.", "Shorten it."
)
ENTRY_NUMBER_WRONG = MessageForm(
    "input.entry-number-wrong",
    "'{text}' is not the number of a comparison or census.",
    "Numbers are those of `tunnelmark history`: 7 for a comparison, c3 for a census.",
)
COMPARISON_NUMBER = MessageForm("input.comparison-number", "Comparison {number}")
CENSUS_NUMBER = MessageForm("input.census-number", "Census {number}")
TOO_MANY_TUNNELS = MessageForm(
    "input.too-many-tunnels", "A pair has {limit} tunnels side by side at most, not {number}."
)
PAIR_NAME_OF_LABS = MessageForm("input.pair-name-of-labs", "Names that begin with lab: belong to practice labs.")
PAIR_NAME_WRONG = MessageForm("input.pair-name-wrong", "'{name}' cannot be a pair's name.")
HOST_NOT_IMPORTABLE = MessageForm(
    "input.host-not-importable", "{alias} cannot be imported: {problem}", "Choose another host."
)
BUNDLED_NO_TOML = MessageForm("input.bundled-no-toml", "{file} is no TOML: {reason}.")
NO_NODE_IN_TOPOLOGY = MessageForm("input.no-node-in-topology", "There is no node in the topology {topology}.")
NODES_NOT_ROUTABLE = MessageForm(
    "input.nodes-not-routable", "The tunnel's network {network} is not in {inner_subnet}: nodes cannot be routed."
)
AGAIN_OF_OTHER_PAIR = MessageForm(
    "deploy.again-of-other-pair",
    "The deployment {deployment} is of the pair {of}, not of {pair}.",
    "List those of this pair with: tunnelmark deployments {pair}",
)
NO_LAN_PORT = MessageForm(
    "deploy.no-lan-port",
    "No LAN port is joined whose rules could be moved.",
    "Name one: --bridge A=PORT",
)
