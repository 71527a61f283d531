"""Words, colours and units that window, command line and reports share.

Pure functions from values to texts in the user's language; units and roundings are chosen here once. Reads the
catalogues of translations and which language was chosen, and nothing else. Must not know Qt or hosts, and must not
decide anything but the language.
"""
