"""Messages of LAN ports: bridges, DHCP clients, firewall rules, loops."""

from __future__ import annotations

from app.domain.messages import MessageForm

# --- loop guard -------------------------------------------------------------------------------------------------------

GUARD_TITLE = MessageForm("lan.guard-title", "{parts}")
GUARD_PARTS = MessageForm("lan.guard-parts", "Part the LANs while a loop joins them")
GUARD_LIMIT = MessageForm("lan.guard-limit", "at most {number:d} broadcasts/s")
GUARD_NO_DHCP = MessageForm("lan.guard-no-dhcp", "no DHCP")
GUARD_NO_OWN_DHCP = MessageForm("lan.guard-no-own-dhcp", "no DHCP requests of this host")
GUARD_NO_ROUTERS = MessageForm("lan.guard-no-routers", "no router advertisements")
OWN_TABLE = MessageForm("lan.own-table", "{title:text} (a firewall table of our own)")
CLAMP_TITLE = MessageForm("lan.clamp-title", "Clamp TCP's MSS to {ipv4:d} bytes over IPv4, {ipv6:d} over IPv6")
FITTED = MessageForm("lan.fitted", "{clamp:text}. {mtu:text}.")
MTU_TITLE = MessageForm("lan.mtu-title", "Set the MTU of {interface:text} to {mtu:d} bytes")
FIT_PROVEN = MessageForm(
    "lan.fit-proven", "Frames of {size:d} bytes, the largest that fit the path, cross in one packet each (captured)."
)
FIT_DISPROVED = MessageForm(
    "lan.fit-disproved",
    "Frames of {size:d} bytes do not fit the path: they were fragmented. TCP is slower than it could be; inspect the "
    "pair again, and deploy again.",
)
FIT_UNTESTED = MessageForm(
    "lan.fit-untested", "Whether frames of {size:d} bytes cross in one packet each could not be tested."
)
NO_CLAMP = MessageForm("lan.no-clamp", "{host} cannot clamp TCP's MSS: {why}.")
NO_CLAMP_TABLE = MessageForm(
    "lan.no-clamp-table",
    "TCP is not fitted to the path on {host}: its firewall table is missing, or was changed. The supervisor makes it "
    "again within seconds, unless the kernel refuses it.",
)
NO_CLAMP_NFT = MessageForm(
    "lan.no-clamp-nft",
    "TCP is not fitted to the path on {host}: it has no nft any more. The supervisor makes the firewall table once it "
    "has.",
)
MTU_UNKNOWN = MessageForm(
    "lan.mtu-unknown",
    "It could not be measured how large packets between the hosts may be, so that TCP cannot be fitted to the path.",
)
OVERHEAD_UNKNOWN = MessageForm(
    "lan.overhead-unknown",
    "It is not known how many bytes {title:title} adds to a frame, so that TCP cannot be fitted to the path.",
)
ANOTHER_SUITE = MessageForm("lan.another-suite", "Choose another suite of this VPN.")
INSTALL_PING = MessageForm(
    "lan.install-ping", "Install ping of iputils on both hosts and let them answer pings of each other."
)
OR_MTU_1500 = MessageForm(
    "lan.or-mtu-1500",
    "Or do not fit TCP to the path (deploy with --mtu 1500; one that exists, with --again ID --mtu 1500).",
)
NFT_REFUSES = MessageForm("lan.nft-refuses", "its nft refuses the firewall table")
NFT_REFUSES_BECAUSE = MessageForm("lan.nft-refuses-because", "its nft refuses the firewall table: {why}")
INSTALL_NFT = MessageForm(
    "lan.install-nft",
    "Install nftables there (Debian: apt install nftables; OpenWrt: opkg install nftables kmod-nft-bridge).",
)
OR_STATIC_ADDRESS = MessageForm("lan.or-static-address", "Or make the address of its LAN port static.")
OR_NOT_BLOCK = MessageForm("lan.or-not-block", "Or do not block them.")
NO_LOOP_GUARD = MessageForm(
    "lan.no-loop-guard",
    "{host} has no loop guard and no limit of broadcasts: {why}. If the two LANs are joined in another way later, "
    "frames go round in circles through this host.",
)
ROUTERS_CONFIGURE = MessageForm(
    "lan.routers-configure", "IPv6 routers of the other plant configure it if its bridge accepts them."
)

# --- firewall rules ---------------------------------------------------------------------------------------------------

