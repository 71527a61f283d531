"""A link between two hosts that dies in the middle of a campaign, and what brings it back."""

from __future__ import annotations

from collections.abc import Callable

from campaign_stage import Stage
from fake_pair import FakePair

from app.domain import events
from app.domain.cancel import CancelToken
from app.domain.errors import PreflightRefused
from app.domain.results import Attempt
from app.measurement.control import CampaignControl
from app.probes.messages import LINK_DIED, LINK_NAME

DEAD, CUT, WELL = "pings 3 0", "pings 3 0, cut", "pings 1 1"
LINK = LINK_NAME(a="gateway-a", b="gateway-b")
SENTENCE = LINK_DIED(link=LINK, sent=6)
WRONG_REASON = PreflightRefused("198.51.100.2 does not answer the pings of gateway-a.", hint="Check ICMP.")


def report(pair: FakePair, *answers: str) -> None:
    pair.pings.update(a=list(answers), b=list(answers))


class Link:
    """A link that dies while a tunnel of some solution is up, and a healer that may bring it back.

    Args:
        stage: The campaign.
        solution: It dies when this one's tunnel is up.
        deaths: So often.
    """

    def __init__(self, stage: Stage, solution: str = "wireguard", *, deaths: int = 1) -> None:
        self.stage, self.solution, self.deaths = stage, solution, deaths
        self.heals = 0
        self.heals_in_vain = 0
        self.fault: BaseException | None = None
        self.is_ours = True
        self.on_heal: Callable[[], None] = lambda: None
        stage.tunnels.on_open = self.open

    def open(self, solution: str) -> None:
        if solution == self.solution and self.deaths:
            self.deaths -= 1
            report(self.stage.pair, DEAD)
        if self.stage.pair.pings["a"][0] != WELL:
            raise WRONG_REASON

    def heal(self, *, token: CancelToken) -> bool:
        self.heals += 1
        self.on_heal()
        token.raise_if_cancelled()
        if self.fault is not None:
            raise self.fault
        if not self.is_ours:
            return False
        if self.heals_in_vain:
            self.heals_in_vain -= 1
        else:
            report(self.stage.pair, WELL)
        return True


def attended(stage: Stage) -> Stage:
    stage.control = CampaignControl(is_attended=True)
    return stage


def reported(stage: Stage) -> list[tuple[bool, str]]:
    return [(event.is_up, event.text) for event in stage.of(events.UnderlayChanged)]


def dropped_tries(attempt: Attempt) -> list[str]:
    return [doubt for doubt in attempt.doubts if "died while this was measured at first" in doubt]
