"""Removes secrets from texts that hold them among other things: values, command lines, comments."""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.domain.linting import MASK
from vpn_adapters.shared.config_parsing.word_sets import word_set

_KEY_LIKE = re.compile(r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{42,}={0,2}|(?:0[xs])?[0-9A-Fa-f]{32,})(?![A-Za-z0-9+/=])")
_IS_RANDOM = re.compile(r"(?=.*[A-Z])(?=.*[a-z])(?=.*[0-9+=])|[^/]*\Z")  # a long path has slashes, but no such mix
_LOGIN = re.compile(r"(://[^/\s:@]{1,200}):[^\s\"']{1,200}@")

_WORD = r"pass(?:wd|word|phrase)?|pwd|secret|token|pin|psk|pre-?shared-?key|api[_-]?key|credentials?"
_VALUE = r"(?:\\?\"[^\"]{0,400}\"?|'[^']{0,400}'?|[^\s\"'|;&<>()]{1,400})"
_WORD_HINTS = ("pass", "pwd", "secret", "token", "pin", "psk", "shared", "api", "credential")


_Pattern = tuple[tuple[str, ...], re.Pattern[str]]


def _pattern(text: str, *hints: str) -> _Pattern:
    """Return a pattern after words: a text in lower case without any of these need not be searched."""
    return hints, re.compile(text)


_LABELLED = (
    # password=…, PIN:…, pin-value=…, pass:…
    _pattern(
        rf"(?i)((?:(?<![a-z])(?:{_WORD})|password|passwd|passphrase|secret)(?:-value)?"
        rf"\\?[\"']?\s{{0,9}}[:=]\s{{0,9}}){_VALUE}",
        *_WORD_HINTS,
    ),
    # SSHPASS=…, PGPASSWORD=…, API_KEY=…
    _pattern(
        rf"(\b[A-Z][A-Z0-9_]{{0,40}}(?:PASS|PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|PIN|PSK|_KEY)=){_VALUE}",
        *("pass=", "password=", "passwd=", "passphrase=", "pwd=", "secret=", "token=", "pin=", "psk=", "_key="),
    ),
    # --password …, -pass …, --http-password=…, -passin …
    _pattern(
        rf"(?i)((?<!\S)[\"']?--?(?:[a-z0-9]{{1,20}}-)?(?:{_WORD}|passin|passout|pw|bearer)"
        rf"(?:\s{{0,9}}=\s{{0,9}}|\s{{1,9}})){_VALUE}",
        *("-pass", "-pwd", "-secret", "-token", "-pin", "-psk", "-pre", "-api", "-cred", "-pw", "-bearer"),
    ),
    # curl -u name:…, smbclient -U name%…
    _pattern(
        r"((?<!\S)[\"']?(?:-[uU]|--user|--proxy-user)(?:=|\s{0,9})[\"']?[^\s:%\"']{1,200}[:%]\s?)[^\s\"']{1,400}", "-u"
    ),
    # ncat --proxy-auth name:…, socat …,proxyauth=name:…
    _pattern(r"(?i)(proxy-?auth[\s=]\s{0,9}[\"']?[^\s:\"']{1,200}:)[^\s\"',]{1,400}", "proxyauth", "proxy-auth"),
    # Authorization: Bearer …
    _pattern(r"(?i)(\b(?:proxy-)?authorization[\"']?[\s:=]\s{0,9}[\"']?)[^\"']{1,800}", "authorization"),
    _pattern(rf"(?i)(\bsshpass\s(?:[^|;]{{0,80}}?\s)??-p\s{{0,9}}){_VALUE}", "sshpass"),
    _pattern(rf"(?i)(\b(?:mysql|mysqldump|mariadb)\s(?:[^|;]{{0,200}}?\s)??-p){_VALUE}", "mysql", "mariadb"),
    _pattern(rf"(?i)(\bldap[a-z]{{3,12}}\s(?:[^|;]{{0,200}}?\s)??-w\s{{0,9}}){_VALUE}", "ldap"),
    _pattern(rf"(?i)(\bipmitool\s(?:[^|;]{{0,200}}?\s)??-P\s{{0,9}}){_VALUE}", "ipmitool"),
)
_IN_COMMANDS = (
    # what is handed to another program's input
    _pattern(r"(?i)(\b(?:echo|printf)\s{1,9})[^|]{1,400}(?=\|)", "echo", "printf"),
    # chat scripts and such: assword: …, password …
    _pattern(rf"(?i)(\b[a-z]{{0,3}}ssword[^\s\"']{{0,40}}[\"']?\s{{1,9}}){_VALUE}", "ssword"),
    _pattern(rf"(?i)((?<!\S)(?:{_WORD})\s{{1,9}}){_VALUE}", *_WORD_HINTS),
)

_ALL_HINTS = {hint for hints, _ in _LABELLED + _IN_COMMANDS for hint in hints}
_HINTS = tuple(one for one in _ALL_HINTS if not any(other in one for other in _ALL_HINTS - {one}))
"""A text in lower case without any of these holds nothing that the patterns match; most lines have none."""

_SHORTEST = 5  # pin:1

_COMMANDS = word_set(
    """
    up down ipchange route-up route-pre-down client-connect client-disconnect learn-address tls-verify
    auth-user-pass-verify tls-crypt-v2-verify client-crresponse iproute plugin
    proxycommand localcommand remotecommand knownhostscommand authorizedkeyscommand authorizedprincipalscommand
    forcecommand subsystem match postup preup postdown predown updown leftupdown rightupdown exec execargs enginectrl
    connect disconnect pty welcome init connect-script program ppp shell firewall route ip ifconfig
    """
)
"""Settings whose values are command lines. Source: openvpn(8), ssh_config(5), wg-quick(8), stunnel(8), pppd(8),
vtund.conf(5)."""


_SECRET_ENDS = ("password", "passwd", "passphrase", "apikey", "api-key", "api_key")


def is_secret(name: str) -> bool:
    """Whether the value of a setting is a secret in whatever file, by the end of its name."""
    return name.lower().endswith(_SECRET_ENDS)


def is_command(name: str) -> bool:
    """Whether the value of a setting is a command line; its name may have sections before it."""
    return name.lower().rpartition(".")[2] in _COMMANDS


def without_secrets(text: str, *, is_command_line: bool = False) -> str:
    """Return a text with everything masked that may be a key, a password or a login within an address.

    Args:
        text: A value, or a line of a file.
        is_command_line: Whether it is, or has, a command line, in which more is taken for a secret.
    """
    if len(text) < _SHORTEST:
        return text
    lower = text.lower()
    for some_hint in _HINTS:
        if some_hint in lower:
            text = _without_labelled(text, lower, _LABELLED + _IN_COMMANDS if is_command_line else _LABELLED)
            break
    if len(text) < 32 and "://" not in text:
        return text
    return _LOGIN.sub(
        rf"\1:{MASK}@", _KEY_LIKE.sub(lambda found: MASK if _IS_RANDOM.match(found[0]) else found[0], text)
    )


def _without_labelled(text: str, lower: str, patterns: Iterable[_Pattern]) -> str:
    for hints, pattern in patterns:
        if any(hint in lower for hint in hints):
            text = pattern.sub(rf"\1{MASK}", text)
    return text
