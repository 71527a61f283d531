"""LANs joined by a deployment: ports, bridge, addresses, firewall rules, loops.

What moves to the bridge is written down on the host first, and moves back at every rollback. Foreign rules are changed
only with consent, and restored byte for byte.
"""
