"""Messages of adapters: keys that a host does not print, what a host lacks, and titles of steps."""

from __future__ import annotations

from app.domain.messages import MessageForm

NOT_PRINTED = MessageForm("adapter.not-printed", "The host did not print {what}.")
CHECK_COMMANDS = MessageForm("adapter.check-commands", "Check that these commands work there: {commands}.")
ITS_PUBLIC_KEY = MessageForm("adapter.its-public-key", "its public key")
ITS_CERTIFICATE = MessageForm("adapter.its-certificate", "its certificate")
A_PUBLIC_KEY = MessageForm("adapter.a-public-key", "a public key of the kind {kind}")
SETTING_UNUSABLE = MessageForm(
    "adapter.setting-unusable",
    "The suite {suite} has no usable setting {setting}.",
    "Choose another suite.",
)
PROPOSAL_UNKNOWN = MessageForm("adapter.proposal-unknown", "ESP knows no proposal {proposal}.", "Choose another suite.")
FREELAN_NOT_HELD = MessageForm(
    "adapter.freelan-not-held",
    "freelan {major}.{minor} cannot be held to one elliptic curve (elliptic_curve_capability). Update it to 2.2.",
)
FASTD_TOO_OLD = MessageForm(
    "adapter.fastd-too-old",
    "Anyone who can send a packet to fastd {version} can end it (CVE-2020-27638). Update it to 21 or later.",
)
MAKE_FASTD_KEY = MessageForm("adapter.make-fastd-key", "Make a Curve25519 key kept on host {side}")
MAKE_RSA_CERTIFICATE = MessageForm(
    "adapter.make-rsa-certificate", "Make an RSA key of 3072 bits kept on host {side}, and a self-signed certificate"
)
NOTE_OWN_ROUTE = MessageForm(
    "adapter.note-own-route", "Note whether the host has a route of its own to {peer}, since freelan sets one"
)
MACSEC_REMOVED = MessageForm("adapter.macsec-removed", "The MACsec interface {interface} is removed")
OPENVPN_TOO_OLD = MessageForm(
    "adapter.openvpn-too-old",
    "OpenVPN {major}.{minor} cannot be held to one data cipher (data-ciphers came with 2.5) and is no longer "
    "maintained. Update it to 2.6.",
)
LIBRESWAN_TOO_OLD = MessageForm(
    "adapter.libreswan-too-old",
    "Libreswan {major}.{minor} takes no public keys in the form that Tunnelmark gives it. Update it to 5.",
)
MAKE_EC_CERTIFICATE = MessageForm(
    "adapter.make-ec-certificate", "Make a P-384 key kept on host {side}, and a self-signed certificate"
)
MAKE_TAP = MessageForm("adapter.make-tap", "Make the tap interface {interface}")
MAKE_NAMED_TAP = MessageForm(
    "adapter.make-named-tap", "Make the tap interface {interface}, which is called {second} as well"
)
KERNEL_MODULE_PART = MessageForm("adapter.kernel-module-part", "kernel module {module}")
MAKE_GRETAP = MessageForm("adapter.make-gretap", "Make the GRE interface {interface} from {from_ip} to {to_ip}")
ONLY_THROUGH = MessageForm("adapter.only-through", "Let frames pass through {interface} only")
BY_OWN_TABLE = MessageForm("adapter.by-own-table", "{title:text}, by a firewall table of our own")
INTERFACE_IS_UP = MessageForm("adapter.interface-is-up", "The interface {interface} is up")
MAKE_L2TPV3 = MessageForm(
    "adapter.make-l2tpv3", "Make the L2TPv3 tunnel from {from_ip} to {to_ip} and its interface {interface}"
)
MAKE_IKE_KEY = MessageForm("adapter.make-ike-key", "Make an IKEv2 key kept on host {side}")
LOAD_AND_NEGOTIATE = MessageForm("adapter.load-and-negotiate", "Load the connection and negotiate with {peer}")
GIVE_ADDRESS = MessageForm("adapter.give-address", "Give {interface} its address {address} and take it up")
TAP_TAKEN_DOWN = MessageForm("adapter.tap-taken-down", "The tap interface {interface} is taken down")
MAKE_VXLAN = MessageForm("adapter.make-vxlan", "Make the VXLAN interface {interface} from {from_ip} to {to_ip}")
HANDSHAKE_DONE = MessageForm("adapter.handshake-done", "WireGuard's handshake on {interface} is done")
FORBID_OTHER_WAYS = MessageForm(
    "adapter.forbid-other-ways", "Forbid every way to {peer} but WireGuard's, so that nothing can leave unencrypted"
)
MAKE_WIREGUARD = MessageForm("adapter.make-wireguard", "Make the WireGuard interface {interface} to {peer}")
MAKE_HUB = MessageForm("adapter.make-hub", "Make the hub {interface} for {count} clients")
MAKE_CLIENTS_OF_HUB = MessageForm("adapter.make-clients-of-hub", "Make {count} clients in their namespaces")
MAKE_CLIENT_KEYS = MessageForm("adapter.make-client-keys", "Make a key for each of {count} clients, kept on their host")
MAKE_WIREGUARD_KEY = MessageForm("adapter.make-wireguard-key", "Make a WireGuard key kept on host {side}")
MAKE_KEM_KEY = MessageForm("adapter.make-kem-key", "Make an ML-KEM-768 key on host {side}, for the pre-shared key")
OPENSSH_TOO_OLD = MessageForm(
    "adapter.openssh-too-old", "OpenSSH {major}.{minor} is too old for a key that may make a tunnel and no more."
)
STUNNEL_TOO_OLD = MessageForm(
    "adapter.stunnel-too-old", "stunnel {version} lists no cipher of TLS 1.3 or no X25519. Update it to 5.68 or later."
)
NO_SECOND_NAME = MessageForm(
    "adapter.no-second-name",
    "Linux {version} cannot give an interface the second name by which OpenSSH opens it (that came with 5.5). "
    "Choose another solution.",
)
MAKE_ED25519_KEY = MessageForm("adapter.make-ed25519-key", "Make an Ed25519 key kept on host {side}")
TINC_TOO_NEW = MessageForm(
    "adapter.tinc-too-new",
    "This is tinc {major}.{minor}, whose Ed25519 keys and control socket Tunnelmark does not set up: no "
    "system that it was tried on has that version. tinc 1.0 is needed.",
)
MAKE_RSA_KEY = MessageForm("adapter.make-rsa-key", "Make an RSA key of {bits} bits kept on host {side}")
MAKE_MACSEC_AGREED = MessageForm(
    "adapter.make-macsec-agreed", "Make the MACsec interface {interface} and agree on keys by MKA"
)
MAKE_MACSEC_STATIC = MessageForm("adapter.make-macsec-static", "Make the MACsec interface {interface} with static keys")
PROTECT_NODES = MessageForm("adapter.protect-nodes", "Protect frames between the node {node} and the other node")
PROTECT_LAN = MessageForm("adapter.protect-lan", "Protect frames between the node {node} and its gateway")
NOT_FOR_NODES = MessageForm(
    "adapter.not-for-nodes", "{suite:title} cannot protect frames of nodes, which have static keys for minutes."
)
DAEMON_KILLED = MessageForm("adapter.daemon-killed", "{program} is killed")
DAEMON_STOPPED = MessageForm("adapter.daemon-stopped", "{program} is stopped")
WIREGUARD_TAKEN_DOWN = MessageForm("adapter.wireguard-taken-down", "the WireGuard interface {interface} is taken down")
WIREGUARD_DELETED = MessageForm("adapter.wireguard-deleted", "the WireGuard interface {interface} is deleted")
