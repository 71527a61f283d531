"""SSH sessions, host keys, privileges; the only place that imports paramiko."""

from app.ssh.connector import SshConnector
from app.ssh.known_hosts import fingerprint
from app.ssh.remote_line import shell_line
from app.ssh.session import SshSession

__all__ = ["SshConnector", "SshSession", "fingerprint", "shell_line"]
