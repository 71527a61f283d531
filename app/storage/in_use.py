"""Hosts that processes of this user on this computer work on now: one locked file for each host.

A lock ends with the process that holds it, however that ends. Where a file cannot be locked, work goes on without: the
hosts' own locks still keep two tunnels apart.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from app.domain.errors import PairLocked
from app.domain.events import CampaignStarted
from app.domain.hosts import SSH_PORT, HostSpec, PairSpec
from app.domain.messages import Message, from_stored, sentences, to_stored
from app.domain.messages.lists import enumerated
from app.domain.plain_text import plain_text
from app.storage.messages import (
    ANOTHER_TUNNELMARK,
    END_PROCESSES,
    HOLDER,
    HOLDER_NO_PROCESS,
    HOLDER_NO_TIME,
    HOLDER_UNKNOWN,
    HOST_IN_USE,
    HOSTS_IN_USE,
    NUMBERED_WORK,
)

E = TypeVar("E")

logger = logging.getLogger(__name__)

_LONGEST_BYTES = 4096
_LONGEST_WHAT = 60
_TRIES = 5
_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class Holder:
    """Work that holds a host.

    Attributes:
        what: For example `comparison 3`.
        pid: Number of its process; None where that cannot be read.
        since: When it began; None where that cannot be read.
    """

    what: str = ANOTHER_TUNNELMARK()
    pid: int | None = None
    since: datetime | None = None

    def __str__(self) -> str:
        return str(self.message())

    def message(self) -> str:
        """Return the work, its process, and when it began."""
        data = {"what": self.what, "pid": self.pid}
        if self.since is None:
            return HOLDER_UNKNOWN(**data) if self.pid is None else HOLDER_NO_TIME(**data)
        data["since"] = f"{self.since.astimezone():%Y-%m-%d %H:%M:%S}"
        return HOLDER_NO_PROCESS(**data) if self.pid is None else HOLDER(**data)

    @property
    def is_of_this_process(self) -> bool:
        """Whether it is work of this very process."""
        return self.pid == os.getpid()


@dataclass(slots=True)
class Use:
    """Locks that are held.

    Attributes:
        holder: What is written into them.
        handles: Open files.
    """

    holder: Holder
    handles: list[int] = field(default_factory=list)

    def rename(self, what: str) -> None:
        """Name more exactly what it is, for example once a comparison has its number."""
        self.holder = Holder(what, self.holder.pid, self.holder.since)
        for handle in self.handles:
            _write(handle, self.holder)


class InUse:
    """Marks hosts as in use. Safe to use from any thread.

    Args:
        folder: Where the files are; it is made when it is needed.
        endpoint_of: Says where a connection to a host goes, so that one host under two names is one host; without it,
            its address and port as they are given.
    """

    def __init__(self, folder: Path, endpoint_of: Callable[[HostSpec], str] | None = None) -> None:
        self._folder = folder
        self._key = endpoint_of or given_endpoint
        self._local = threading.local()

    @contextmanager
    def hold(self, hosts: Iterable[HostSpec], what: str, *, is_optional: bool = False) -> Iterator[Use]:
        """Hold hosts for the length of a `with` block. What the same thread holds already is no obstacle.

        Args:
            what: What works on them, for example `a census`.
            is_optional: Go on also where other work holds one of them.

        Raises:
            PairLocked: Other work holds one of them, and it is not optional.
        """
        specs, mine = tuple(hosts), self._held_here()
        # In one order everywhere: of two that begin at the same time, one gets both hosts.
        keys = sorted({self._key(host) for host in specs} - mine)
        use = Use(Holder(what, os.getpid(), datetime.now(UTC)))
        with ExitStack() as held:
            for key in keys:
                try:
                    self._take(key, use, held)
                except BlockingIOError:
                    if is_optional:
                        continue
                    held.close()
                    busy = [host for host in specs if self._key(host) == key]
                    raise refusal(self.users(specs) or dict.fromkeys(busy, Holder())) from None
            mine.update(keys)
            held.callback(mine.difference_update, keys)
            yield use

    def users(self, hosts: Iterable[HostSpec]) -> dict[HostSpec, Holder]:
        """Return who holds which of some hosts now, without what this thread holds itself."""
        held = {host: self._holder(self._key(host)) for host in hosts if self._key(host) not in self._held_here()}
        return {host: holder for host, holder in held.items() if holder is not None}

    def refuse(self, pair: PairSpec, *, hint: str = "") -> None:
        """Refuse where a host of a pair is in use.

        Args:
            hint: What can be done besides waiting for it or ending it.

        Raises:
            PairLocked: Other work holds one of them.
        """
        if held := self.users((pair.a, pair.b)):
            raise refusal(held, hint=hint)

    def _take(self, key: str, use: Use, held: ExitStack) -> None:
        path = self._path(key)
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = _lock(path)
        except BlockingIOError:
            raise
        except OSError as error:
            logger.warning("%s cannot be marked as in use: %s. Going on without.", key, error)
            return
        held.callback(_let_go, path, handle)
        use.handles.append(handle)
        held.callback(use.handles.remove, handle)
        _write(handle, use.holder)

    def _holder(self, key: str) -> Holder | None:
        try:
            handle = os.open(self._path(key), os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            logger.warning("It is not known whether %s is in use: %s.", key, error)
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _read(handle)
        except OSError as error:
            logger.warning("It is not known whether %s is in use: %s.", key, error)
        finally:
            os.close(handle)
        return None

    def _path(self, key: str) -> Path:
        """Return a file whose name is short and harmless, whatever the address is."""
        return self._folder / f"{hashlib.sha256(key.encode(errors='replace')).hexdigest()[:32]}.lock"

    def _held_here(self) -> set[str]:
        held: set[str] = self._local.__dict__.setdefault("held", set())
        return held


def refusal(held: Mapping[HostSpec, Holder], *, hint: str = "") -> PairLocked:
    """Return the error for hosts that are in use.

    Args:
        held: Who holds them.
        hint: What can be done besides waiting for it or ending it.
    """
    holders = list(dict.fromkeys(held.values()))
    pids = [str(pid) for pid in dict.fromkeys(one.pid for one in holders if one.pid is not None)]
    can_be_killed = pids and not any(one.is_of_this_process for one in holders)
    kill = END_PROCESSES(pids=" ".join(pids)) if can_be_killed else ""
    since = [one.since for one in holders if one.since is not None]
    age_s = str(max(0, int((datetime.now(UTC) - min(since)).total_seconds()))) if since else ""
    owner = enumerated(one.message() for one in holders)
    form = HOSTS_IN_USE if len(held) > 1 else HOST_IN_USE
    message = form(hosts=enumerated(host.label for host in held), owner=owner)
    context = {"owner": owner, "age_s": age_s}
    return PairLocked(message, hint=sentences((message.hint, kill, hint)), context=context)


def given_endpoint(host: HostSpec) -> str:
    """Return a host's address and port as they are given."""
    return f"{host.address.lower()}:{host.port or SSH_PORT}"


