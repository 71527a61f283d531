"""`tunnelmark lint`."""

from __future__ import annotations

from pathlib import Path

from app.cli.context import CommandContext
from app.cli.exit_codes import ExitCode
from app.cli.files import STDOUT, write_json
from app.cli.lint_formats import as_json, as_sarif
from app.cli.lint_text import print_files
from app.cli.messages import LINT_VERSION_FORM, LINT_VERSION_UNKNOWN, LINT_WHAT
from app.domain.errors import InvalidOption
from app.domain.linting import ConfigKind, LintedFile
from app.domain.paths import find_paths
from app.domain.version import tunnelmark_version
from app.linting.files import LintOptions, lint_files
from app.policy import check_guidelines
from app.policy.lint import newest_versions, version_of
from app.policy.settings_file import read_settings
from app.wording.language import source_language, tr


def lint(context: CommandContext) -> int:
    """Print what is wrong with configuration files, or missing in them."""
    options = context.options
    if bool(options.files) == bool(options.host):
        raise InvalidOption(LINT_WHAT())
    versions = dict(_version(text) for text in options.version or [])
    for program, version in versions.items():
        if note := _note_on_version(program, version):
            context.err.print(note, soft_wrap=True)
    chosen = LintOptions(
        kind=ConfigKind(options.kind) if options.kind else None,
        guidelines=_guidelines(options.policy),
        versions=versions,
        has_permissions=options.permissions,
    )
    files = _of_hosts(context, chosen) if options.host else lint_files([Path(name) for name in options.files], chosen)
    match options.format:
        case "json":
            with source_language():
                write_json(STDOUT, as_json(files))
        case "sarif":
            with source_language():
                write_json(STDOUT, as_sarif(files, tunnelmark_version()))
        case _:
            print_files(context.out, files)
    return exit_status(files)


def exit_status(files: tuple[LintedFile, ...]) -> ExitCode:
    """Return 2 if a file could not be read, 1 if something is insecure or missing, 0 if not."""
    if any(file.error for file in files):
        return ExitCode.INVALID
    return ExitCode.OK if all(file.is_passed for file in files) else ExitCode.FAILED


def _of_hosts(context: CommandContext, chosen: LintOptions) -> tuple[LintedFile, ...]:
    with context.services() as services:
        pair = context.job(
            lambda token, report: services.resolve_pair(context.options.host, token=token, on_progress=report)
        )
        return context.job(
            lambda token, report: services.lint_pair(
                pair, token=token, on_progress=report, guidelines=chosen.guidelines
            )
        )


def _guidelines(asked: list[str] | None) -> tuple[str, ...]:
    """Return the guidelines that count: those asked for, `none`, or those that the user has chosen to apply."""
    if asked is None:
        return read_settings(find_paths().settings).guidelines
    ids = tuple(name for text in asked for name in text.split(",") if name and name != "none")
    check_guidelines(ids)
    return ids


def _version(text: str) -> tuple[str, str]:
    program, separator, version = text.partition("=")
    if not separator or not program or not version[:1].isdigit():
        raise InvalidOption(LINT_VERSION_FORM(text=text))
    if program.lower() not in newest_versions():
        raise InvalidOption(LINT_VERSION_UNKNOWN(program=program, known=tuple(sorted(newest_versions()))))
    return program.lower(), version


def _note_on_version(program: str, version: str) -> str:
    """Return that a version is newer by a whole generation than any that a rule speaks of; empty where it is not."""
    newest = newest_versions()[program]
    if version_of(version)[:1] <= newest[:1]:
        return ""
    spoken_of = ".".join(map(str, newest))
    text = tr("Note: rules speak of {program} up to {newest}; {version} is judged like the newest that they know.")
    return text.format(program=program, newest=spoken_of, version=version)
