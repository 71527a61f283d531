"""WireGuard as a carrier: what every VPN shares that puts Ethernet frames into packets and these into WireGuard."""
