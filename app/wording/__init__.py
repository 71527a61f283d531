"""Words, colours and units that window, command line and reports share.

Pure functions from values to texts; no Qt, no host, and no I/O but reading the catalogues of translations.
"""
