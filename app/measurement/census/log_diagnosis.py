"""Diagnosis of logs: the one line of programs' output that explains why something does not work."""

from __future__ import annotations

import re

from app.domain.errors import TunnelmarkError
from app.domain.messages import Message, sentences
from app.measurement.messages import REPORTED_LINE

MAX_CHARACTERS = 240

_HEADING = re.compile(r"^(?:--- /|\S+:$|taken back |\s*$)")
_PREFIX = re.compile(
    r"^(?:\[ *\d+\.\d+\] )?(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?\s+|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d\s+)?"
    r"(?:\d{1,3}\[[A-Z]{3}\] |[a-z][\w.-]*\[\d+\]: (?=[A-Z]))?"
)
# Words of caution that programs print whether or not they work.
_CAUTION = re.compile(r"^(?:\S+ )?(?:Note:|NOTE:|WARNING:?|DEPRECATED|Consider|Use --help|Warning:)", re.IGNORECASE)
_CONSEQUENCE = re.compile(r"Exiting due to fatal error|SIGTERM|SIGUSR1|process exiting|Use --help", re.IGNORECASE)
_CAUSE = re.compile(
    r"segfault|general protection|trap invalid|Out of memory|NO_PROPOSAL_CHOSEN|unsupported|not supported|not found|"
    r"no such|unknown|unrecogni[sz]ed|invalid|bad \S+(?: \S+)? spec|exceeds|no matching|mismatch|too (?:long|short)|"
    r"not allowed|incompatible|wrong",
    re.IGNORECASE,
)
_TROUBLE = re.compile(r"error|fail|fatal|cannot|can't|could not|couldn't|refused|denied|aborted|unable", re.IGNORECASE)


def root_cause_line(text: str) -> str:
    """Return the line of a log that says why, without its time stamp; empty where none does.

    A line that names a cause comes before one that only tells of trouble, an earlier one before a later one; words of
    caution and mere consequences come last.

    Args:
        text: What programs printed; untrusted.
    """
    lines = [_PREFIX.sub("", line.strip(), count=1).strip() for line in text.splitlines() if not _HEADING.match(line)]
    lines = [line for line in lines if line and not _CAUTION.match(line)]
    for pattern in (_CAUSE, _TROUBLE):
        found = next((line for line in lines if pattern.search(line) and not _CONSEQUENCE.search(line)), "")
        if found:
            return found[:MAX_CHARACTERS]
    return next((line for line in lines if _CONSEQUENCE.search(line)), "")[:MAX_CHARACTERS]


def last_line(text: str) -> str:
    """Return the last line of a log without its time stamp."""
    lines = [_PREFIX.sub("", line.strip(), count=1).strip() for line in text.splitlines() if not _HEADING.match(line)]
    return next((line for line in reversed(lines) if line), "")[:MAX_CHARACTERS]


def reason_of(error: TunnelmarkError, kernel: str = "") -> str:
    """Return why an option does not work, with the program's own message.

    Args:
        error: What ended it; its context holds `output` and `log`.
        kernel: The kernels' messages about crashes.
    """
    texts = (kernel, error.context.get("output", ""), error.context.get("log", ""))
    line = next(filter(None, map(root_cause_line, texts)), "") or last_line(texts[1]) or last_line(texts[2])
    return with_words(_without_output(error.message, texts[1].rpartition("\n")[2]), line)


def _without_output(message: str, last: str) -> str:
    """Return a message without the last line of its program's output, with which a step's error ends."""
    if isinstance(message, Message) and last and message.data.get("output") == last:
        return Message(message.form, {**message.data, "output": ""})
    return message.removesuffix(last).strip() if message.endswith(last) and last else message


def with_words(sentence: str, line: str) -> str:
    """Return a sentence with the log line, if there is one."""
    return sentences((sentence, REPORTED_LINE(line=line))) if line and line not in sentence else sentence
