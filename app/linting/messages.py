"""Messages of linting: files that were not read, and settings that no program has."""

from __future__ import annotations

from app.domain.messages import MessageForm

TEXT_EMPTY = MessageForm("lint.text-empty", "The text is empty.")
FILE_EMPTY = MessageForm("lint.file-empty", "{path} is empty.")
THIS_TEXT = MessageForm("lint.this-text", "This text")
NO_SETTINGS_OF_KIND = MessageForm(
    "lint.no-settings-of-kind",
    "{what} was not read: none of its {total} lines is a setting of {kind:text}. Choose another kind (--kind), or none "
    "to have it recognised.",
)
FEW_SETTINGS_OF_KIND = MessageForm(
    "lint.few-settings-of-kind",
    "{what} was not read: it is not a known kind of configuration file (settings of {kind:text}: {known} of {total} "
    "lines). If it is one, choose its kind (--kind).",
)
CANNOT_BE_READ = MessageForm("lint.cannot-be-read", "{path} cannot be read.")
NOT_READ_TOO_MUCH = MessageForm(
    "lint.not-read-too-much", "{path} was not read: more than {limit} bytes, or too many files."
)
FIRST_FINDINGS_ONLY = MessageForm("lint.first-findings-only", "Only the first {number} findings are listed.")
KIND_NOT_KNOWN = MessageForm(
    "lint.kind-not-known", "{path} is not a known kind of configuration file. If it is one, choose its kind (--kind)."
)
UNKNOWN_SETTING = MessageForm(
    "lint.unknown-setting", "{name} is an unknown setting: {program:text} has none of this name and refuses the file."
)
MANUAL_PAGE = MessageForm("lint.manual-page", "{program:text}: manual page")
CANNOT_BE_READ_BECAUSE = MessageForm("lint.cannot-be-read-because", "{path} cannot be read: {reason}.")
IS_A_FOLDER = MessageForm("lint.is-a-folder", "{path} is a folder. Name the files in it, for example {folder}/*.conf.")
NOT_REGULAR = MessageForm("lint.not-regular", "{path} is not a regular file.")
TOO_LARGE = MessageForm("lint.too-large", "{path} is larger than {limit} MiB and was not read.")
HOLDS_NUL = MessageForm("lint.holds-nul", "It holds NUL bytes, so it is not a text file.")
LINE_NOT_UTF8 = MessageForm("lint.line-not-utf8", "Line {line} is not UTF-8; what cannot be read was replaced.")
