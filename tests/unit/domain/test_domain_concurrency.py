"""Threads that work on both hosts do so for the operation that began them."""

from __future__ import annotations

from contextvars import ContextVar

from app.domain.cancel import CancelToken
from app.domain.concurrency import WorkerPool, run_both
from app.domain.hosts import Side
from app.host.parallel import on_both, on_both_to_the_end

OPERATION: ContextVar[str] = ContextVar("test_operation", default="unknown")


def test_threads_know_the_operation_that_began_them() -> None:
    before = OPERATION.set("deploying")
    token = CancelToken()
    try:
        with WorkerPool(1) as pool:
            assert pool.submit(OPERATION.get).result() == "deploying"
            assert list(pool.map(lambda _: OPERATION.get(), range(2))) == ["deploying"] * 2
        assert run_both(OPERATION.get, OPERATION.get) == ("deploying", "deploying")
        both = dict.fromkeys(Side, "deploying")
        assert on_both(lambda _side, _token: OPERATION.get(), token=token) == both
        assert on_both_to_the_end(lambda _side, _token: OPERATION.get(), token=token) == (both, {})
    finally:
        OPERATION.reset(before)


def test_a_thread_does_not_keep_the_operation_of_earlier_work() -> None:
    with WorkerPool(1) as pool:
        assert pool.submit(OPERATION.set, "deploying").result()
        assert pool.submit(OPERATION.get).result() == "unknown"
