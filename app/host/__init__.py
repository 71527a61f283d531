"""Scripts on hosts, and the values that they print.

Runs them on one host or on both in parallel; snapshots, locks and script events are parsed here, and nowhere else.
All that a host prints is untrusted and bounded. Must not decide anything about tunnels.
"""
