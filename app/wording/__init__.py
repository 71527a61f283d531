"""Words, colours and units that window, command line and reports share.

Pure functions from values to texts; no I/O, no Qt, no host.
"""
