"""Dialogue with the user at the terminal, and clean cancellation."""

from __future__ import annotations

import getpass
import os
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from app.cli.messages import KEY_WITHOUT_HOST
from app.cli.signals import Stopping, interrupting
from app.cli.tables import WIDTH_WITHOUT_TERMINAL
from app.cli.words import is_yes
from app.domain.cancel import CancelToken
from app.domain.credentials import ConfirmHostKey, HostKeyQuestion, Secret, SecretKey, SecretKind
from app.domain.errors import InvalidOption
from app.domain.plain_text import plain_text
from app.wording.host_keys import fingerprint_command
from app.wording.language import mark, tr
from app.wording.messages import local_text

T = TypeVar("T")

_NARROWEST, _PROSE_WIDTH = 20, 100
_FINGERPRINT_HEAD = "SHA256:"

_SECRET_WORDS = {
    SecretKind.LOGIN: mark("Password of {}"),
    SecretKind.SUDO: mark("Password for sudo on {}"),
    SecretKind.PASSPHRASE: mark("Passphrase of {}"),
}


def prose_width(out: Console) -> int:
    """Return at how many columns text is wrapped: those of a terminal; without one, what COLUMNS says, or 100."""
    if out.width < WIDTH_WITHOUT_TERMINAL:
        return out.width
    columns = os.environ.get("COLUMNS", "")
    return max(int(columns), _NARROWEST) if columns.isascii() and columns.isdigit() else _PROSE_WIDTH


def verbatim(text: str) -> str:
    """Return a text for those parts of Rich that take markup, past the console: it is shown as it is, and clean."""
    return escape(plain_text(text))


class CleanConsole(Console):
    """A console on which no text of a host can steer the terminal, or is read as markup.

    Rich itself takes away five characters only. Columns of its bars and its status make texts past the console: what
    they show goes through `verbatim`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "highlight": False, **options})

    def render_str(self, text: str, **options: Any) -> Text:
        """Make a text of a string, for whatever it is a part of."""
        return super().render_str(plain_text(text), **options)


def make_console(*, is_for_errors: bool, has_colour: bool = True) -> Console:
    """Return a console on stdout or stderr; without a terminal it is plain and very wide.

    Args:
        is_for_errors: On stderr.
        has_colour: Whether it may use colours; where the variable NO_COLOR is set, it never does.
    """
    stream = sys.stderr if is_for_errors else sys.stdout
    width = None if stream.isatty() else WIDTH_WITHOUT_TERMINAL
    return CleanConsole(stderr=is_for_errors, width=width, no_color=None if has_colour else True)


@dataclass(slots=True)
class _Question(Generic[T]):
    ask: Callable[[], T]
    declined: T
    answer: queue.Queue[T] = field(default_factory=lambda: queue.Queue(1))


class TerminalPrompts:
    """Asks at the terminal. Questions come from worker threads and are put by the main thread.

    Args:
        console: Where questions and sentences are shown (stderr).
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._questions: queue.Queue[Callable[[], None]] = queue.Queue()

    def confirm_host_key(self, question: HostKeyQuestion) -> bool:
        """Show an unknown host key's fingerprint and ask."""

        def ask() -> bool:
            self._console.print(
                tr(
                    "The key of host {host} is not known yet. Its {kind} key is\n  {fingerprint}\n"
                    "Compare it with what {command} prints on the host's console."
                ).format(
                    host=_host_words(question),
                    kind=question.key_type,
                    fingerprint=question.fingerprint,
                    command=fingerprint_command(question.key_type),
                ),
            )
            return is_yes(input(f"{tr('Is it the right one?')} {tr('Type yes or no:')} "))

        return self._put(_Question(ask, declined=False))

    def ask_password(self, key: SecretKey, is_retry: bool) -> Secret | None:  # noqa: FBT001 - as PasswordProvider asks
        """Ask for a password without showing it."""

        def ask() -> Secret | None:
            if key.refused and not is_retry:
                text = tr("The host refused {what}.").format(what="; ".join(map(local_text, key.refused)))
                self._console.print(text, soft_wrap=True)
            again = tr(" (the last one was wrong)") if is_retry else ""
            text = getpass.getpass(f"{tr(_SECRET_WORDS[key.kind]).format(key.subject)}{again}: ")
            return Secret(text) if text else None

        return self._put(_Question[Secret | None](ask, declined=None))

    def report(self, sentence: str) -> None:
        """Show a sentence."""
        self._console.print(sentence)

    def answer_one(self, *, timeout_s: float) -> None:
        """Put the next question, if one comes within the time. For the main thread only."""
        try:
            question = self._questions.get(timeout=timeout_s)
        except queue.Empty:
            return
        question()

    def _put(self, question: _Question[T]) -> T:
        self._questions.put(lambda: _answer(question))
        return question.answer.get()


