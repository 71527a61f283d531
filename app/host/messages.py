"""Messages of the scripts that run on hosts: inspection, snapshots, confirmation."""

from __future__ import annotations

from app.domain.messages import MessageForm

CONFIRM_PAIR = MessageForm(
    "host.confirm-pair",
    "Confirm it with `tunnelmark confirm {pair}`. Without that, the host rolls back within {seconds} s.",
)
CONFIRM_SOME_PAIR = MessageForm(
    "host.confirm-some-pair",
    "Confirm it with `tunnelmark confirm` and the pair's name. Without that, the host rolls back within {seconds} s.",
)
PART_IS_NEW = MessageForm("host.part-is-new", "The {kind:text} {name} was not there before.")
PART_IS_GONE = MessageForm("host.part-is-gone", "The {kind:text} {name} is gone.")
PART_CHANGED = MessageForm("host.part-changed", "The {kind:text} {name} was `{before}` and is now `{after}`.")
INSPECTION_FAILED = MessageForm(
    "host.inspection-failed",
    "{host} could not be inspected.",
    "Its shell must be a POSIX shell; its output is in the details.",
)
DEADLINE_PAST = MessageForm("host.deadline-past", "A deadline must lie ahead.")
