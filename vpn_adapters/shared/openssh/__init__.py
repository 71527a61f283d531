"""OpenSSH between two hosts: what every VPN shares that carries something in one SSH connection.

A has an sshd of its own with keys, port and configuration of its own, which lets in its peer's key for one command
alone; B knows A's host key. Algorithms are those that both programs list. Must not name a VPN, and must not touch the
host's own sshd, its keys or its configuration.
"""
