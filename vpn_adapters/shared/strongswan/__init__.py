"""IPsec by strongSwan as a carrier: shared by VPNs that put Ethernet frames into packets and these into ESP.

An IKE daemon of our own with its own folder, certificates and configuration; `Payload` says what is carried. What was
negotiated is asked of the daemon. Must not name a VPN, and must not touch an IKE daemon of the host's own.
"""
