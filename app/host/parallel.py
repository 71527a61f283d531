"""Working on both hosts at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from contextlib import contextmanager
from typing import TypeVar

from app.domain.cancel import CancelToken
from app.domain.concurrency import WorkerPool
from app.domain.errors import Bug, Cancelled
from app.domain.hosts import Side
from app.host.messages import DEADLINE_PAST

T = TypeVar("T")


def on_both(work: Callable[[Side, CancelToken], T], *, token: CancelToken) -> dict[Side, T]:
    """Do the same on both hosts, in a thread each. If one fails, the other is cancelled.

    Args:
        work: Gets the side and a token that is cancelled with the caller's, or when the other side fails.

    Returns:
        What came of it, by side.

    Raises:
        Cancelled: The caller's token was cancelled.
        Exception: What failed first.
    """
    results, failures = _on_both(work, token, should_stop_other=True)
    if failures:
        token.raise_if_cancelled()
        raise next((error for _, error in failures if not isinstance(error, Cancelled)), failures[0][1])
    return results


def on_both_to_the_end(
    work: Callable[[Side, CancelToken], T], *, token: CancelToken
) -> tuple[dict[Side, T], dict[Side, BaseException]]:
    """Do the same on both hosts, whatever happens to the other one.

    Args:
        work: Gets the side and the token.

    Returns:
        What came of it by side, and what failed by side.
    """
    results, failures = _on_both(work, token, should_stop_other=False)
    return results, dict(failures)


def _on_both(
    work: Callable[[Side, CancelToken], T], token: CancelToken, *, should_stop_other: bool
) -> tuple[dict[Side, T], list[tuple[Side, BaseException]]]:
    child = CancelToken()
    failures: list[tuple[Side, BaseException]] = []

    def guarded(side: Side) -> T | None:
        try:
            return work(side, child)
        except BaseException as error:  # noqa: BLE001 - handed to the caller, in the order in which things went wrong
            failures.append((side, error))
            if should_stop_other:
                child.cancel()
            return None

    unregister = token.on_cancel(child.cancel)
    try:
        with WorkerPool(2, thread_name_prefix="tunnelmark-deploy") as pool:
            futures: dict[Side, Future[T | None]] = {side: pool.submit(guarded, side) for side in Side}
            try:
                wait_for_futures(futures.values())
            except BaseException:
                child.cancel()
                raise
    finally:
        unregister()
    failed = {side for side, _ in failures}
    return {side: _present(future.result()) for side, future in futures.items() if side not in failed}, failures


def _present(value: T | None) -> T:
    return value  # type: ignore[return-value]  # None only where T is None: failures were left out


@contextmanager
def deadline_token(seconds: float) -> Iterator[CancelToken]:
    """Give a token that is cancelled after a time, for work that nothing else can cancel.

    Args:
        seconds: How long, in seconds.
    """
    if seconds <= 0:
        raise Bug(DEADLINE_PAST())
    token = CancelToken()
    timer = threading.Timer(seconds, token.cancel)
    timer.daemon = True
    timer.start()
    try:
        yield token
    finally:
        timer.cancel()
        timer.join()
