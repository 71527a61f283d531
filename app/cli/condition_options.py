"""Condition of the link and workloads of a comparison from the options of a command line."""

from __future__ import annotations

import argparse
import sys

from app.cli.context import CommandContext
from app.cli.files import ask_yes
from app.cli.messages import SHAPING_WITHOUT_ANSWER, TRANSFER_NOT_ASKED_FOR, UNKNOWN_WORKLOAD
from app.cli.names import check_list, meant, words_of
from app.domain.condition_files import find_condition
from app.domain.conditions import Condition
from app.domain.errors import Cancelled, InvalidOption
from app.domain.hosts import PairSpec
from app.domain.profiles import ProfileName
from app.domain.workloads import TRANSFER_MB
from app.measurement.choice_checks import refuse_with_adaptive
from app.probes.workloads import TUNNEL_WORKLOADS, WORKLOADS
from app.wording.conditions import shaping_words
from app.wording.language import tr


def may_shape_link(context: CommandContext, pair: PairSpec) -> bool:
    """Ask whether hosts of the user's own may shape what they send to each other.

    Raises:
        InvalidOption: There is no terminal to ask at.
        Cancelled: The user did not agree.
    """
    if context.options.yes_shape:
        return True
    if not sys.stdin.isatty():
        raise InvalidOption(SHAPING_WITHOUT_ANSWER())
    context.err.print(shaping_words(pair.name))
    if not ask_yes(tr("Shape the link between the hosts of {pair} while it is measured?").format(pair=pair.name)):
        raise Cancelled
    return True


def condition_of(options: argparse.Namespace) -> Condition | None:
    """Return the condition that is to be emulated; None where none was asked for.

    Raises:
        InvalidOption: There is no such condition, or it was asked for with the profile adaptive.
        InvalidFile: Its file cannot be read.
    """
    text = getattr(options, "condition", None)
    if text is None:
        return None
    condition = find_condition(text)
    if _is_adaptive(options):
        refuse_with_adaptive(condition, ())
    return condition


def workloads_of(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the names of the workloads that were asked for, in the order in which they run.

    Raises:
        InvalidOption: There is no such workload, or it was asked for with the profile adaptive.
    """
    check_list("--workload", getattr(options, "workload", None))
    words = words_of(getattr(options, "workload", None))
    if not words:
        return ()
    if _is_adaptive(options):
        refuse_with_adaptive(None, words)
    unknown = [word for word in words if word not in WORKLOADS and word != "all"]
    if unknown:
        guess = meant(unknown[0], list(WORKLOADS))
        raise InvalidOption(UNKNOWN_WORKLOAD(name=unknown[0], guess=guess, known=tuple(WORKLOADS)))
    chosen = {*words, *(TUNNEL_WORKLOADS if "all" in words else ())}
    return tuple(name for name in WORKLOADS if name in chosen)


def transfer_mb_of(options: argparse.Namespace) -> int:
    """Return the size of the file of the workload transfer, in MB.

    Raises:
        InvalidOption: It was given, and that workload was not asked for; or as `workloads_of`.
    """
    workloads = workloads_of(options)
    size_mb: int | None = getattr(options, "transfer_mb", None)
    if size_mb is None:
        return TRANSFER_MB
    if "transfer" not in workloads:
        raise InvalidOption(TRANSFER_NOT_ASKED_FOR())
    return size_mb


def _is_adaptive(options: argparse.Namespace) -> bool:
    """Whether the user named the profile adaptive, or gave what belongs to it alone."""
    return options.profile == ProfileName.ADAPTIVE.value or getattr(options, "budget_min", None) is not None
