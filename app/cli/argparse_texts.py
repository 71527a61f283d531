"""Texts of argparse itself in the current language."""

from __future__ import annotations

import argparse

from app.wording.language import mark, tr, trn

MISSING = mark("the following arguments are required: %s")

TEXTS = (
    MISSING,
    mark("usage: "),
    mark("positional arguments"),
    mark("options"),
    mark("show this help message and exit"),
    mark("%(prog)s: error: %(message)s\n"),
    mark("argument %(argument_name)s: %(message)s"),
    mark("not allowed with argument %s"),
    mark("ignored explicit argument %r"),
    mark("one of the arguments %s is required"),
    mark("expected one argument"),
    mark("expected at most one argument"),
    mark("expected at least one argument"),
    mark("ambiguous option: %(option)s could match %(matches)s"),
)
"""Source: argparse of Python 3.11; those that a user of our commands can see."""


def translate_argparse() -> None:
    """Let argparse find its texts here, instead of in the catalogue of the system."""
    vars(argparse).update({"_": tr, "ngettext": _forms})


def _forms(one: str, many: str, amount: int) -> str:
    if (one, many) == ("expected %s argument", "expected %s arguments"):
        return trn("expected %s argument", "expected %s arguments", amount)
    return trn(one, many, amount)
