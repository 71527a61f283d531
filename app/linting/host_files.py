"""Lints the configuration files that lie on a host. Nothing is changed there, and no file is kept."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.declared import declared
from app.domain.errors import PrivilegeMissing
from app.domain.hosts import Privilege
from app.domain.linting import ConfigKind, FileAccess, LintedFile
from app.domain.script_files import bare_script
from app.linting.files import LintOptions, lint_bytes, places_of
from app.linting.messages import CANNOT_BE_READ, NOT_READ_TOO_MUCH
from app.policy import DEFAULT_GUIDELINES
from app.policy.lint import key_files
from vpn_adapters.config_formats import KINDS, sniff_kind

MAX_HOST_FILE_BYTES = 1_048_576
"""Most bytes that are read of a file on a host."""

MAX_HOST_FILES = 200
"""So many files of one host are read."""

_TIMEOUT_S = 15.0

_LIST = bare_script("lint/list.sh")
_INSPECT = bare_script("lint/inspect.sh")
_VERSION = bare_script("lint/version.sh")
_PROGRAMS = {name: program for one in declared().values() for name, program in one.programs.items()}

_LS = re.compile(r"-([r-][w-][xsS-])([r-][w-][xsS-])([r-][w-][xtT-])\S*\s+\d+\s+(\S+)\s+(\S+)\s+(\d+)\s")


@dataclass(frozen=True, slots=True)
class _FoundFile:
    path: str
    kind: ConfigKind
    access: FileAccess
    size_bytes: int


def lint_hosts(
    sessions: SessionPair, *, token: CancelToken, guidelines: Sequence[str] = DEFAULT_GUIDELINES
) -> tuple[LintedFile, ...]:
    """Lint both hosts at the same time, as `lint_host` does one; files of A come first."""
    a, b = run_both(
        lambda: lint_host(sessions.a, token=token, guidelines=guidelines),
        lambda: lint_host(sessions.b, token=token, guidelines=guidelines),
    )
    return (*a, *b)


def lint_host(
    session: HostSession, *, token: CancelToken, guidelines: Sequence[str] = DEFAULT_GUIDELINES
) -> tuple[LintedFile, ...]:
    """Lint every configuration file of a VPN that lies where such files lie.

    Args:
        guidelines: Ids of the guidelines that count.

    Returns:
        One result per file, `HOST:PATH`; permissions of files and of the keys they name are checked.

    Raises:
        ConnectionLost, DeadlineExceeded, Cancelled: As for `HostSession.run_batch`.
    """
    chosen = tuple(guidelines)
    try:
        return _lint(session, token, chosen, as_root=session.privilege is not Privilege.NONE)
    except PrivilegeMissing:
        return _lint(session, token, chosen, as_root=False)


def _lint(
    session: HostSession, token: CancelToken, guidelines: tuple[str, ...], *, as_root: bool
) -> tuple[LintedFile, ...]:
    found, versions = _inspect(session, token, as_root=as_root)
    files = [one for one in found if one.size_bytes <= MAX_HOST_FILE_BYTES][:MAX_HOST_FILES]
    contents = session.run_batch([_read(one.path, as_root=as_root) for one in files], token=token) if files else ()
    texts = {one: result.stdout if result.is_ok else None for one, result in zip(files, contents, strict=True)}
    access = _accesses(session, token, texts, as_root=as_root)
    options = LintOptions(guidelines=guidelines, versions=versions)
    return tuple(
        _judged(session.spec.label, one, texts.get(one), options, access, was_read=one in texts) for one in found
    )


def _inspect(session: HostSession, token: CancelToken, *, as_root: bool) -> tuple[list[_FoundFile], dict[str, str]]:
    """Return the files that there are, each once, and the versions of the programs that read them."""
    kinds = list(KINDS)
    listing = [_command(_LIST, KINDS[kind].globs, as_root=as_root) for kind in kinds]
    asking = [_command(_VERSION, (program,), as_root=as_root) for program in _PROGRAMS.values()]
    results = session.run_batch([*listing, *asking], token=token)
    found: dict[str, _FoundFile] = {}
    for kind, result in zip(kinds, results[: len(kinds)], strict=True):
        for path, access, size in _listed(result.stdout, session.spec.user or ""):
            found.setdefault(path, _FoundFile(path, kind, access, size))
    versions = {
        name: match[1]
        for name, result in zip(_PROGRAMS, results[len(kinds) :], strict=True)
        if (match := re.search(r"(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?)", result.stdout[:400])) is not None
    }
    return list(found.values()), versions


def _accesses(
    session: HostSession, token: CancelToken, texts: Mapping[_FoundFile, str | None], *, as_root: bool
) -> dict[str, FileAccess]:
    """Return who may read the key files that configurations name, by their paths on the host."""
    wanted: dict[str, None] = {}
    for one, text in texts.items():
        if text is not None:
            kind = sniff_kind(text, one.path) or one.kind
            for _, named in key_files(kind, KINDS[kind].parse(text)):
                wanted |= dict.fromkeys(_places(kind, one.path, named))
    if not wanted:
        return {}
    result = session.run(_command(_INSPECT, tuple(wanted)[:500], as_root=as_root), token=token)
    return {path: access for path, access, _ in _listed(result.stdout, session.spec.user or "")}


def _judged(
    host: str,
    one: _FoundFile,
    text: str | None,
    options: LintOptions,
    access: Mapping[str, FileAccess],
    *,
    was_read: bool,
) -> LintedFile:
    shown = f"{host}:{one.path}"
    if text is None:
        error = CANNOT_BE_READ(path=shown) if was_read else NOT_READ_TOO_MUCH(path=shown, limit=MAX_HOST_FILE_BYTES)
        return LintedFile(shown, one.kind, error=error)
    kind = sniff_kind(text, one.path) or one.kind

    def find(kind: ConfigKind, named: str) -> FileAccess | None:
        return next((access[place] for place in _places(kind, one.path, named) if place in access), None)

    return lint_bytes(text.encode("utf-8"), shown, replace(options, kind=kind), own_access=one.access, find_access=find)


def _places(kind: ConfigKind, path: str, named: str) -> tuple[str, ...]:
    if named.startswith("~"):
        return ()  # whose home it is depends on who calls ssh there
    return places_of(kind, posixpath.dirname(path), named)


def _listed(text: str, user: str) -> list[tuple[str, FileAccess, int]]:
    """Read what `_LIST` and `_INSPECT` print; other lines are ignored."""
    lines = text.split("\n")[: 20 * MAX_HOST_FILES]
    found = []
    for path, status in itertools.pairwise(lines):
        match = _LS.match(status)
        if path.startswith("/") and path.isprintable() and status.isprintable() and match is not None:
            mode = _mode("".join(match.group(1, 2, 3)))
            found.append((path, FileAccess(mode, match[4][:64], match[5][:64], user), int(match[6][:15])))
    return found


def _mode(letters: str) -> int:
    """Return permission bits of `rwxr-x---`."""
    return sum(1 << (8 - index) for index, letter in enumerate(letters) if letter not in "-ST")


def _read(path: str, *, as_root: bool) -> Command:
    argv = ("head", "-c", str(MAX_HOST_FILE_BYTES), path)
    return Command(argv, timeout_s=_TIMEOUT_S, is_root=as_root, max_output_bytes=MAX_HOST_FILE_BYTES)


def _command(script: str, arguments: Sequence[str], *, as_root: bool) -> Command:
    return Command(shell_step_argv(script, *arguments), timeout_s=_TIMEOUT_S, is_root=as_root, max_output_bytes=262_144)
