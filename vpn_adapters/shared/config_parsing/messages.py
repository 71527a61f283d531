"""Messages of configuration files that were read in part."""

from __future__ import annotations

from app.domain.messages import MessageForm

SECTIONS_NOT_CLOSED = MessageForm("lint.sections-not-closed", "{number} sections are not closed.")
CLOSES_UNOPENED = MessageForm("lint.closes-unopened", "Line {line} closes a section that was never opened.")
INCLUDED_NOT_READ = MessageForm("lint.included-not-read", "The included file {file} was not read.")
BLOCK_NOT_CLOSED = MessageForm("lint.block-not-closed", "The block <{block}> in line {line} is not closed.")
INCLUDED_FILES_NOT_READ = MessageForm("lint.included-files-not-read", "The included files {files} were not read.")
KEY_WITHOUT_END = MessageForm("lint.key-without-end", "The key that begins in line {line} has no end.")
INCLUDES_SKIPPED = MessageForm("lint.includes-skipped", "Included files ({files}) were not read.")
