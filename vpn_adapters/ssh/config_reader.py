"""Reads sshd_config and ssh_config."""

from __future__ import annotations

import re

from vpn_adapters.shared.config_parsing.masking import is_command
from vpn_adapters.shared.config_parsing.messages import INCLUDED_FILES_NOT_READ
from vpn_adapters.shared.config_parsing.page import ConfigPage, ConfigReading, is_name, words_of
from vpn_adapters.shared.config_parsing.word_sets import word_set

SSHD_GLOBS = ("/etc/ssh/sshd_config", "/etc/ssh/sshd_config.d/*.conf")
SSH_GLOBS = ("/etc/ssh/ssh_config", "/etc/ssh/ssh_config.d/*.conf", "/root/.ssh/config")

_BOTH = """ciphers macs kexalgorithms hostkeyalgorithms pubkeyacceptedalgorithms pubkeyacceptedkeytypes compression
    casignaturealgorithms addressfamily match include port protocol passwordauthentication pubkeyauthentication
    kbdinteractiveauthentication challengeresponseauthentication gssapiauthentication loglevel rekeylimit
    hostbasedauthentication requiredrsasize"""
SSHD_WORDS = word_set(
    f"""
    {_BOTH} permitrootlogin listenaddress hostkey usepam x11forwarding allowtcpforwarding permittunnel
    authorizedkeysfile strictmodes maxauthtries maxsessions permitemptypasswords allowusers denyusers
    allowgroups subsystem clientaliveinterval clientalivecountmax logingracetime printmotd usedns
    permituserenvironment ignorerhosts allowagentforwarding gatewayports permitopen banner acceptenv
    chrootdirectory forcecommand pidfile usedns authenticationmethods
    """
)
SSH_WORDS = word_set(
    f"""
    {_BOTH} host hostname user identityfile identitiesonly stricthostkeychecking userknownhostsfile
    globalknownhostsfile proxycommand proxyjump localforward remoteforward dynamicforward serveraliveinterval
    serveralivecountmax tunnel tunneldevice controlmaster controlpath controlpersist forwardagent forwardx11
    batchmode sendenv hashknownhosts visualhostkey verifyhostkeydns checkhostip exitonforwardfailure requesttty
    permitlocalcommand localcommand
    """
)
"""Keywords by which these files are known. Source: sshd_config(5), ssh_config(5) of OpenSSH 8.4 and 10.0."""

_LINE = re.compile(r"\s*([A-Za-z][A-Za-z0-9]{1,60})(?:\s*=\s*|\s+)(\S.*)")


def read(text: str) -> ConfigReading:
    """Read a file. Included files are not read but noted. Source: sshd_config(5), ssh_config(5)."""
    page = ConfigPage(text)
    for number, line in enumerate(page.lines, start=1):
        found = _LINE.fullmatch(line[:16384].rstrip())
        if found is None or not is_name(found[1]):
            continue
        value = found[2] if is_command(found[1]) else " ".join(word for _, word in words_of(found[2]))
        page.add(number, found[1], value)
        if found[1].lower() == "include":
            page.note(INCLUDED_FILES_NOT_READ(files=value))
    return page.reading()
