"""Release of a kernel, as its file says it: no guest has to be asked."""

from __future__ import annotations

from pathlib import Path

_MAGIC, _MAGIC_AT = b"HdrS", 0x202
_VERSION_AT, _VERSION_BASE = 0x20E, 0x200
_HEAD_BYTES, _LONGEST = 1 << 16, 64


def kernel_release(file: Path) -> str:
    """Return the release of a bzImage, as `uname -r` says it; empty where the file does not say it.

    Source: Linux 6.12, Documentation/arch/x86/boot.rst, fields `header` and `kernel_version`.
    """
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES + _VERSION_BASE + _LONGEST)
    except OSError:
        return ""
    at = int.from_bytes(head[_VERSION_AT : _VERSION_AT + 2], "little")
    if head[_MAGIC_AT : _MAGIC_AT + len(_MAGIC)] != _MAGIC or not at:
        return ""
    text = head[at + _VERSION_BASE :][:_LONGEST].partition(b"\0")[0].decode("ascii", "replace")
    words = text.split()
    return words[0] if words and words[0].isprintable() else ""
