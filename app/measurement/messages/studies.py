"""Messages of studies that are measured again: their labs, hubs, nodes and transfers."""

from __future__ import annotations

from app.domain.messages import MessageForm

A_STUDY = MessageForm("measure.a-study", "a study")
RESULTS_OF_FORMER_MACHINES = MessageForm(
    "measure.results-of-former-machines",
    "{pair} has other machines now than those on which {study} was measured: it is measured anew. Their results are "
    "kept in {file}.",
)
STUDY_NEEDS_LAB = MessageForm(
    "measure.study-needs-lab",
    "{pair} is no running practice lab: on hosts of your own, the study is measured between machines behind them.",
    "Start a lab with: tunnelmark lab up. Or name machines with pair add --node-a and --node-b, and add --nodes "
    "machines.",
)
STUDY_SUITE_MISSING = MessageForm(
    "measure.study-suite-missing",
    "These hosts do not offer {suite} with {solution}, which the study compares.",
)
STUDY_SOLUTION_MISSING = MessageForm(
    "measure.study-solution-missing",
    "{solution}, which is to be measured, is not possible on these hosts: {why}.",
    "`tunnelmark discover {pair} --install` can install what is missing.",
)
NO_CONNECTION_SPLIT = MessageForm(
    "measure.no-connection-split",
    "The proxy split no connection, so that this transfer shows nothing of it.",
)
PROXY_OTHER_CONGESTION = MessageForm(
    "measure.proxy-other-congestion",
    "The proxy was to use {wanted} and used {found}, so that this transfer shows nothing of it.",
    "Check that its gateway's kernel has {wanted}.",
)
SENDER_OTHER_CONGESTION = MessageForm(
    "measure.sender-other-congestion",
    "The sender was to use {wanted} and used {found}, so that this transfer does not count.",
    "Check that the kernel of {host} has {wanted}.",
)
TRANSFER_DISTURBED = MessageForm(
    "measure.transfer-disturbed",
    "{cores:.1f} cores of this computer were busy with other work: the time does not count. End other work, then run "
    "the study again.",
)
TRANSFER_REPEATED = MessageForm(
    "measure.transfer-repeated",
    "{cores:.1f} cores of this computer were busy with other work: the transfer is repeated.",
)
SOLUTION_WITH_PEP = MessageForm("measure.solution-with-pep", "{solution} with a PEP at {proxy}")
NODE_SETTING_BUILT = MessageForm("measure.node-setting-built", "Round {round}, {title}: building")
LATENCY_OF_NODES = MessageForm("measure.latency-of-nodes", "{title}: latency between the nodes")
TCP_OF_NODES = MessageForm("measure.tcp-of-nodes", "{title}: TCP between the nodes in both directions")
HOPS_CAPTURED = MessageForm("measure.hops-captured", "{title}: capturing at each hop")
INJECTING_AT = MessageForm("measure.injecting-at", "{title}: injecting frames at {hop:text}")
APPLICATIONS_NEED_LAB = MessageForm(
    "measure.applications-need-lab",
    "{pair} is no running practice lab: on hosts of your own, applications are measured between machines behind them.",
    "Start a lab with: tunnelmark lab up. Or name machines with pair add --node-a and --node-b, and add --nodes "
    "machines.",
)
NO_NODE_MACHINES = MessageForm(
    "measure.no-node-machines",
    "{pair} names no machines behind its gateways.",
    "Start a practice lab with them: tunnelmark lab up --nodes. Of hosts of your own, name them with pair add --node-a "
    "and --node-b. In a lab --nodes can be left out: nodes are namespaces then.",
)
STUDY_WITHOUT_MACHINES = MessageForm(
    "measure.study-without-machines",
    "{study} is not measured between machines behind the gateways.",
    "Leave --nodes out.",
)
STUDY_WITHOUT_RESTART = MessageForm(
    "measure.study-without-restart",
    "--within is the time after a restart of a hub, and {study} has none.",
    "Leave --within out.",
)
NODES_LACK = MessageForm(
    "measure.nodes-lack",
    "The machines behind the gateways lack what the study needs: {lacks}. Nothing was set up.",
    "Install {packages} there, or leave --nodes out: nodes are namespaces then.",
)
NODE_LACKS_PROGRAM = MessageForm("measure.node-lacks-program", "{host} lacks {program}")
NODE_NEEDS_FULL = MessageForm("measure.node-needs-full", "{host} has BusyBox's {program} only, which does not do")
NODE_SSH_RUNS_OVER = MessageForm(
    "measure.node-ssh-runs-over",
    "The SSH connection to {host} runs over {interface}, which so cannot be used for a node. Nothing was set up.",
    "Give the pair the interface of {host} that leads to its gateway.",
)
NODE_DEFAULT_ROUTE = MessageForm(
    "measure.node-default-route",
    "The default route of {host} leaves by {interface}, which so cannot be used for a node. Nothing was set up.",
    "Give the pair the interface of {host} that leads to its gateway, or move that route.",
)
GATEWAY_SSH_RUNS_OVER = MessageForm(
    "measure.gateway-ssh-runs-over",
    "The SSH connection to {host} runs over {interface}, which so cannot lead to a node. Nothing was set up.",
    "Give the pair the interface of {host} that leads to its node.",
)
GATEWAY_DEFAULT_ROUTE = MessageForm(
    "measure.gateway-default-route",
    "The default route of {host} leaves by {interface}, which so cannot lead to a node. Nothing was set up.",
    "Give the pair the interface of {host} that leads to its node, or move that route.",
)
NODE_NOT_ASKED = MessageForm(
    "measure.node-not-asked",
    "{host} did not say what its interface {interface} is needed for, so it is not used for a node. {output}",
    "Check that `ip route` works there, then try again.",
)
NODE_CONGESTION_REFUSED = MessageForm(
    "measure.node-congestion-refused",
    "A node behind {host} does not take the congestion control {congestion}: {output}",
    "Check that the kernel of {host} has it.",
)
NODE_STUDY_NEEDS_LAB = MessageForm(
    "measure.node-study-needs-lab",
    "{pair} is no practice lab: on hosts of your own, this study is measured between machines behind them.",
    "Start a lab with: tunnelmark lab up. Or name machines with pair add --node-a and --node-b, and add --nodes "
    "machines.",
)
OWN_HOSTS_BRIDGED = MessageForm(
    "measure.own-hosts-bridged",
    "{study} changes four machines of {pair}. {host_a} and {host_b} build tunnels in turn, one of them without "
    "encryption, and join {lan_a} and {lan_b} to them by a bridge. Their nodes {node_a} ({port_a}) and {node_b} "
    "({port_b}) get an address, an MTU, a hardware address and protection of their frames there. TCP loads the link, "
    "and forged frames are sent to {node_b}. Each change is undone after its tunnel, also if this program is killed.",
)
OWN_HOSTS_ROUTED = MessageForm(
    "measure.own-hosts-routed",
    "{study} changes four machines of {pair}. {host_a} and {host_b} build tunnels, send over the bare link without "
    "encryption as well, and forward between them and {lan_a} and {lan_b}; for some transfers {host_b} runs a proxy "
    "that takes over their TCP connections. Their nodes {node_a} ({port_a}) and {node_b} ({port_b}) get an address and "
    "a route there. Congestion control and slow start of TCP change on all four, for all that they send. Transfers "
    "load the link. Each change is undone after its tunnels, also if this program is killed.",
)
OWN_HOSTS_NOT_ALLOWED = MessageForm(
    "measure.own-hosts-not-allowed",
    "{pair} is not a practice lab, and the user has not agreed that {study} changes its hosts and nodes.",
    "Agree to it: tick its box in the window's question, or add --allow-load.",
)
HOST_NOT_SHAPED = MessageForm(
    "measure.host-not-shaped",
    "{host} does not shape any more what it sends to the other host, so that the link is not under {condition}.",
    "See what changed the queueing of its interface to the underlay (tc qdisc show), then measure again.",
)
SHAPING_REMAINS = MessageForm(
    "measure.shaping-remains",
    "{host} still shapes what it sends to the other host: {why}",
    "It ends with the tunnel. See what changed the queueing of its interface to the underlay (tc qdisc show).",
)
NODES_NOT_SHAPED = MessageForm(
    "measure.nodes-not-shaped",
    "Without a VPN, packets between the nodes need {rtt_ms:.1f} ms for a round trip, and {condition} asks for "
    "{least_ms:.1f} ms at least: the hosts do not shape them.",
    "See whether they take another way than over the underlay's interface (ip route get, on both hosts).",
)
HOST_CANNOT_SHAPE = MessageForm(
    "measure.host-cannot-shape",
    "{host} cannot shape what it sends to the other host: {why}. Nothing was set up.",
    "Mend that there, or measure on a practice lab, whose link is shaped outside its hosts.",
)
OWN_HOSTS_OVER_CAP = MessageForm(
    "measure.own-hosts-over-cap",
    "{study} sends up to {rate:g} Mbit/s between the hosts of {pair}, whose throughput tests are limited to {cap:g}.",
    "Store the pair with a higher limit, or with none: tunnelmark pair add --replace",
)
NODE_SOLUTION_MISSING = MessageForm(
    "measure.node-solution-missing", "{title} is not possible on these hosts: {why:text}"
)
DEFAULT_NOT_OFFERED = MessageForm("measure.default-not-offered", "its safe default {suite} is not offered by both")
HUB_SUITE = MessageForm(
    "measure.hub-suite",
    "{title} is measured with {suite}: a hub with many clients does not have the safe default of two hosts, {default}.",
)
HUB_STUDY_NEEDS_LAB = MessageForm(
    "measure.hub-study-needs-lab",
    "{pair} is no practice lab: this study floods one host with key exchanges, on practice labs only.",
    "Start one with: tunnelmark lab up",
)
HUB_BUILT = MessageForm("measure.hub-built", "{solution}: making a hub and {clients} clients")
HUB_FEWER_BACK = MessageForm("measure.hub-fewer-back", "Of {clients} clients, {back} were back in time.")
HUB_RESTARTED = MessageForm(
    "measure.hub-restarted", "Restarting the hub of {clients} clients, which have {seconds} s to be back"
)
HUB_TCP = MessageForm("measure.hub-tcp", "TCP between two clients, {seconds} s in each direction")
HUB_WITHOUT_SESSIONS = MessageForm("measure.hub-without-sessions", "Clients of {solution} do not remain connected.")
CELL_OF_STUDY = MessageForm("measure.cell-of-study", "{condition}: {way}, {congestion:text}")
FILE_STUDY_NEEDS_LAB = MessageForm(
    "measure.file-study-needs-lab",
    "{pair} is no practice lab: the study has ciphers that are insecure today, which no plant's link should carry.",
    "Start one with: tunnelmark lab up",
)
STUDY_WITHOUT_ITS_OWN = MessageForm(
    "measure.study-without-its-own",
    "None of the candidates is one of {study}, so that there is nothing to put beside what it publishes.",
    "Name at least one of {known}, or measure with: tunnelmark compare.",
)
STUDY_UNDER_CONDITION = MessageForm(
    "measure.study-under-condition",
    "{pair} emulates the condition {name}, and {study} was measured without one.",
    "Remove it with: tunnelmark lab condition as-found",
)
