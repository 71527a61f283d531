"""Text and paths of files that adapters generate."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from app.domain.adapters import PlanRequest, PublicIdentity
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.link import Link
from vpn_adapters.shared.messages import SETTING_UNUSABLE


def run_file(name: str) -> Callable[[Link], str]:
    """Return a function that gives the path of one of a tunnel's own files, or folders, on its hosts."""

    def path(link: Link) -> str:
        return f"{link.run_dir}/{name}"

    return path


def one_line(text: str) -> str:
    """Return text with everything that could begin a new line in a file replaced by spaces."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def render_file(header: Iterable[str], lines: Iterable[str]) -> bytes:
    """Return a file whose comment lines come first.

    Args:
        header: Comment lines without their sign.
        lines: The file's own lines.

    Returns:
        UTF-8 text that ends with a line feed.
    """
    comments = [f"# {one_line(line)}".rstrip() for line in header]
    return "".join(f"{line}\n" for line in [*comments, *lines]).encode()


def suite_file(request: PlanRequest, lines: Iterable[str]) -> bytes:
    """Return a file whose comment lines name the request's suite, too."""
    return render_file((*request.header, f"Suite: {request.suite.title}"), lines)


def public_value(identity: PublicIdentity, name: str, side: Side) -> str:
    """Return one public value of a host, or a text that stands for it as long as the key has not been made.

    A plan made without identities is for reading only: what stands for the value is not valid for any program.
    """
    return identity.values.get(name) or f"<{name}-of-{side}>"


def setting(request: PlanRequest, name: str) -> str:
    """Return one setting of the request's suite.

    Returns:
        The value, a single word.

    Raises:
        InvalidPlan: The suite has no such setting, or it is not a single word.
    """
    value = request.suite.settings.get(name, "")
    if not value or not value.isascii() or not value.isprintable() or any(sign in value for sign in " \"'#;\\"):
        raise InvalidPlan(SETTING_UNUSABLE(suite=request.suite.name, setting=name))
    return value
