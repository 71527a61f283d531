"""Lints configuration files on this computer: read, identified, judged. Nothing secret leaves the reader."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.declared import declared
from app.domain.linting import ConfigKind, FileAccess, LintedFile, LintFinding
from app.domain.verdicts import FindingQuestion, Verdict
from app.linting.messages import (
    CANNOT_BE_READ_BECAUSE,
    FEW_SETTINGS_OF_KIND,
    FILE_EMPTY,
    FIRST_FINDINGS_ONLY,
    HOLDS_NUL,
    IS_A_FOLDER,
    KIND_NOT_KNOWN,
    LINE_NOT_UTF8,
    MANUAL_PAGE,
    NO_SETTINGS_OF_KIND,
    NOT_REGULAR,
    TEXT_EMPTY,
    THIS_TEXT,
    TOO_LARGE,
    UNKNOWN_SETTING,
)
from app.policy import DEFAULT_GUIDELINES
from app.policy.lint import MAX_FINDINGS, key_files, lint
from vpn_adapters.config_formats import KINDS, sniff_kind
from vpn_adapters.shared.config_parsing.directives import unknown_settings
from vpn_adapters.shared.config_parsing.page import ConfigReading

MAX_FILE_BYTES = 16 * 1024 * 1024
"""Larger files are not read."""


FindAccess = Callable[[ConfigKind, str], FileAccess | None]
"""Gets the kind of a file and a path written in it; returns who may read that file, None where that is unknown."""


@dataclass(frozen=True, slots=True)
class LintOptions:
    """Options of linting.

    Attributes:
        kind: What they are; None finds out from their content.
        guidelines: Ids of the guidelines that count.
        versions: Versions of programs by their names, for example `{"openvpn": "2.4"}`.
        has_permissions: Whether permissions are checked, the file's own and those of the keys that it names.
    """

    kind: ConfigKind | None = None
    guidelines: tuple[str, ...] = DEFAULT_GUIDELINES
    versions: Mapping[str, str] = field(default_factory=dict)
    has_permissions: bool = False


def lint_bytes(
    data: bytes,
    path: str,
    options: LintOptions,
    *,
    own_access: FileAccess | None = None,
    find_access: FindAccess | None = None,
) -> LintedFile:
    """Lint the content of a file.

    Args:
        data: The content, whatever it is.
        path: Where it comes from; helps to tell what it is.
        own_access: Its permissions, where they count.
        find_access: Finds the permissions of files that it names, where they count.

    Returns:
        The result; never raises for anything that is in a file.
    """
    text, note = _decoded(data)
    if text is None:
        return LintedFile(path, None, error=note)
    kind = options.kind or sniff_kind(text, path)
    if kind is None:
        return LintedFile(path, None, error=_unknown_kind(text, path))
    if refusal := _other_text(text, path, kind, is_named=options.kind is not None):
        return LintedFile(path, None, error=refusal)
    reading = KINDS[kind].read(text)
    judged = lint(
        kind,
        reading.settings,
        guidelines=options.guidelines,
        versions=options.versions,
        own_access=own_access,
        access=_access(kind, reading, find_access),
    )
    findings = tuple(sorted((*judged, *_unknown(kind, reading)), key=lambda one: one.line))[:MAX_FINDINGS]
    notes = [note] if note else []
    notes += reading.notes
    if len(findings) >= MAX_FINDINGS:
        notes.append(FIRST_FINDINGS_ONLY(number=MAX_FINDINGS))
    return LintedFile(path, kind, findings, notes=tuple(notes), lines=reading.lines)


def _access(kind: ConfigKind, reading: ConfigReading, find_access: FindAccess | None) -> dict[str, FileAccess]:
    """Return the permissions of the key files that a file names, as far as they are known."""
    if find_access is None:
        return {}
    found = {named: find_access(kind, named) for _, named in key_files(kind, reading.settings)}
    return {named: access for named, access in found.items() if access is not None}


def kind_titles() -> Mapping[ConfigKind, str]:
    """Return the kinds of files that can be read, with their titles."""
    return {kind: KINDS[kind].title for kind in ConfigKind}


def _unknown_kind(text: str, path: str) -> str:
    if not text.strip():
        return FILE_EMPTY(path=path) if path else TEXT_EMPTY()
    return KIND_NOT_KNOWN(path=path)


def _unknown(kind: ConfigKind, reading: ConfigReading) -> Iterator[LintFinding]:
    """Yield a finding for each setting that the file's program refuses."""
    for one in unknown_settings(kind, reading):
        yield LintFinding(
            one.setting.line,
            one.setting.name,
            one.setting.value,
            FindingQuestion.INSECURE,
            Verdict.UNKNOWN,
            UNKNOWN_SETTING(name=one.setting.name, program=one.program),
            MANUAL_PAGE(program=one.program),
            one.resembles,
            is_about_name=True,
        )


