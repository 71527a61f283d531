"""Scripts for hosts with lines in them that are made of argv lists.

`# @steps` and `# @checks` are placeholders for such lines, `# @files` for scripts that write files, and
`# @texts` for whole scripts that are left on the host; each word is quoted by `shell_line`. Nothing else is ever put
into a script.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.domain.script_files import host_script
from app.ssh.remote_line import shell_line


def filled_script(
    name: str,
    *,
    files: Iterable[str] = (),
    steps: Iterable[str] = (),
    checks: Iterable[str] = (),
) -> str:
    """Return a script with its own lines in it, and with the scripts that it leaves on the host.

    Args:
        name: File name.
        files: Scripts that write files, in place of `# @files`.
        steps: Lines in place of `# @steps`.
        checks: Lines in place of `# @checks`.

    Returns:
        POSIX sh.
    """
    texts = (f"{word}_text={shell_line([host_script(f'{word}.sh')])}" for word in ("undo", "watch"))
    text = host_script(name)
    for place, lines in (("    # @steps\n", steps), ("    # @checks\n", checks)):
        text = text.replace(place, "".join(f"    {line}\n" for line in lines))
    writing = "".join(f"(\n{script}) || give_up files\n" for script in files)
    text = text.replace("    # @files\n", f"{writing}    report written\n" if writing else "")
    return text.replace("# @texts\n", "".join(f"{line}\n" for line in texts))


def call(function: str, *words: str) -> str:
    """Return a line that calls a function of the script; every word is quoted."""
    return shell_line([function, *words])


def call_with_deadline(function: str, number: str, *words: str) -> str:
    """Return a line that calls a function with a number, the script's own deadline, and words; those are quoted."""
    quoted = shell_line(["-", *words]).removeprefix("- ")
    return f'{call(function, number)} "$up_until" {quoted}'


def one_line(text: str) -> str:
    """Return text without control characters: what becomes a comment line in the journal."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


_CLASSES = {
    "d": "[0-9]",
    "s": "[[:space:]]",
    "S": "[^[:space:]]",
    "w": "[[:alnum:]_]",
    "t": "\t",
    "b": "",
    "A": "^",
    "Z": "$",
}
_SPECIAL = frozenset(".[]()*+?{}^$|\\")
_UNTRANSLATABLE = re.compile(r"\(\?[^:]|\\[^dsSwtbAZ\W]|[*+?}]\?|\[[^\]]*\\")


def extended_pattern(pattern: str) -> str:
    """Return a pattern for the host's `grep -E` that matches wherever Python's would, and perhaps elsewhere too.

    The host uses it to know when to stop asking; what it found is matched again here, with Python's.

    Args:
        pattern: Regular expression of Python.

    Returns:
        POSIX extended regular expression for single lines; empty (anything) where there is no such.
    """
    if _UNTRANSLATABLE.search(pattern):
        return ""
    return re.sub(r"\\(.)", lambda match: _unescaped(match[1]), pattern).replace("(?:", "(")


def _unescaped(character: str) -> str:
    if character in _CLASSES:
        return _CLASSES[character]
    return "\\" + character if character in _SPECIAL else character
