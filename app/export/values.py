"""Public parts of keys that do not exist yet: what stands for them, how a host prints them, what they must be.

A file with such a word in it is valid for no program. Check each value by its pattern before you fill it in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.domain.adapters import PublicIdentity
from app.domain.hosts import Side

_PEM_LINES = "-----(BEGIN|END) (CERTIFICATE|PUBLIC KEY)-----|[A-Za-z0-9+/]{1,64}={0,2}"


@dataclass(frozen=True, slots=True)
class PublicValue:
    """One value of a public identity.

    Attributes:
        name: As the adapter calls it.
        command: Name of the recipe's public command that it comes from.
        pattern: Extended regular expression that each line of it matches as a whole.
        lines: How many lines it may have.
        has_line_feed: Whether the adapter's value ends with one.
    """

    name: str
    command: str
    pattern: str
    lines: int = 1
    has_line_feed: bool = False

    @property
    def is_word(self) -> bool:
        """Whether a shell takes it as it is."""
        return self.lines == 1 and " " not in self.pattern


VALUES: Mapping[str, PublicValue] = {
    value.name: value
    for value in (
        PublicValue("public-key", "public-key", "[A-Za-z0-9+/]{43}="),
        PublicValue("certificate", "certificate", _PEM_LINES, lines=80, has_line_feed=True),
        PublicValue("fingerprint", "certificate", "([0-9A-F]{2}:){31}[0-9A-F]{2}"),
        PublicValue("ike-public-key", "ike-public-key", "[A-Za-z0-9+/]{1,64}={0,2}", lines=20),
        PublicValue("rsa-public-key", "rsa-public-key", _PEM_LINES, lines=40),
        PublicValue("hex-public-key", "hex-public-key", "[0-9a-f]{64}"),
        PublicValue("ssh-public-key", "ssh-public-key", "ssh-ed25519 [A-Za-z0-9+/]{68}={0,2}"),
    )
}
"""Every public value that an adapter's plan may need; `values.sh` makes each of what its command prints on the host."""

_TOKEN = re.compile(r"@(?P<name>[a-z0-9-]+)-of-(?P<side>[ab])@")


@dataclass(frozen=True, slots=True, order=True)
class ValueToken:
    """Placeholder for a value of one side."""

    side: Side
    name: str

    @property
    def text(self) -> str:
        """The word in the file. A shell, the adapters and their quoting leave it as it is."""
        return f"@{self.name}-of-{self.side.value}@"

    @property
    def value(self) -> PublicValue:
        """Description of the value."""
        return VALUES[self.name]


def placeholder_identity(side: Side) -> PublicIdentity:
    """Return an identity that holds a token for every value that there is."""
    return PublicIdentity(
        {name: ValueToken(side, name).text + ("\n" if value.has_line_feed else "") for name, value in VALUES.items()}
    )


def tokens_in(texts: Iterable[str]) -> tuple[ValueToken, ...]:
    """Return the tokens in texts, each once, A's first."""
    found = {ValueToken(Side(match["side"]), match["name"]) for text in texts for match in _TOKEN.finditer(text)}
    return tuple(sorted(token for token in found if token.name in VALUES))
