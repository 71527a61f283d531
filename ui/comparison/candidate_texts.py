"""Words for the lines of the tree of candidates, and the weak ones among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from app.discovery.pair_discovery import Discovery
from app.domain.hosts import Side
from app.domain.results import Candidate
from app.domain.solutions import SolutionInfo
from app.domain.verdicts import Verdict
from app.wording.language import trn
from app.wording.titles import local_title
from ui.common.candidate_details import Lack
from ui.common.candidate_rows import Key
from ui.common.dialogs import Question
from ui.common.solution_facts import carrier_word, space_word
from ui.common.texts import tr
from ui.common.verdicts import verdict_appearance

_MOST_TITLES = 6


def distinct_titles(candidates: list[Candidate], solution_title: str) -> dict[Key, str]:
    """Return short titles that tell candidates apart: the rest of the title, with the suite where that is shared.

    Args:
        candidates: Of one solution.
        solution_title: What their titles begin with.
    """
    rests = {
        (one.solution, one.suite): local_title(one.title.removeprefix(f"{solution_title}, ")) for one in candidates
    }
    shared = {rest for rest, number in Counter(rests.values()).items() if number > 1}
    return {key: f"{rest}  {key[1]}" if rest in shared else rest for key, rest in rests.items()}


def is_weak(candidate: Candidate) -> bool:
    """Whether it is measured only after an explicit consent."""
    is_open_reference = candidate.is_unprotected and candidate.is_listed_only
    return candidate.verdict.needs_reason or candidate.verdict is Verdict.INSECURE or is_open_reference


def ask_without_vpn(window: QWidget, ticked: Sequence[Candidate], then: Callable[[], None]) -> None:
    """Go on with what is ticked, after a question where nothing of it can be recommended."""
    if not ticked or not all(one.is_unprotected for one in ticked):
        then()
        return
    Question(
        window,
        tr("No VPN is selected"),
        tr("The selected candidates are references without cryptography: nothing can be recommended."),
        tr("Measure references only"),
        tr("Select a VPN"),
        "warning",
    ).ask(then)


def how(info: SolutionInfo | None) -> str:
    """Return where a solution encrypts and what carries it; nothing for one that is not known."""
    return f"{space_word(info.space)}, {carrier_word(info.carrier)}" if info is not None else ""


def lacks(found: Discovery, solution: str) -> tuple[Lack, ...]:
    """Return what each host lacks for a solution."""
    lacks = []
    for side, check in ((Side.A, found.a), (Side.B, found.b)):
        support = check.facts.solutions.get(solution)
        label = found.pair.host(side).label
        if support is None or support.is_available:
            lacks.append(Lack(label, is_able=support is not None))
        else:
            lacks.append(Lack(label, is_able=False, parts=support.missing, note=support.note))
    return tuple(lacks)


def listed(candidates: list[Candidate]) -> str:
    """Return titles with their verdicts; beyond some only their number."""
    words = list(
        dict.fromkeys(f"{local_title(one.title)}: {verdict_appearance(one.verdict).word}" for one in candidates)
    )
    more = len(words) - _MOST_TITLES
    return "; ".join(words[:_MOST_TITLES]) + (f"; {tr('%1 more', more)}" if more > 0 else "")


def selected(number: int, *, hidden: int) -> str:
    """Return how many candidates are selected, and how many of them the search hides."""
    if hidden:
        return tr("%1 of %2 selected candidates are hidden by the search.", hidden, number)
    return trn("%1 candidate selected", "%1 candidates selected", number).replace("%1", str(number))
