"""vtund between two hosts: what VTun's Ethernet frames and its PPP have in common.

B calls A at a port of its own. Both hosts have one password, made for the tunnel, which is put into the configuration
on the host and is on no command line. Must not use a configuration of the host's own.
"""
