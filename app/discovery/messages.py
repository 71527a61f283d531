"""Messages of discovery: what hosts can do, the link between them, installations."""

from __future__ import annotations

from app.domain.messages import MessageForm

GIVE_UNDERLAY_ADDRESS = MessageForm(
    "discovery.give-underlay-address",
    "Give {side}'s IPv4 address on the path between the two. It has: {addresses}.",
)
PACKAGES_INSTALLED = MessageForm("discovery.packages-installed", "Installed {packages} on {host}.")
ALREADY_INSTALLED = MessageForm("discovery.already-installed", "Everything was installed already on {host}.")
SERVICES_NOT_STARTED = MessageForm("discovery.services-not-started", "Not started, and not enabled: {services}.")
INSTALLING_PACKAGES = MessageForm("discovery.installing-packages", "Installing {packages}")
FETCHING_PACKAGE_LISTS = MessageForm("discovery.fetching-package-lists", "Fetching the lists of packages")
UNAVAILABLE_ON_BOTH = MessageForm("discovery.unavailable-on-both", "{a}; {b}")
NO_SUITE_IN_COMMON = MessageForm("discovery.no-suite-in-common", "no suite in common")
HYPERVISOR_TAKES_CPU = MessageForm(
    "discovery.hypervisor-takes-cpu", "The hypervisor takes {share:.0f} % of the CPU: figures will scatter."
)
HOST_BUSY = MessageForm("discovery.host-busy", "The host is busy (load {load:.2f}, cores: {cores}).")
CLOCK_DIFFERS = MessageForm("discovery.clock-differs", "Its clock differs from this computer's by {seconds:.0f} s.")
NOTHING_KNOWN_ON = MessageForm("discovery.nothing-known-on", "nothing is known about it on {host}")
LACKS = MessageForm("discovery.lacks", "{host} lacks {parts}")
REASON_ON = MessageForm("discovery.reason-on", "{host} {reason:text}")
CANNOT_DO_IT = MessageForm("discovery.cannot-do-it", "{host} cannot do it")
POLICY_DROP = MessageForm("discovery.policy-drop", "policy drop of {place}")
CHAIN_IN_TABLE = MessageForm("discovery.chain-in-table", "chain {chain} in table {table}")
RULE_OF_CHAIN = MessageForm("discovery.rule-of-chain", '"{rule}" of chain {chain} in table {table}')
NO_FREE_SUBNETS = MessageForm(
    "discovery.no-free-subnets",
    "Tunnels need two free subnets in {subnet}, but the hosts use it already: {clashing}.",
    "Remove those addresses or routes, or measure between other hosts.",
)
ADDRESS_NOT_THERE = MessageForm(
    "discovery.address-not-there",
    "{side} ({host}) does not have the address {address} on any interface: either it is another host's, or "
    "there is network address translation between the two hosts.",
    "Its addresses: {known}. Behind NAT none of the solutions that are known so far can be built.",
)
UNDERLAY_GIVEN_TWICE = MessageForm(
    "discovery.underlay-given-twice",
    "Both hosts have the same underlay address {address}.",
    "Give each host's own one.",
)
MTU_TOO_SMALL = MessageForm(
    "discovery.mtu-too-small",
    "The MTU between {a} and {b} is {mtu} bytes; {least} is the least for IPv4.",
    "Check the MTU of the interfaces with these addresses.",
)
NO_IPV4_ADDRESS = MessageForm(
    "discovery.no-ipv4-address",
    "{side} ({host}) has no IPv4 address but its own loopback; the path to it is IPv6 only.",
    "The solutions that are known so far need IPv4 between the hosts.",
)
NO_FREE_PORT = MessageForm(
    "discovery.no-free-port", "No {protocols} port from {usual} on is free on both hosts.", "Stop what listens there."
)
INTERFACE_DOWN = MessageForm(
    "discovery.interface-down",
    "{side} ({host}) has {address} on {interface}, which is down.",
    "Bring it up on that host: ip link set {interface} up.",
)
NO_LINUX_HOST = MessageForm(
    "discovery.no-linux-host",
    "{host} ({address}) does not answer as a Linux host does.",
    "Tunnelmark needs Linux with a POSIX shell. Log in by hand and check what `uname -a` prints.",
)
NOT_INSTALLABLE_HERE = MessageForm(
    "discovery.not-installable-here",
    "On {host} this cannot be installed from here: {wanted:text}.",
    "No package is known that brings it with this host's package manager; install it by hand.",
)
INSTALL_WOULD_REMOVE = MessageForm(
    "discovery.install-would-remove",
    "Installing {packages} on {host} would remove {removed}.",
    "Nothing was changed. Install it by hand, if that is what you want.",
)
CANNOT_INSTALL = MessageForm(
    "discovery.cannot-install",
    "{host} cannot install {packages}: {reason:text}.",
    "Check the host's package sources, or install it by hand.",
)
PACKAGE_MANAGER_FAILED = MessageForm(
    "discovery.package-manager-failed",
    "{what} failed on {host}: {reason:text}.",
    "Try it by hand on that host; another program may be installing packages at the same time.",
)
PACKAGE_MANAGER_DISK_FULL = MessageForm(
    "discovery.package-manager-disk-full", "{what} failed on {host}: there is no space left there."
)
NOT_INSPECTED_YET = MessageForm(
    "discovery.not-inspected-yet", "{host} has not been inspected yet.", "Run discover first."
)
LEAVES_READABLE = MessageForm("discovery.leaves-readable", "It leaves frames readable or changeable on the way.")
RULE_WITH_HANDLE = MessageForm("discovery.rule-with-handle", "rule with handle {handle}")
TOO_MANY_RULES = MessageForm("discovery.too-many-rules", "too many rules")
