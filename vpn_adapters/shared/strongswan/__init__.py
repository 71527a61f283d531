"""IPsec by strongSwan as a carrier: shared by VPNs that put Ethernet frames into packets and these into ESP."""
