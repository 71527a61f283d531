"""VPN adapters: pure translations from what is wanted to files and commands.

One folder per VPN with everything that is that VPN's, and one line in the registry. The same request gives the same
files. Must not talk to hosts, read the clock or draw random numbers; they import app.domain alone.
"""
