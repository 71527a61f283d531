"""Tunnelmark without its window.

Layers that import downwards only (docs/architecture.md); the command line is the top one. Plain threads, frozen
values and events. Must not use Qt, and must not keep state outside the home folder and the hosts that the user named.
"""
