"""Findings of the linter in configuration files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.domain.verdicts import FindingQuestion, Verdict

MASK = "(not shown)"
"""Replaces a secret; no parser lets one out."""

INHERITS = "(inherits)"
"""Last part of a setting's name that parsers make up: its value names sections whose settings a section takes over."""


_ROOT = ("0", "root")


class ConfigKind(StrEnum):
    """Kinds of configuration files that can be read."""

    OPENVPN = "openvpn"
    SWANCTL = "swanctl"
    IPSEC_CONF = "ipsec-conf"
    IPSEC_SECRETS = "ipsec-secrets"
    TINC = "tinc"
    TINC_HOST = "tinc-host"
    FREELAN = "freelan"
    FASTD = "fastd"
    SSHD = "sshd"
    SSH = "ssh"
    WIREGUARD = "wireguard"
    STUNNEL = "stunnel"
    PPTPD = "pptpd"
    PPP = "ppp"
    VTUND = "vtund"
    XL2TPD = "xl2tpd"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that is wrong with a file, or missing in it.

    Attributes:
        line: Line number from 1; 0 where it concerns the file as a whole.
        setting: Name of the setting, as in the file.
        value: Its value, secrets masked; empty where the setting is missing.
        question: Which question it answers.
        verdict: The word.
        reason: One sentence.
        source: Where that is stated.
        replacement: What to write instead; empty where nothing has to be replaced.
        is_addition: Whether the replacement is a line to add, because the setting is missing.
        is_about_name: Whether the setting's name is at fault, and not its value.
    """

    line: int
    setting: str
    value: str
    question: FindingQuestion
    verdict: Verdict
    reason: str
    source: str
    replacement: str = ""
    is_addition: bool = False
    is_about_name: bool = False


@dataclass(frozen=True, slots=True)
class FileAccess:
    """Permissions of a file.

    Attributes:
        mode: Permission bits.
        owner: Whose it is, name or number; empty where that is not known.
        group: Its group, name or number; empty where that is not known.
        user: Who runs the linter, in the same way as the owner; empty where that is not known.
    """

    mode: int
    owner: str = ""
    group: str = ""
    user: str = ""

    @property
    def is_open_to_others(self) -> bool:
        """Whether users other than its owner and group can read or change it."""
        return bool(self.mode & 0o006)

    @property
    def is_writable_by_others(self) -> bool:
        """Whether users other than its owner and group can change it."""
        return bool(self.mode & 0o002)

    @property
    def is_open_to_group(self) -> bool:
        """Whether a group other than root's can read or change it."""
        return bool(self.mode & 0o060) and self.group not in _ROOT

    @property
    def is_of_another_user(self) -> bool:
        """Whether its owner is neither root nor the user of the linter."""
        return self.owner not in ("", self.user, *_ROOT)


@dataclass(frozen=True, slots=True)
class LintedFile:
    """One file and what was found in it.

    Attributes:
        path: Where it lies; `HOST:PATH` where it was read from a host.
        kind: What it is; None where it could not be recognised or read.
        findings: In the order of lines.
        error: Why it could not be read, as a sentence; empty if it could.
        notes: What the linter could not read, as sentences, for example an included file.
        lines: The file for showing: secrets masked, no control characters; empty where it could not be read.
    """

    path: str
    kind: ConfigKind | None
    findings: tuple[LintFinding, ...] = ()
    error: str = ""
    notes: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def is_passed(self) -> bool:
        """Whether it could be read and nothing in it is insecure or missing."""
        return not self.error and not any(
            finding.question in (FindingQuestion.INSECURE, FindingQuestion.MISSING) for finding in self.findings
        )