def lint_file(path: Path, options: LintOptions | None = None) -> LintedFile:
    """Lint a file on this computer; what cannot be read is reported in the result."""
    options = options or LintOptions()
    name = str(path)
    try:
        status = path.stat()
        refusal = _refusal(name, status)
        if refusal:
            return LintedFile(name, None, error=refusal)
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return LintedFile(name, None, error=CANNOT_BE_READ_BECAUSE(path=name, reason=reason))
    if len(data) > MAX_FILE_BYTES:
        return LintedFile(name, None, error=_too_large(name))
    if not options.has_permissions:
        return lint_bytes(data, name, options)
    return lint_bytes(
        data,
        name,
        options,
        own_access=_access_of(status),
        find_access=lambda kind, named: _local_access(path.parent, kind, named),
    )


def lint_files(paths: Sequence[Path], options: LintOptions) -> tuple[LintedFile, ...]:
    """Lint several files, in their order."""
    return tuple(lint_file(path, options) for path in paths)


def places_of(kind: ConfigKind, folder: str, named: str) -> tuple[str, ...]:
    """Return where a program searches for a file that its configuration names, the likeliest first.

    Args:
        kind: What the configuration is.
        folder: The folder it lies in.
        named: The path as written in it.

    Returns:
        Paths.
    """
    if named.startswith("/"):
        return (named,)
    if named.startswith("~"):
        return (os.path.expanduser(named),) if named.startswith("~/") else ()  # noqa: PTH111 - of this computer's user
    below = next((one.key_folders[kind] for one in declared().values() if kind in one.key_folders), ("",))
    return tuple(os.path.normpath(f"{folder}/{middle}{named}") for middle in below)


def _local_access(folder: Path, kind: ConfigKind, named: str) -> FileAccess | None:
    for place in places_of(kind, str(folder), named):
        try:
            status = Path(place).stat()
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(status.st_mode):
            return _access_of(status)
    return None


def _access_of(status: os.stat_result) -> FileAccess:
    return FileAccess(
        stat.S_IMODE(status.st_mode), str(status.st_uid), group=str(status.st_gid), user=str(os.geteuid())
    )


def _refusal(name: str, status: os.stat_result) -> str:
    """Return why something is not read at all; empty if it can be."""
    if stat.S_ISDIR(status.st_mode):
        return IS_A_FOLDER(path=name, folder=name.rstrip("/"))
    if not stat.S_ISREG(status.st_mode):
        return NOT_REGULAR(path=name)
    return _too_large(name) if status.st_size > MAX_FILE_BYTES else ""


def _too_large(name: str) -> str:
    return TOO_LARGE(path=name, limit=MAX_FILE_BYTES // 1024 // 1024)


def _other_text(text: str, path: str, kind: ConfigKind, *, is_named: bool) -> str:
    """Return why a text is not read as a kind; empty where most lines are its settings, or one if the kind is named."""
    known, total = KINDS[kind].sniffer.settings(text)
    if known * 2 > total or not total or (is_named and known):
        return ""
    if is_named:
        return NO_SETTINGS_OF_KIND(what=path or THIS_TEXT(), total=total, kind=KINDS[kind].title)
    return FEW_SETTINGS_OF_KIND(what=path or THIS_TEXT(), total=total, kind=KINDS[kind].title, known=known)


def _decoded(data: bytes) -> tuple[str | None, str]:
    """Return the text of a file and a note on it; no text but a reason where it is none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace"), ""
    if b"\x00" in data:
        return None, HOLDS_NUL()
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return data.decode("utf-8-sig", errors="replace"), LINE_NOT_UTF8(line=line)
