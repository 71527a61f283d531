"""Messages of export: each with its code, its text and its hint."""

from __future__ import annotations

from app.domain.messages import MessageForm

FILE_TOO_LONG = MessageForm(
    "export.file-too-long",
    "{file} is too long for Ansible.",
    "Take the files: --format files.",
)
NO_BECOME = MessageForm(
    "export.no-become",
    "Ansible itself has no way to root's rights on {host}: that takes root or sudo there.",
    "Allow sudo (`tunnelmark sudoers` prints what for), or take the files: --format files.",
)
PATH_NOT_QUOTABLE = MessageForm(
    "export.path-not-quotable",
    "The path {path} cannot go into an inventory.",
    "Move the file somewhere else.",
)
NO_TUNNEL = MessageForm(
    "export.no-tunnel",
    "{title:title} is no tunnel: there is nothing to export.",
)
STEP_READS_SECRET = MessageForm(
    "export.step-reads-secret",
    "{title:title} cannot be exported: a step reads a secret ({secret}).",
)
WORD_NOT_QUOTABLE = MessageForm(
    "export.word-not-quotable",
    "{title:title} cannot be exported: {word} would have to be quoted in {file}.",
)
PORT_HAS_DHCP = MessageForm(
    "export.port-has-dhcp",
    "{port} on {host} has its address from a DHCP server, and what is exported does not move its client.",
    "Deploy with tunnelmark deploy, or make the address static.",
)
ADDRESS_OF = MessageForm("export.address-of", "The address of {host}")
USER_OF = MessageForm("export.user-of", "The user of {host}")
TEXT_NOT_QUOTABLE = MessageForm(
    "export.text-not-quotable",
    "{what} is {text}, which cannot go into a script or an inventory.",
    "Letters, digits and . _ : @ % + = , / ~ - can.",
)
EXPORT_FORBIDDEN = MessageForm(
    "export.verdict-forbids",
    "{title:title} is {verdict} and is not written for any gateway.",
)
SHARED_SECRET = MessageForm(
    "export.shared-secret",
    "{title:title} cannot be exported: both hosts share a secret, which would have to go with it.",
    "Deploy it with `tunnelmark deploy`: there it goes from host to host, and is kept nowhere else.",
)
DERIVED_SECRET = MessageForm(
    "export.derived-secret",
    "{title:title} cannot be exported: both hosts derive a pre-shared key, for which values cross between them twice.",
    "Deploy it with `tunnelmark deploy`, or name another suite with --suite.",
)
EXPORT_NO_SUCH_PORT = MessageForm(
    "export.no-such-port",
    "{host} has no interface {port}.",
    "It has: {known:text}.",
)
PORT_CARRIES_UNDERLAY = MessageForm(
    "export.port-carries-underlay",
    "{port} on {host} has the address {address}: the tunnel itself runs over it.",
    "Name the port of the plant's network.",
)
NO_NFT = MessageForm(
    "export.no-nft",
    "DHCP or router advertisements cannot be kept from crossing on {host}: it has no nft.",
    "Install nftables there and inspect the host again (--live), or do not block them.",
)
PORT_CARRIES_SSH = MessageForm(
    "export.port-carries-ssh",
    "{host} is reached over {port}, at {address}.",
    "Name the port of the plant's network.",
)
PATH_MTU_MEASURED = MessageForm(
    "export.path-mtu-measured",
    "The MTU of the path between the hosts, {mtu:d} bytes, was measured on {day:time} at {time} UTC.",
)
PATH_MTU_GIVEN = MessageForm(
    "export.path-mtu-given",
    "The MTU of the path between the hosts, {mtu:d} bytes, was given for this export (--path-mtu) and not measured.",
)
PATH_MTU_UNKNOWN = MessageForm(
    "export.path-mtu-unknown",
    "It is not known how large packets between the hosts may be, so that TCP cannot be fitted to the path.",
    "Measure it with --live (both hosts need ping of iputils), or give what you measured: --path-mtu BYTES.",
)
PATH_MTU_RANGE = MessageForm(
    "export.path-mtu-range",
    "--path-mtu takes {least:d} to {most:d} bytes: no larger packet crosses the hosts' interfaces.",
)
INSTALL_NFT_FIRST = MessageForm(
    "export.install-nft-first",
    "Install nftables there and inspect the host again (--live).",
)
OR_WITHOUT_FIT = MessageForm("export.or-without-fit", "Or export without --mtu fit.")
NO_SUDOERS_NAME = MessageForm(
    "export.no-sudoers-name",
    "{user} cannot be a user's name in a sudoers file.",
    "Give the name of the user that Tunnelmark logs in as; names in capitals are aliases there.",
)
ROOT_NEEDS_NO_SUDOERS = MessageForm(
    "export.root-needs-no-sudoers",
    "root needs no sudoers file.",
    "Give the user that Tunnelmark is to log in as.",
)
NO_SUCH_FOLDER = MessageForm(
    "export.no-such-folder",
    "There is no folder {folder}.",
    "Create it first, or name another one.",
)
NOT_A_FOLDER = MessageForm(
    "export.not-a-folder",
    "{folder} is there already, and is no folder.",
    "Name a folder that is not there yet.",
)
FOLDER_UNREAD = MessageForm(
    "export.folder-unread",
    "{folder} cannot be read: {reason}.",
    "Choose another place.",
)
FOLDER_NOT_EMPTY = MessageForm(
    "export.folder-not-empty",
    "{folder} holds files that no export has put there, for example {file}.",
    "Name a folder that is empty or not there yet.",
)
FOLDER_HOLDS_EXPORT = MessageForm(
    "export.folder-holds-export",
    "{folder} holds an export already.",
    "Replace it with --force, or name another folder.",
)
EXPORT_DISK_FULL = MessageForm(
    "export.disk-full",
    "There is no space left on this computer to write {folder}. Nothing of it has been left there.",
    "Free some space, or choose another folder.",
)
FOLDER_NOT_WRITTEN = MessageForm(
    "export.folder-not-written",
    "{folder} cannot be written: {reason}.",
    "Choose another place.",
)
FACTS_OF_NOW = MessageForm("export.facts-of-now", "The hosts were inspected for it, on {day:time} at {time} UTC.")
FACTS_STORED = MessageForm(
    "export.facts-stored",
    "It rests on what was found on the hosts on {day:time} at {time} UTC; they were not asked again.",
)
