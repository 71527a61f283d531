"""LANs joined by a deployment: ports, bridge, addresses, firewall rules, loops.

What moves to the bridge is saved on the host first, and moves back at every rollback. Rules of others are changed
only with consent, and restored byte for byte. Must not join the port of the SSH connection or of the underlay.
"""
