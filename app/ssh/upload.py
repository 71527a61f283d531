"""Writing files on a host, atomically and in one channel.

The files come inside a script on the shell's stdin, as arguments of the shell's own printf, with octal escapes: nothing
of them is on any command line, every byte value passes, and nothing but POSIX sh is needed (`head -c` of BusyBox reads
too far ahead, `base64` is often missing). All files are written beside their places first; only when every one of them
is complete and synced are they renamed.
"""

from __future__ import annotations

import posixpath
import re
import secrets
from collections.abc import Sequence

from app.domain.commands import FileToWrite
from app.domain.errors import Bug, CommandFailed, DiskFull
from app.domain.script_files import bare_script
from app.ssh.messages import (
    FILE_NOT_REPLACED,
    FILE_NOT_WRITTEN,
    FOLDER_MISSING,
    NO_SPACE_LEFT,
    PATH_IS_FOLDER,
    PATH_UNFIT,
    SHELL_WITHOUT_PRINTF,
)
from app.ssh.remote_line import shell_line

CHUNK_BYTES = 2048

_HEAD = bare_script("ssh/upload.sh")


def upload_script(files: Sequence[FileToWrite], report: str) -> bytes:
    """Write the script that writes the files.

    Args:
        files: What to write.
        report: What a line on stderr begins with that says which file failed and why.

    Raises:
        Bug: A path is not absolute, or a mode is none.
    """
    token = secrets.token_hex(8)
    beside: list[str] = []
    lines = ["{", _HEAD.replace("@REPORT@", report)]
    for index, file in enumerate(files):
        folder, name = posixpath.split(file.path)
        if not file.path.startswith("/") or not name or not 0 <= file.mode <= 0o7777:
            raise Bug(PATH_UNFIT(path=file.path, mode=file.mode))
        beside.append(f"{folder.rstrip('/')}/.tunnelmark-{token}-{index}")
        lines.append(f"c{index}() {{ :\n{_printf_lines(file.content)}}}")
    lines.append(f"clean() {{ {shell_line(['rm', '-f', *beside])}; }}")
    lines += ["trap clean EXIT", "trap 'exit 3' HUP INT TERM"]
    return "\n".join([*lines, *_steps(files, beside), "exit 0", "}", ""]).encode()


def _steps(files: Sequence[FileToWrite], beside: Sequence[str]) -> list[str]:
    """Return what is done once the functions are there: check all, write all, sync, rename all."""
    folders = [posixpath.dirname(file.path) for file in files]
    steps = [shell_line(["check", str(i), folders[i], file.path]) for i, file in enumerate(files)]
    steps += [shell_line(["put", str(index), name]) for index, name in enumerate(beside)]
    steps.append(shell_line(["measure", str(sum(len(file.content) for file in files)), *beside]))
    for mode in sorted({file.mode for file in files}):
        same = [name for name, file in zip(beside, files, strict=True) if file.mode == mode]
        steps.append(f"{shell_line(['chmod', f'{mode:04o}', *same])} || fail 0 chmod")
    steps.append(_sync(beside))
    for index, file in enumerate(files):
        steps.append(f"{shell_line(['mv', '-f', beside[index], file.path])} || fail {index} rename")
    return [*steps, "trap - EXIT", _sync(list(dict.fromkeys(folders)))]


def _sync(paths: Sequence[str]) -> str:
    """Sync these paths; everything where sync(1) takes none (coreutils before 8.24, old BusyBox)."""
    return f"{shell_line(['sync', *paths])} 2>/dev/null || sync"


def _printf_lines(content: bytes) -> str:
    """Return printf commands that print exactly these bytes."""
    pieces = (content[start : start + CHUNK_BYTES] for start in range(0, len(content), CHUNK_BYTES))
    return "".join(f"printf '{_escaped(piece)}' || return 1\n" for piece in pieces)


def _escaped(piece: bytes) -> str:
    r"""Write bytes as a printf format: plain characters as they are, the others as `\ooo`.

    Source: POSIX.1-2024, printf, EXTENDED DESCRIPTION (`\ddd` in a format). A leading minus would be an option.
    """
    text = "".join(_ESCAPES[byte] for byte in piece)
    return "\\055" + text[1:] if text.startswith("-") else text


def _escape(byte: int) -> str:
    character = chr(byte)
    if character == "\n":
        return "\\n"
    if character == "%":
        return "%%"
    is_plain = character.isascii() and character.isprintable() and character not in "'\\"
    return character if is_plain else f"\\{byte:03o}"


_ESCAPES = tuple(_escape(byte) for byte in range(256))


def upload_error(files: Sequence[FileToWrite], stderr: str, report: str, host: str) -> DiskFull | CommandFailed:
    """Turn the output of the script into an error.

    Args:
        files: What was to be written.
        stderr: What came on stderr.
        report: What the script's own line begins with.
        host: The host in words.
    """
    line = re.compile(rf"^{re.escape(report)} (?P<number>\d{{1,6}}) (?P<reason>\w+) ?(?P<detail>.*)$", re.MULTILINE)
    found = line.search(stderr)
    reason, detail = (found["reason"], found["detail"]) if found else ("unknown", "")
    number = int(found["number"]) if found else 0
    # A host may print any number.
    path = files[number if number < len(files) else 0].path
    folder = posixpath.dirname(path)
    if reason == "write" and ("No space left" in detail or "quota exceeded" in detail):
        return DiskFull(
            NO_SPACE_LEFT(path=path, host=host, folder=folder),
            context={"path": path, "host": host},
        )
    tail = (detail or " ".join(stderr.replace(found[0] if found else "", "").split()))[:300]
    context = {"path": path, "host": host}
    if reason == "nodir":
        return CommandFailed(FOLDER_MISSING(folder=folder, host=host, path=path, output=tail), context=context)
    if reason == "noprintf":
        return CommandFailed(SHELL_WITHOUT_PRINTF(host=host, output=tail), context=context)
    form = {"isdir": PATH_IS_FOLDER, "rename": FILE_NOT_REPLACED}.get(reason, FILE_NOT_WRITTEN)
    return CommandFailed(form(path=path, host=host, output=tail), context=context)