RULE_IS_ADDED = MessageForm(
    "lan.rule-is-added",
    "A rule is added to the firewall of {host} for the bridge {bridge} while {port} is joined, for example: {rule}.",
)
RULES_ARE_ADDED = MessageForm(
    "lan.rules-are-added",
    "{number} rules are added to the firewall of {host} for the bridge {bridge} while {port} is joined, for example: "
    "{rule}.",
)
RULE_NAMES_PORT = MessageForm(
    "lan.rule-names-port",
    "A rule names the LAN port {port} in the firewall of {host}, for example: {rule}. Once it is joined, packets "
    "arrive by the bridge {bridge}, and these rules apply neither to its LAN nor to what the other LAN sends to "
    "{host}.",
)
RULES_NAME_PORT = MessageForm(
    "lan.rules-name-port",
    "{number} rules name the LAN port {port} in the firewall of {host}, for example: {rule}. Once it is joined, "
    "packets arrive by the bridge {bridge}, and these rules apply neither to its LAN nor to what the other LAN sends "
    "to {host}.",
)
RULE_CANNOT_MOVE = MessageForm(
    "lan.rule-cannot-move",
    "A rule names the LAN port {port} in the firewall of {host} and cannot be moved to the bridge {bridge}, for "
    "example: {rule}.",
)
RULES_CANNOT_MOVE = MessageForm(
    "lan.rules-cannot-move",
    "{number} rules name the LAN port {port} in the firewall of {host} and cannot be moved to the bridge {bridge}, for "
    "example: {rule}.",
)
RULE_OF_PROGRAM = MessageForm("lan.rule-of-program", "{rule} ({program})")
RULE_BECAUSE = MessageForm("lan.rule-because", "{rule} {why}")
RULE_IN_CHAIN = MessageForm("lan.rule-in-chain", "{program}: rule in {place}: {rule}")
ELEMENT_OF_SET = MessageForm("lan.element-of-set", "{program}: element of set {place}: {rule}")

# --- ports ------------------------------------------------------------------------------------------------------------

