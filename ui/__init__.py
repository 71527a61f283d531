"""The window. It renders and collects.

`shell` holds the window and its pages together; `comparison`, `results`, `deployments`, `census` and `lint` are its
features and do not know each other; `plots` and `common` serve them all. Must not decide anything, and must not block
Qt's thread.
"""
