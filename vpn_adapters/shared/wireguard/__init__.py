"""WireGuard as a carrier: what every VPN shares that puts Ethernet frames into packets and these into WireGuard.

Keys are made on the hosts; `Inside` says what is carried, with which overhead and behind which guard. Must not name a
VPN, and must not touch an interface of the host's own.
"""
