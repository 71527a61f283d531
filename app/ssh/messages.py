"""Messages of SSH connections: reaching a host, host keys, logins, privileges and commands."""

from __future__ import annotations

from app.domain.messages import MessageForm

KEY_FILE = MessageForm("ssh.key-file", "key {file}")
KEY_UNREADABLE = MessageForm("ssh.key-unreadable", "key {file} cannot be read ({reason})")
KEY_STILL_LOCKED = MessageForm("ssh.key-stays-locked", "key {file} was not unlocked by this passphrase")
KEY_NOT_PRIVATE = MessageForm("ssh.key-not-private", "key {file} is not a private key")
TAKEN_BUT_NOT_ENOUGH = MessageForm("ssh.taken-but-not-enough", "{what} (taken, but the host wants more)")
A_PASSWORD = MessageForm("ssh.a-password", "a password")
SEVERAL_TIMES = MessageForm("ssh.several-times", "{what} ({number} times)")
WAS_OFFERED = MessageForm("ssh.was-offered", "Offered: {names}.")
NOTHING_ELSE_OFFERED = MessageForm("ssh.nothing-else-offered", "Not offered: {reasons}.")
NOTHING_OFFERED = MessageForm("ssh.nothing-offered", "Nothing could be offered: {reasons}.")
NOTHING_TO_OFFER = MessageForm(
    "ssh.nothing-to-offer",
    "There is nothing to log in to {host} with: {reasons}.",
    "Name a private key, start the SSH agent, or give the password.",
)
FOLDER_MISSING = MessageForm(
    "ssh.folder-missing",
    "{folder} does not exist on {host}, so {path} cannot be written. {output}",
    "Make the folder first.",
)
PATH_IS_FOLDER = MessageForm("ssh.path-is-folder", "{path} is a folder on {host}, not a file. {output}")
SHELL_WITHOUT_PRINTF = MessageForm(
    "ssh.shell-without-printf",
    "The shell of {host} has no printf of its own, so files cannot be written safely. {output}",
)
FILE_NOT_REPLACED = MessageForm(
    "ssh.file-not-replaced",
    "{path} on {host} could not be replaced. {output}",
    "Is it on a read-only or protected file system?",
)
FILE_NOT_WRITTEN = MessageForm(
    "ssh.file-not-written", "{path} could not be written on {host}. {output}", "Nothing was changed."
)
REVOKED_KEYS_UNREADABLE = MessageForm(
    "ssh.revoked-keys-unreadable",
    "RevokedHostKeys in the ssh configuration names {file}, which cannot be read: {reason}. No host was connected.",
)
REVOKED_KEYS_ARE_KRL = MessageForm(
    "ssh.revoked-keys-are-krl",
    "RevokedHostKeys in the ssh configuration names {file}, which is a key revocation list (KRL), "
    "which Tunnelmark does not read. No host was connected.",
)
REVOKED_KEYS_TOO_LARGE = MessageForm(
    "ssh.revoked-keys-too-large",
    "RevokedHostKeys in the ssh configuration names {file}, which has more than {limit} bytes. No host was connected.",
)
REVOKED_KEYS_NO_KEY = MessageForm(
    "ssh.revoked-keys-no-key",
    "RevokedHostKeys in the ssh configuration names {file}, which has no public key in line {line}. "
    "No host was connected.",
)
REVOKED_KEYS_HINT = MessageForm(
    "ssh.revoked-keys-hint", "Give a text file with one public key a line, as in `ssh_host_ed25519_key.pub`, or `none`."
)
CONNECTION_CLOSED = MessageForm("ssh.connection-closed", "it closed the connection")
NO_ANSWER = MessageForm("ssh.no-answer", "no answer within {seconds:g} s")
NAME_UNKNOWN = MessageForm(
    "ssh.name-unknown", "The name {name} is not known: {reason}.", "Check the name, or use an IP address."
)
NAME_OF_HOST_UNKNOWN = MessageForm(
    "ssh.name-of-host-unknown",
    "The name {name} of {host} is not known: {reason}.",
    "Check the name, or use an IP address.",
)
NO_ADDRESS = MessageForm("ssh.no-address", "it has no address")
NO_REASON = MessageForm("ssh.no-reason", "no reason was given")
BATCH_WITH_STDIN = MessageForm("ssh.batch-with-stdin", "A command with stdin was put into a batch.")
SSH_CONFIG_TOO_LARGE = MessageForm(
    "ssh.config-too-large", "{file} is no configuration of ssh: it is larger than 1 MiB.", "Choose another file."
)
SSH_CONFIG_WRONG = MessageForm("ssh.config-wrong", "{file} is no configuration of ssh.", "Choose another file.")
SSH_CONFIG_NO_FILE = MessageForm("ssh.config-no-file", "{file} is no file.", "Choose the configuration of ssh.")
SSH_CONFIG_MISSING = MessageForm("ssh.config-missing", "There is no file {file}.", "Choose the configuration of ssh.")
SSH_CONFIG_UNREADABLE = MessageForm("ssh.config-unreadable", "{file} cannot be read: {reason}.")
SSH_CONFIG_NO_TEXT = MessageForm(
    "ssh.config-no-text", "{file} is no configuration of ssh: it is no text.", "Choose another file."
)
KEY_FILE_MISSING = MessageForm("ssh.key-file-missing", "The key file {file} does not exist.")
WORKS_FROM_SSH_CONFIG_ONLY = MessageForm(
    "ssh.works-from-ssh-config-only", "It uses {setting}, which works from ~/.ssh/config only: copy its lines there."
)
INCLUDES_NOT_READ = MessageForm("ssh.includes-not-read", "Files that it includes (Include) are not read.")
HOST_NAME_WRONG = MessageForm("ssh.host-name-wrong", "Its name is no host name.")
CONNECTION_NOT_SET_UP = MessageForm(
    "ssh.connection-not-set-up",
    "The SSH connection to {host} could not be set up: {reason}.",
    "Read the host's SSH log.",
)
HOST_UNREACHABLE = MessageForm(
    "ssh.host-unreachable",
    "{host} cannot be reached: {why}.",
    "Is the host on, is the address right, and does its SSH server listen on that port?",
)
NO_COMMON_ALGORITHM = MessageForm(
    "ssh.no-common-algorithm",
    "{host} offers no algorithm that Tunnelmark accepts: {reason}",
    "Its SSH server is too old: let it offer AES-CTR or AES-GCM, SHA-2 and a modern key exchange.",
)
NO_SSH_SERVER = MessageForm(
    "ssh.no-ssh-server",
    "Something listens on {address}, port {port}, but it did not say that it is an SSH server.",
    "Check the port, and whether the host is still starting.",
)
JUMP_FAILED = MessageForm(
    "ssh.jump-failed",
    "The jump host does not reach {address}, port {port}: {reason}",
    "Check AllowTcpForwarding on the jump host, and the address as seen from there.",
)
CONNECTION_LOST_AT_START = MessageForm(
    "ssh.connection-lost-at-start", "The connection broke when {what} was to be started.", "Connect again."
)
CHANNEL_REFUSED = MessageForm("ssh.channel-refused", "The host opened no channel for {what}: {reason}")
CHANNEL_TOO_LATE = MessageForm("ssh.channel-too-late", "The host opened no channel in time for {what}.")
CLEAN_UP_AFTER = MessageForm("ssh.clean-up-after", "the clean-up after {what}")
HOST_KEY_UNKNOWN = MessageForm(
    "ssh.host-key-unknown", "The host key of host {host} is not known: {key_type} {fingerprint}."
)
HOST_KEY_CHANGED = MessageForm(
    "ssh.host-key-changed",
    "Host {host} shows another host key than the known one: {key_type} {fingerprint}, instead of {known}. "
    "The connection was refused.",
    "The host was set up anew, or an attacker answers in its place. If it was set up anew, remove {places}.",
)
HOST_KEY_REVOKED = MessageForm(
    "ssh.host-key-revoked",
    "The host key of host {host} was revoked: {key_type} {fingerprint}. The connection was refused.",
    "A known_hosts file marks it as @revoked, or RevokedHostKeys lists it. The host needs a new key.",
)
HOST_KEY_FILE_ONLY = MessageForm(
    "ssh.host-key-file-only", "Only {file} counts for this host; put the right key into it."
)
HOST_KEY_COMPARE = MessageForm(
    "ssh.host-key-compare",
    "If the fingerprint is what `{command}` prints on the console of {host}, accept it with --accept-host-key {option}",
)
HOST_KEY_NOT_STORED = MessageForm(
    "ssh.host-key-not-stored",
    "The host key could not be stored in {file}: {reason}.",
    "Check its folder's permissions.",
)
LOGIN_REFUSED = MessageForm(
    "ssh.login-refused",
    "{host} refused the login. {tried}",
    "Check the user name, and that the right key or password is chosen.",
)
CLOSED_DURING_LOGIN = MessageForm(
    "ssh.closed-during-login",
    "{host} closed the connection during the login: {reason}. {tried}",
    "Read the host's SSH log; a ban after too many attempts shows like this.",
)
LOGIN_UNANSWERED = MessageForm(
    "ssh.login-unanswered", "{host} did not answer a login within {seconds:g} s.", "Is the host overloaded?"
)
LOGIN_REFUSED_BECAUSE = MessageForm("ssh.login-refused-because", "{host} refused the login: {reason}. {tried}")
CLOSED_AFTER_KEYS = MessageForm(
    "ssh.closed-after-keys",
    "{host} closed the connection after {count} keys. {tried}",
    "It takes a few attempts only: name the right key with --identity.",
)
NO_KEY_CONFIGURED = MessageForm("ssh.no-key-configured", "no key file is configured")
NO_PASSWORDS_TAKEN = MessageForm("ssh.no-passwords-taken", "the host takes no passwords")
PASSPHRASE_NOT_GIVEN = MessageForm("ssh.passphrase-not-given", "the passphrase of key {file} was not given")
AGENT_KEY = MessageForm("ssh.agent-key", "the agent's key {key}")
AGENT_WITHOUT_KEYS = MessageForm("ssh.agent-without-keys", "the SSH agent offers no key")
NO_AGENT = MessageForm("ssh.no-agent", "no SSH agent is running")
CLOSED_WHILE_ASKING = MessageForm(
    "ssh.closed-while-asking", "the host closed the connection while the password was asked for"
)
MORE_THAN_PASSWORD = MessageForm("ssh.more-than-password", "the host asks for more than a password")
HOST_CLOSED_CONNECTION = MessageForm("ssh.host-closed-connection", "the host closed the connection")
NO_PASSWORD = MessageForm("ssh.no-password", "no password was given")
SUDO_PASSWORD_REFUSED = MessageForm(
    "ssh.sudo-password-refused", "sudo on {host} refused the password {number} times.", "It is the user's own password."
)
NO_WAY_TO_ROOT = MessageForm(
    "ssh.no-way-to-root",
    "The user of {host} has no way to root's rights: {reason}.",
    "Log in as root, or allow this user what `tunnelmark sudoers` prints (or all in doas.conf).",
)
SUDO_PASSWORD_MISSING = MessageForm(
    "ssh.sudo-password-missing",
    "{host} wants a password for sudo, and none was given.",
    "Give it when asked, or store it in the system's keyring.",
)
SUDO_ASKS_MORE = MessageForm(
    "ssh.sudo-asks-more",
    "sudo on {host} did not get on with the password: it asks something else, or hangs.",
    "Only sudo's ordinary password question can be answered: allow sudo without one, or use root.",
)
SUDO_ON = MessageForm("ssh.sudo-on", "sudo on {host}")
PRIVILEGES_CHECK = MessageForm("ssh.privileges-check", "the check of {host}'s privileges")
SUDO_NOT_ALL_COMMANDS = MessageForm("ssh.sudo-not-all-commands", "sudo does not allow this user all commands")
CONNECTION_LOST_RUNNING = MessageForm(
    "ssh.connection-lost-running",
    "The connection broke while {what} was running.",
    "It is not known how far it came; connect again.",
)
SHELL_DID_NOT_RUN = MessageForm(
    "ssh.shell-did-not-run",
    "{what} was not run by the host's login shell: {reason}",
    "The user needs an ordinary login shell, without a forced command.",
)
ROOT_REFUSED = MessageForm(
    "ssh.root-refused",
    "{what} needs root's rights, and the host refused them: {reason}",
    "Log in as root, or allow this user what `tunnelmark sudoers` prints (or all in doas.conf).",
)
COMMAND_TOO_SLOW = MessageForm(
    "ssh.command-too-slow", "{what} did not end in time.", "Try again, or check the host's load."
)
COMMAND_EMPTY = MessageForm("ssh.command-empty", "A command without a program was about to be run.")
ARGUMENT_UNFIT = MessageForm(
    "ssh.argument-unfit", "An argument of {program} holds a character that no command line can carry."
)
NO_CONNECTION_ANY_MORE = MessageForm(
    "ssh.no-connection-any-more", "There is no connection to {host} any more.", "Connect again."
)
SHELL_ENDED = MessageForm(
    "ssh.shell-ended",
    "The shell on {host} ended (status {status}) during `{command}`, command {number} of {count}.",
    "It was killed, or that command ended the shell. The commands after it did not run.",
)
RUNS_NOTHING_STATUS = MessageForm(
    "ssh.runs-nothing-status", "{host} lets in, but runs nothing: `true` ended with status {status}."
)
RUNS_NOTHING = MessageForm("ssh.runs-nothing", "{host} lets in, but runs nothing: {reason}")
SUDO_PASSWORD_CHANGED = MessageForm(
    "ssh.sudo-password-changed",
    "sudo on {host} no longer takes the password that it took before.",
    "Was it changed? It will be asked for again.",
)
BATCH_OF = MessageForm("ssh.batch-of", "a batch of {count} commands on {host}")
WRITING_OF = MessageForm("ssh.writing-of", "the writing of {count} files on {host}")
TRUE_ON = MessageForm("ssh.true-on", "`true` on {host}")
JUMP_CIRCLE = MessageForm("ssh.jump-circle", "More than {number} jump hosts lead to {host}.", "Is ProxyJump a circle?")
SSH_CONFIG_PORT_WRONG = MessageForm(
    "ssh.config-port-wrong", "The port {port} that the ssh configuration gives for {host} is none."
)
TOO_MANY_JUMPS = MessageForm("ssh.too-many-jumps", "More than {number} jump hosts lead to {host}.")
JUMP_WRONG = MessageForm("ssh.jump-wrong", "The jump host `{jump}` on the way to {host} makes no sense.")
SSH_CONFIG_UNUSABLE = MessageForm(
    "ssh.config-unusable", "{file} cannot be read: {reason}", "Check it with `ssh -G somehost`."
)
REVOKED_KEYS_SETTING_WRONG = MessageForm(
    "ssh.revoked-keys-setting-wrong", "RevokedHostKeys for {host} in the ssh configuration: {reason}."
)
SSH_CONFIG_NOT_APPLICABLE = MessageForm(
    "ssh.config-not-applicable", "The ssh configuration for {host} cannot be applied: {reason}"
)
PROXY_COMMAND = MessageForm(
    "ssh.proxy-command",
    "The ssh configuration reaches {host} with ProxyCommand, which is not supported.",
    "Use ProxyJump instead.",
)
JUMP_HOST_FOR = MessageForm("ssh.jump-host-for", "jump host {address} for {host}")
NO_ANSWER_FOR = MessageForm("ssh.no-answer-for", "no answer for {seconds:.0f} s")
NO_SPACE_LEFT = MessageForm(
    "ssh.no-space-left",
    "There is no space left for {path} on {host}.",
    "Nothing was changed. Free space in {folder} and try again.",
)
PATH_UNFIT = MessageForm("ssh.path-unfit", "{path} (mode {mode:o}) is no place for a file.")
