"""Reads options of pppd and pptpd.conf."""

from __future__ import annotations

from vpn_adapters.shared.config_parsing.page import ConfigPage, ConfigReading, words_of
from vpn_adapters.shared.config_parsing.word_sets import word_set

PPP_GLOBS = (
    "/etc/ppp/options",
    "/etc/ppp/options.*",
    "/etc/ppp/pptpd-options",
    "/etc/ppp/peers/*",
    "/etc/ppp/chap-secrets",
    "/etc/ppp/pap-secrets",
)
PPTPD_GLOBS = ("/etc/pptpd.conf",)

_WITH_VALUE = """asyncmap chap-interval chap-max-challenge chap-restart connect connect-delay crtscts debug-file
    disconnect file holdoff idle init ipcp-max-configure ipcp-restart ipparam ipv6 lcp-echo-failure lcp-echo-interval
    lcp-max-configure lcp-restart linkname logfd logfile maxconnect maxfail mru mtu ms-dns ms-wins mschap name netmask
    nopersist pap-max-authreq pap-restart passive password plugin pppd-path proxyarp-if pty radius-config-file
    remotename speed unit user welcome bsdcomp deflate"""
_FLAGS = """auth noauth debug defaultroute nodefaultroute replacedefaultroute nobsdcomp nodeflate dump
    dryrun eap-interval hide-password show-password lock login local modem noaccomp noccp nodetach noendpoint noip
    noipdefault noipv6 nolock nomagic nomppe nomppe-128 nomppe-40 nomppe-stateful noktune nolog nomp nopcomp
    nopredictor1 notty novj novjccomp noproxyarp persist predictor1 proxyarp refuse-chap refuse-eap refuse-mschap
    refuse-mschap-v2 refuse-pap require-chap require-eap require-mppe require-mppe-128 require-mppe-40 require-mschap
    require-mschap-v2 require-pap mppe silent sync updetach usepeerdns receive-all xonxoff +chap -chap +pap -pap +mschap
    +mschap-v2 chapms-strip-domain ktune mppe-stateful"""
_FLAG_WORDS = frozenset(_FLAGS.split())
PPP_WORDS = word_set(f"{_WITH_VALUE} {_FLAGS}")
"""Options by which such a file is known. Source: pppd(8) of ppp 2.4.9 and 2.5."""

PPTPD_WORDS = word_set(
    """
    option localip remoteip listen debug ppp speed stimeout noipparam logwtmp vrf bcrelay delegate connections
    pidfile nologwtmp
    """
)
"""Settings by which pptpd.conf is known. Source: pptpd.conf(5) of pptpd 1.4."""


def read_ppp(text: str) -> ConfigReading:
    """Read an options file; what is no option of pppd may be a secret and is masked. Source: pppd(8)."""
    page = ConfigPage(text)
    for number, line in enumerate(page.lines, start=1):
        words = words_of(line)
        index = 0
        while index < len(words):
            index = _option(page, number, words, index)
    return page.reading()


def _option(page: ConfigPage, number: int, words: list[tuple[int, str]], index: int) -> int:
    """Add the option at an index; return the index of the next one."""
    column, name = words[index]
    value = words[index + 1][1] if index + 1 < len(words) else ""
    if name == "password":
        page.add_secret(number, name, words[index + 1][0] if value else column)
        return index + 2
    if name in PPP_WORDS:
        is_flag = value in PPP_WORDS or name in _FLAG_WORDS or not value
        page.add(number, name, "" if is_flag else value)
        return index + (1 if is_flag else 2)
    if len(words) - index >= 3 and index == 0:  # client, server, secret, addresses: pppd(8), "AUTHENTICATION"
        page.add_secret(number, "secret", words[2][0])
        return len(words)
    if len(words) == 1 and _is_address_pair(name):
        page.add(number, "addresses", name)
        return len(words)
    page.mask(number, column)
    return len(words)


def _is_address_pair(word: str) -> bool:
    return len(word) < 80 and ":" in word and all(c in "0123456789.:" for c in word)


def read_pptpd(text: str) -> ConfigReading:
    """Read pptpd.conf. Source: pptpd.conf(5)."""
    page = ConfigPage(text)
    for number, line in enumerate(page.lines, start=1):
        words = words_of(line)
        if words and words[0][1] in PPTPD_WORDS:
            page.add(number, words[0][1], " ".join(word for _, word in words[1:]))
        elif words:
            page.mask(number)
    return page.reading()