def _answer(question: _Question[T]) -> None:
    with interrupting():
        try:
            question.answer.put(question.ask())
        except (KeyboardInterrupt, EOFError):
            question.answer.put(question.declined)


def accepted_keys(options: Sequence[str], ask: ConfirmHostKey | None) -> ConfirmHostKey:
    """Return what confirms host keys that were given on the command line, and asks about others where it can.

    A fingerprint counts for one host alone: else one host of a pair, or a jump host, could pass for another one.

    Args:
        options: `HOST=SHA256:…`: the host as known_hosts files name it, or `HOST:PORT`; the fingerprint as
            `ssh-keygen -l` prints it.
        ask: Asked about others; None refuses them.

    Raises:
        InvalidOption: One of the options does not name a host and a fingerprint.
    """
    accepted = frozenset(_accepted_key(option) for option in options)

    def confirm(question: HostKeyQuestion) -> bool:
        is_given = (question.host, question.fingerprint) in accepted
        return is_given or (ask is not None and ask(question))

    return confirm


def _accepted_key(option: str) -> tuple[str, str]:
    """Read `HOST=SHA256:…`; the host becomes `address`, or `[address]:port` where the port is not 22."""
    host, mark, digest = option.strip().partition(f"={_FINGERPRINT_HEAD}")
    digest = digest.rstrip("=")
    if not host or not mark or not digest:
        raise InvalidOption(KEY_WITHOUT_HOST(option=option))
    if host.count(":") == 1 and not host.startswith("["):
        host = "[{}]:{}".format(*host.split(":"))
    if host.endswith("]:22"):
        host = host.removeprefix("[").removesuffix("]:22")
    return host.lower(), f"{_FINGERPRINT_HEAD}{digest}"


def run_cancellable(
    job: Callable[[CancelToken], T],
    prompts: TerminalPrompts,
    token: CancelToken | None = None,
    *,
    on_stop: str = "",
    on_late: str = "",
) -> T:
    """Run a job in a worker thread; Ctrl-C (or SIGTERM, SIGHUP) cancels it, and its clean-up is waited for.

    A second signal ends the process immediately, see `app.cli.signals`.

    Args:
        job: Gets the token that is cancelled.
        prompts: Its questions are asked meanwhile, in this thread.
        token: The token to use; None makes one.
        on_stop: Printed when it is cancelled, instead of the usual sentence.
        on_late: Printed where a signal came too late and the job had finished. To be given where nothing
            follows that the signal could be meant for.

    Returns:
        The job's result.

    Raises:
        BaseException: Raised by the job; `Cancelled` where it was cancelled.
        KeyboardInterrupt: A signal came when the job had just ended, and there is no `on_late`.
    """
    token = token or CancelToken()
    outcome: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(job(token))
        except BaseException as error:  # noqa: BLE001 - handed over to the thread that waits
            errors.append(error)

    thread = threading.Thread(target=work, name="job")
    is_noticed = False
    with Stopping() as stopping:
        thread.start()
        while thread.is_alive():
            if stopping.is_asked and not is_noticed:
                is_noticed = True
                token.cancel()
                prompts.report(on_stop or tr("Stopping, and restoring the hosts …"))
            prompts.answer_one(timeout_s=0.1)
        thread.join()
    if errors:
        raise errors[0]
    if stopping.is_asked and on_late:
        prompts.report(on_late)
    elif stopping.is_asked and not is_noticed:  # it came too late for this job, and is meant for what would follow
        raise KeyboardInterrupt
    return outcome[0]


def _host_words(question: HostKeyQuestion) -> str:
    """Return the host's name for people with its address."""
    is_named = question.label not in ("", question.host)
    return f"{question.label} ({question.host})" if is_named else question.host
