"""Consent to a study on hosts of the user's own, from options of a command line or from answers at the terminal."""

from __future__ import annotations

import sys

from app.cli.condition_options import may_shape_link
from app.cli.context import CommandContext
from app.cli.files import ask_yes
from app.cli.messages import STUDY_WITHOUT_ANSWER
from app.domain.errors import Cancelled, InvalidOption
from app.domain.hosts import PairSpec
from app.measurement.own_hosts import OwnHostsConsent, OwnHostsUse
from app.wording.language import tr
from app.wording.messages import local_text


def consent_to_study(context: CommandContext, pair: PairSpec, use: OwnHostsUse) -> OwnHostsConsent:
    """Return what the user agrees to; a practice lab needs no consent.

    What the study changes on hosts and nodes is printed in any case.

    Raises:
        InvalidOption: There is no terminal to ask at.
        Cancelled: The user did not agree.
    """
    sentence = None if pair.is_lab else use.sentence(pair)
    if sentence is None:
        return OwnHostsConsent()
    context.err.print(local_text(sentence))
    if not context.options.allow_load:
        if not sys.stdin.isatty():
            raise InvalidOption(STUDY_WITHOUT_ANSWER(study=use.study, pair=pair.name))
        if not ask_yes(tr("Measure {study} on hosts and nodes of {pair}?").format(study=use.study, pair=pair.name)):
            raise Cancelled
    may_shape = bool(use.conditions) and may_shape_link(context, pair)
    return OwnHostsConsent(may_change=True, may_shape=may_shape, pair=pair)
