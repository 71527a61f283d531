"""Steps of a round that the user may skip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from app.domain.cancel import CancelToken
from app.domain.errors import Cancelled
from app.measurement.control import CampaignControl


@contextmanager
def skippable(control: CampaignControl, on_skip: Callable[[], None]) -> Iterator[CancelToken]:
    """Run a step that ends early, without an error, where the user skips it.

    Args:
        control: How the user steers the campaign.
        on_skip: Called where the step was skipped.

    Yields:
        A token for the step.

    Raises:
        Cancelled: The whole campaign was cancelled.
    """
    token, end = control.begin_attempt()
    try:
        yield token
    except Cancelled:
        if not control.is_skipped:
            raise
        on_skip()
    finally:
        end()