STEP_JOIN_IN_BRIDGE = MessageForm(
    "lan.step-join-in-bridge", "Join {interface} with the LAN port {port} in the bridge {bridge}"
)
STEP_JOIN_BRIDGE = MessageForm(
    "lan.step-join-bridge", "Join {interface} with the LAN port {port}, which is a bridge already"
)
PORT_OF_BRIDGE = MessageForm("lan.port-of-bridge", "{port} on {host} belongs to {master}. Choose that bridge instead.")
PORT_OF_MASTER = MessageForm("lan.port-of-master", "{port} on {host} belongs to {master}.")
WOULD_MAKE_LOOP = MessageForm(
    "lan.would-make-loop", "A tunnel between them would make a loop. Part them first, or choose other ports."
)
REMOVE_WHAT_JOINS = MessageForm(
    "lan.remove-what-joins", "If the present deployment joins them, remove it first with `tunnelmark undeploy`."
)
CLIENT_REASON = MessageForm("lan.client-reason", "{why} ({client})")
CLIENT_KEPT_RUNNING = MessageForm("lan.client-kept-running", "a service keeps it running, or it runs in the foreground")
CLIENT_UNKNOWN_OPTION = MessageForm("lan.client-unknown-option", "it has an option that is not known")
CLIENT_OF_OTHERS = MessageForm("lan.client-of-others", "it serves other interfaces, too")
CLIENT_OF_ALL = MessageForm("lan.client-of-all", "it was started for all interfaces")
CLIENT_PROGRAM_OPEN = MessageForm(
    "lan.client-program-open", "other users than root can change its program, or it runs in a container"
)
CLIENT_FILES_OPEN = MessageForm("lan.client-files-open", "other users than root can change its files")
CLIENT_UNANSWERED = MessageForm("lan.client-unanswered", "no server has answered it yet")
CLIENT_STARTED_AGAIN = MessageForm(
    "lan.client-started-again", "the program that started it starts it again, or waits for it"
)
CLIENT_GIVES_UP = MessageForm("lan.client-gives-up", "it gives up waiting for a server early (timeout)")
CLIENT_SETTINGS_NAME_PORT = MessageForm("lan.client-settings-name-port", "its settings (dhclient.conf) name the port")
CLIENT_HOOKS_NAME_PORT = MessageForm("lan.client-hooks-name-port", "its hooks (/etc/dhcp) name the port")
CLIENT_NOT_KNOWN = MessageForm("lan.client-not-known", "{client} is not known to go on after a move")
CLIENTS_SEVERAL = MessageForm("lan.clients-several", "it has more than one ({clients})")
CLIENT_NOT_FOUND = MessageForm("lan.client-not-found", "it was not found among the processes")
CLIENT_CANNOT_MOVE = MessageForm(
    "lan.client-cannot-move",
    "{port} on {host} has its address from a DHCP server, and its client cannot be moved to a bridge of "
    "Tunnelmark's own: {reason}. Make the address static, or make a bridge with {port} and its DHCP client, "
    "and choose that.",
)
CLIENTS_HIDDEN = MessageForm(
    "lan.clients-hidden",
    "Whether {port} on {host} has a DHCP client is not known: {host} hides other users' processes (mount "
    "option hidepid of /proc). Log in as root or as a member of the group that the option gid names, or make "
    "a bridge with {port}, and choose that.",
)
CLIENT_ASKS_IPV6 = MessageForm(
    "lan.client-asks-ipv6",
    "{client} asks for IPv6 addresses of {port} on {host}: it remains on the port, and hears no server while "
    "{port} is joined.",
)
CLIENT_MOVES = MessageForm(
    "lan.client-moves",
    "{port} on {host} has its address from a DHCP server. Its client ({client}) runs on the bridge while "
    "{port} is joined and renews the lease there; after a rollback it runs on {port} again.",
)
STEP_NOTE_CLIENT = MessageForm("lan.step-note-client", "Write down how the DHCP client of {port} was started")
STEP_MOVE_CLIENT = MessageForm(
    "lan.step-move-client", "Run the DHCP client of {port} on {bridge}, with the same lease and MAC address"
)
FORWARD_POLICY = MessageForm("lan.forward-policy", "policy DROP of the chain FORWARD ({program})")
CHAIN_POLICY = MessageForm("lan.chain-policy", "policy drop of the chain {chain} of the table {table}")
STEP_SEARCH_LOOP = MessageForm("lan.step-search-loop", "Search for another connection between the LANs")
HAS_NO_NFT = MessageForm("lan.has-no-nft", "it has no nft")
OWN_DHCP_CROSSES = MessageForm(
    "lan.own-dhcp-crosses",
    "DHCP requests of {host} itself cannot be kept from crossing: {why}. A server of the other plant could "
    "lend it an address.",
)
DHCP_CROSSES = MessageForm(
    "lan.dhcp-crosses", "DHCP or router advertisements cannot be kept from crossing on {host}: {why}."
)
SSH_RUNS_OVER = MessageForm("lan.ssh-runs-over", "The SSH connection to {host} runs over {port}.")
UNDERLAY_RUNS_OVER = MessageForm(
    "lan.underlay-runs-over", "The underlay of {host} runs over {port}: the tunnel's own packets travel on it."
)
PORT_WIRELESS = MessageForm(
    "lan.port-wireless", "{port} on {host} is wireless: it cannot carry the frames of other senders."
)
PORT_NOT_ETHERNET = MessageForm("lan.port-not-ethernet", "{port} on {host} does not carry Ethernet frames.")
PORT_OF_TUNNEL = MessageForm("lan.port-of-tunnel", "{port} on {host} belongs to a tunnel of Tunnelmark.")
PORT_OWNED = MessageForm(
    "lan.port-owned",
    "{owner} owns {port} on {host}: it may take the port out of the bridge or give it an address again. Tell "
    "it to leave {port} alone.",
)
PORT_HAS_IPV6 = MessageForm(
    "lan.port-has-ipv6", "{port} on {host} has IPv6 addresses, which do not move to the bridge."
)
PORT_DOWN = MessageForm("lan.port-down", "{port} on {host} is down; it is taken up.")
RULE_IN_TABLE = MessageForm("lan.rule-in-table", "is in the table {table}, which may change what is bridged only")
RULE_UNUSUAL = MessageForm("lan.rule-unusual", "is written in an unusual way")
RULE_PART_UNREAD = MessageForm("lan.rule-part-unread", "has a part that nft lists and does not read")
TABLE_CHANGES_BRIDGED = MessageForm("lan.table-changes-bridged", "may change what is bridged only ({what})")
RULE_IN_UNCALLED = MessageForm("lan.rule-in-uncalled", "is in a chain that nothing calls")
RULE_USED_TO_CHANGE = MessageForm("lan.rule-used-to-change", "is used by a rule that changes packets")
RULE_IN_NAMELESS = MessageForm("lan.rule-in-nameless", "is part of a chain without a name")
RULE_OF_A_PROGRAM = MessageForm("lan.rule-of-a-program", "is in a table that belongs to a program")
RULE_UNUSUAL_PLACE = MessageForm("lan.rule-unusual-place", "is in a place with an unusual name")
RULE_CHANGES_PACKETS = MessageForm("lan.rule-changes-packets", "changes packets, also those that are bridged only")
RULE_ON_CLOCK = MessageForm("lan.rule-on-clock", "depends on the clock, and is listed otherwise in another time zone")
RULE_NAMES_PART = MessageForm("lan.rule-names-part", "names the port as part of something else")
RULE_BY_NUMBER = MessageForm("lan.rule-by-number", "is known by its number, and the bridge has none before it is made")
RULE_IN_TIMED_SET = MessageForm("lan.rule-in-timed-set", "is in a set whose elements come and go")
RULE_IN_RANGES = MessageForm("lan.rule-in-ranges", "is in a set of ranges")
RULE_IN_COUNTED_SET = MessageForm("lan.rule-in-counted-set", "is in a set whose elements count or limit")
PORT_NOT_THERE = MessageForm("lan.port-not-there", "it is not there")
LOOP_TOOLS_MISSING = MessageForm("lan.loop-tools-missing", "tcpdump or timeout is missing there")
PORT_NO_LINK = MessageForm("lan.port-no-link", "it has no link (it is down, or nothing is plugged in)")
PORT_ROUTED = MessageForm("lan.port-routed", "a route leads everything through a router behind it")
LOOP_PING_FAILED = MessageForm("lan.loop-ping-failed", "ping failed")
TCPDUMP_FAILED = MessageForm("lan.tcpdump-failed", "tcpdump failed")
PORT_FAULT = MessageForm("lan.port-fault", "{port} on {host}: {why}")
RULE_EXCEPTS_PORT = MessageForm("lan.rule-excepts-port", "excepts the port")
RULE_NAMES_TOO_OFTEN = MessageForm("lan.rule-names-too-often", "names the port too often")
RULE_EXCEPTS_PATTERN = MessageForm("lan.rule-excepts-pattern", "excepts the port by a pattern")
ZONE_INTERFACE = MessageForm("lan.zone-interface", "firewalld zone {zone}: interface {port}")
INTERFACE_NAMED = MessageForm("lan.interface-named", "interface {port}")
MOVED_RULES_APPLY = MessageForm(
    "lan.moved-rules-apply",
    "What the rules for {port} accept or drop then applies to the LAN of {own} and to everything that the LAN "
    "of {other} sends to {own}.",
)
MOVE_LAN_RULES = MessageForm(
    "lan.move-lan-rules",
    "With --move-lan-rules (a box in the window) they are added for {bridge} while the port is joined; they "
    "then apply to the LAN of {own} and to what the LAN of {other} sends to {own}. Else confirm to go on "
    "without them.",
)
CHANGE_RULES_FIRST = MessageForm(
    "lan.change-rules-first",
    "Change them by hand first: a rule that excepts {port} has to except {bridge}, too, in the same rule.",
)
BRIDGED_FILTERED = MessageForm(
    "lan.bridged-filtered",
    "{host} passes bridged frames to its firewall (bridge-nf), which may drop what crosses between the LANs: "
    "{rule}. The pings that prove the tunnel do not pass there.",
)
BRIDGED_FILTERED_HINT = MessageForm(
    "lan.bridged-filtered-hint",
    "Set the sysctl net.bridge.bridge-nf-call-iptables (and -ip6tables) to 0, or accept what is bridged only: "
    "iptables -I FORWARD -i {bridge} -o {bridge} -j ACCEPT",
)
ONE_LAN_ONLY = MessageForm(
    "lan.one-lan-only", "Only the LAN of {other} is joined; {host} itself is the other side of the tunnel."
)
BRIDGE_HAS_TUNNEL = MessageForm(
    "lan.bridge-has-tunnel",
    "The bridge {bridge} on {host} has {others} as a port already, the tunnel of another deployment; {tunnel} "
    "would be one more.",
)
RING_IS_PARTED = MessageForm(
    "lan.ring-is-parted",
    "If the LANs behind the two tunnels are ever joined with each other, each tunnel in that ring finds the "
    "loop and is parted: the LAN here then loses all of them until the other connection has gone. See "
    "docs/deployment.md, “Loops, broadcast, DHCP”.",
)
LOOP_UNKNOWN = MessageForm(
    "lan.loop-unknown", "Whether the two LANs are joined already could not be found out ({why})."
)
LOOP_UNKNOWN_HINT = MessageForm(
    "lan.loop-unknown-hint", "If they are, do not deploy: frames would circle between the LANs."
)
LANS_JOINED_ALREADY = MessageForm(
    "lan.lans-joined-already",
    "The two LANs are joined already: what leaves the one port arrives at the other one without any tunnel.",
)
ZONE_MASQUERADES = MessageForm(
    "lan.zone-masquerades",
    "masquerades or forwards ports there, or a policy does, which may change what is bridged only",
)
INTERFACE_OF_ZONE = MessageForm("lan.interface-of-zone", "interface {port} (firewalld zone {zone})")
RULE_ONE_OF_MANY = MessageForm("lan.rule-one-of-many", "is one of too many")
STEP_MOVE_RULES = MessageForm("lan.step-move-rules", "Apply the firewall's rules for {port} to {bridge} as well")
STEP_WATCH_RULES = MessageForm("lan.step-watch-rules", "Watch the firewall for new rules that name {port}")
RULE_OF_FORWARD_CHAIN = MessageForm("lan.rule-of-forward-chain", "{rule} (chain {chain} of the table {table})")
