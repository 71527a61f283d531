"""Messages of reports: each with its code, its text and its hint."""

from __future__ import annotations

from app.domain.messages import MessageForm

UNKNOWN_KIND = MessageForm(
    "report.unknown-kind",
    "There is no report of the kind {kind}.",
    "Use one of {known}.",
)
UNKNOWN_CENSUS_KIND = MessageForm(
    "report.unknown-census-kind",
    "There is no report of a census of the kind {kind}.",
    "Use one of {known}.",
)
UNKNOWN_STUDY_KIND = MessageForm(
    "report.unknown-study-kind",
    "There is no report of a study of the kind {kind}.",
    "Use one of {known}.",
)
REPORT_DISK_FULL = MessageForm(
    "report.disk-full",
    "There is no space left on this computer to write {file}.",
    "Free some space, or choose another folder.",
)
NOT_WRITTEN = MessageForm(
    "report.not-written",
    "{file} cannot be written: {reason}.",
    "Choose a file in a folder that exists and that you may write to.",
)
PDF_FAILED = MessageForm(
    "report.pdf-failed",
    "The PDF report could not be made.",
)
NONE_MEASURED = MessageForm(
    "report.no-comparison",
    "There is no comparison yet.",
    "Measure with: tunnelmark compare PAIR",
)
NONE_MEASURED_OF_PAIR = MessageForm(
    "report.no-comparison-of-pair",
    "There is no comparison of {pair} yet.",
    "Measure with: tunnelmark compare {pair}",
)
FOLDER_NOT_MADE = MessageForm(
    "report.folder-not-made",
    "The folder {folder} cannot be made: {reason}.",
    "Choose another place.",
)
