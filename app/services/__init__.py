"""Interfaces of the program and their wiring, for the window and the command line alike.

Opens the parts (connections, store, labs, adapters) and hands them to each other. Besides `app.linting` the only part
of `app` that knows the VPN adapters. Must not decide anything, and must not re-export: the window must not load all
wiring before its first page.
"""
