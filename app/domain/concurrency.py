"""Threads that work for the operation that began them, and doing the same on both hosts at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from app.domain.sides import Side

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")
P = ParamSpec("P")


class WorkerPool(ThreadPoolExecutor):
    """Threads that work in the context of the thread that calls them: their questions are of the same operation."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a function in one of the threads."""
        return super().submit(copy_context().run, partial(fn, *args, **kwargs))


def run_both(for_a: Callable[[], A], for_b: Callable[[], B]) -> tuple[A, B]:
    """Call two functions at the same time and wait until both have ended.

    Args:
        for_a: Called in a thread of its own.

    Returns:
        What they returned.

    Raises:
        BaseException: What `for_a` raised, else what `for_b` raised, after both have ended.
    """
    with WorkerPool(max_workers=2, thread_name_prefix="both") as pool:
        future_a = pool.submit(for_a)
        future_b = pool.submit(for_b)
        error = future_a.exception() or future_b.exception()
    if error is not None:
        raise error
    return future_a.result(), future_b.result()


def run_all(work: Iterable[Callable[[], T]]) -> list[T]:
    """Call functions at the same time and wait until all have ended.

    Args:
        work: Each is called in a thread of its own.

    Returns:
        What they returned, in their order.

    Raises:
        BaseException: What the first of them that failed raised, after all have ended.
    """
    calls = tuple(work)
    if not calls:
        return []
    with WorkerPool(max_workers=len(calls), thread_name_prefix="all") as pool:
        futures = [pool.submit(call) for call in calls]
        errors = [error for future in futures if (error := future.exception()) is not None]
    if errors:
        raise errors[0]
    return [future.result() for future in futures]


def run_sides(work: Callable[[Side], T]) -> dict[Side, T]:
    """Call a function for both sides at the same time, and return what it returned by side; raises as `run_both`."""
    a, b = run_both(partial(work, Side.A), partial(work, Side.B))
    return {Side.A: a, Side.B: b}