def _lock(path: Path) -> int:
    """Open and lock a file, and return its descriptor.

    A process that asks for the holder locks it for a moment, and one that lets go removes it: both are waited out.

    Raises:
        BlockingIOError: Another process or thread holds it.
        OSError: It cannot be opened or locked.
    """
    for _ in range(_TRIES):
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        is_kept = False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_kept = os.path.samestat(os.fstat(handle), path.stat())
        except (BlockingIOError, FileNotFoundError):
            pass
        finally:
            if not is_kept:
                os.close(handle)
        if is_kept:
            return handle
        time.sleep(_PAUSE_S)
    raise BlockingIOError


def _let_go(path: Path, handle: int) -> None:
    with suppress(OSError):
        path.unlink()
    os.close(handle)


def _write(handle: int, holder: Holder) -> None:
    since = holder.since.isoformat() if holder.since is not None else ""
    stored = to_stored(holder.what) if isinstance(holder.what, Message) else ""
    content = json.dumps({"what": holder.what, "pid": holder.pid, "since": since, "message": stored}).encode()
    try:
        os.pwrite(handle, content, 0)
        os.ftruncate(handle, len(content))
    except OSError as error:
        logger.warning("It cannot be written down what uses a host: %s.", error)


def _read(handle: int) -> Holder:
    """Read who holds a lock; what is damaged or missing is not known."""
    try:
        data = json.loads(os.pread(handle, _LONGEST_BYTES, 0))
        since = datetime.fromisoformat(data["since"]).astimezone(UTC)
        what = from_stored(str(data.get("message", ""))) or plain_text(str(data["what"]))[:_LONGEST_WHAT]
        return Holder(what, int(data["pid"]), since)
    except (OSError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError):
        return Holder()


def renaming(use: Use, kind: str, emit: Callable[[E], None]) -> Callable[[E], None]:
    """Return a sink of events that also notes the number of a comparison or census as soon as it has one.

    Args:
        use: The entry of the hosts in use.
        kind: "comparison" or "census".
        emit: Gets every event.
    """

    def record(event: E) -> None:
        if isinstance(event, CampaignStarted):
            use.rename(NUMBERED_WORK(kind=kind, number=event.campaign_id))
        emit(event)

    return record
