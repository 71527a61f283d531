"""Shared parts of several adapters: Ethernet interfaces, L2TPv3, discovery of kernel modules, rendering.

Pure functions and values, as in the adapters: they return steps, files and parsers. Must not talk to hosts, and must
not know which adapter uses them.
"""
