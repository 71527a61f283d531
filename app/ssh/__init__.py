"""SSH sessions, host keys, privileges; the only place that imports paramiko.

Runs argv lists with a limit of time and output, and can be cancelled at any moment. A host key is verified before
anything is sent. Must not accept an unknown key by itself, and must not interpret what a command prints.
"""

from app.ssh.connector import SshConnector
from app.ssh.session import SshSession

__all__ = ["SshConnector", "SshSession"]
