"""Reads freelan.cfg."""

from __future__ import annotations

from vpn_adapters.shared.config_parsing.page import ConfigReading
from vpn_adapters.shared.config_parsing.sections import read_sections
from vpn_adapters.shared.config_parsing.word_sets import word_set

GLOBS = ("/etc/freelan/*.cfg", "/etc/freelan/*/*.cfg")

WORDS = word_set(
    """
    [server] [client] [fscp] [tap_adapter] [switch] [router] [security] hostname_resolution_protocol listen_on
    contact accept_contact_requests accept_contacts dynamic_contact_file never_contact cipher_suite_capability
    cipher_capability elliptic_curve_capability ipv4_address_prefix_length dhcp_proxy_enabled arp_proxy_enabled
    routing_method relay_mode_enabled passphrase passphrase_salt signature_certificate_file
    signature_private_key_file authority_certificate_file certificate_validation_method
    certificate_revocation_validation_method system_route_acceptance_policy internal_route_acceptance_policy
    disable_peer_verification disable_host_verification upnp_enabled
    """
)
"""Sections and settings by which such a file is known. Source: freelan.cfg as shipped with freelan 2.2."""


def read(text: str) -> ConfigReading:
    """Read a file. Source: freelan.cfg as shipped with freelan 2.2."""
    return read_sections(
        text,
        comment_signs="#",
        name=lambda section, name: name if "." in name or not section else f"{section}.{name}",
    )
