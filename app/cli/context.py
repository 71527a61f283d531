"""Shared parts that every command gets."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console

from app.cli.progress import JobProgress
from app.cli.terminal import TerminalPrompts, accepted_keys, make_console, run_cancellable
from app.domain.cancel import CancelToken
from app.domain.paths import find_paths

if TYPE_CHECKING:  # heavy parts are imported when a command needs them
    from app.domain.progress import ProgressSink
    from app.lab import LabManager
    from app.reports.archive import Archive
    from app.services.wiring import Services

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CommandContext:
    """Parsed options and where to write.

    Attributes:
        options: What argparse made of the command line.
        out: Results, on stdout.
        err: Everything else, on stderr.
        prompts: Questions.
    """

    options: argparse.Namespace
    out: Console
    err: Console
    prompts: TerminalPrompts

    @classmethod
    def of(cls, options: argparse.Namespace) -> CommandContext:
        """Make a context for parsed options."""
        has_colour = not is_colourless(options)
        err = make_console(is_for_errors=True, has_colour=has_colour)
        return cls(options, make_console(is_for_errors=False, has_colour=has_colour), err, TerminalPrompts(err))

    @contextmanager
    def archive(self) -> Iterator[Archive]:
        """Give stored comparisons, without anything that talks to hosts."""
        from app.reports.archive import open_archive

        with open_archive() as archive:
            yield archive

    @contextmanager
    def services(self) -> Iterator[Services]:
        """Give the services. Without a terminal nothing is asked."""
        from app.services.wiring import open_services

        can_ask = sys.stdin.isatty()
        accepted: list[str] = getattr(self.options, "accept_host_key", None) or []
        confirm = accepted_keys(accepted, self.prompts.confirm_host_key if can_ask else None)
        with open_services(
            self.prompts if can_ask else None, confirm_host_key=confirm if can_ask or accepted else None
        ) as services:
            yield services

    @contextmanager
    def pager(self) -> Iterator[None]:
        """Show printed text in the user's pager, at a terminal.

        Source: git(1), GIT_PAGER: less quits if it all fits on one screen, passes colours on and leaves the text there.
        """
        if not (self.out.is_terminal and sys.stdin.isatty()):
            yield
            return
        os.environ.setdefault("LESS", "FRX")
        with self.out.pager(styles=not self.out.no_color):
            yield

    def labs(self) -> LabManager:
        """Give the practice labs."""
        from app.lab import LabManager

        paths = find_paths()
        return LabManager(cache_dir=paths.cache_dir, state_dir=paths.labs_dir)

    def job(self, work: Callable[[CancelToken, ProgressSink], T]) -> T:
        """Run a long job with a progress line on stderr; Ctrl-C cancels it."""
        with JobProgress(self.err) as progress:
            return run_cancellable(lambda token: work(token, progress.update), self.prompts)


def is_colourless(options: argparse.Namespace) -> bool:
    """Whether the user wants no colours."""
    return bool(getattr(options, "no_color", False))


def verbosity(options: argparse.Namespace) -> int:
    """Return how many times `--verbose` was given."""
    return int(getattr(options, "verbose", 0))
